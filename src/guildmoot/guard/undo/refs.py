"""Where snapshots are named, without anything that costs time to load."""

REFS = "refs/guild/undo"
