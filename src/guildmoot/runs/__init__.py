"""Recorded runs: their folders under ``.guild/runs``, and what can be done with them."""
