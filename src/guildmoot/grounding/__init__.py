"""Checks findings against reality before they count. Asks no model."""
