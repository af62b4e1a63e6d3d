"""Cards: decks, the strength of hands, and which hands are the same up to their suits."""
