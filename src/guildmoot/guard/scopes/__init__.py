"""Capability scopes: what one agent may do, where that is said, and whether a call lies within it."""
