"""The command line: the same verbs as in Python, thin."""
