"""Finding equilibria of `(X, Y, A)`. Nothing here knows what game it solves."""
