"""What strategies are worth."""
