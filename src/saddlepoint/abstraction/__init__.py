"""Shrinking games: abstract games, and the way back from them."""
