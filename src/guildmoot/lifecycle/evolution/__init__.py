"""A skill that gets better by evidence: the old and the new on the same cases, and every version kept."""
