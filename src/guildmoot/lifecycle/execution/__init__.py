"""From an approved plan to lanes that are merged: the scheduler and what it needs. See docs/execution.md."""
