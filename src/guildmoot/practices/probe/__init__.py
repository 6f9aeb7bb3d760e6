"""Probes: judges measured on cases whose right answer is known."""
