"""Loops: bulk change in tiers, with proof at each step."""
