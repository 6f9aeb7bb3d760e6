"""Text for people and machines: cleaning, globs, similarity. Pure functions."""
