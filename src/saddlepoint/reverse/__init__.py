"""Mapping back: what an abstract strategy becomes in the real game."""
