"""Prices of a small shop."""
