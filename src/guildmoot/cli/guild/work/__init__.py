"""The verbs of the lifecycle, from an intent to proven work."""
