"""Recipes: how the tables of each paper are computed, one module a paper or subject."""
