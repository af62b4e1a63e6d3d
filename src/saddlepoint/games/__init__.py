"""Rules of games: everything that becomes `(X, Y, A)`. Nothing here knows a solver."""
