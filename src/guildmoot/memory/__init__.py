"""What lasts between runs: how judges fared, candidates for learnings, predictions, suppressions."""
