"""Compaction: notes are tried against the task they came from, and what helps becomes a learning."""
