"""Faces of the memory: wiki, decisions, traces."""
