"""Before and above a piece of work: how a project begins, and the initiatives that work belongs to."""
