"""Calls of functions that a repository declares just once, in languages whose types nobody writes down."""
