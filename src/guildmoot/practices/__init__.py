"""Practices arrange the flow: each reads from top to bottom as the work it does."""
