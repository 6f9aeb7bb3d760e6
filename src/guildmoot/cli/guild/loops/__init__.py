"""Options and verbs of the loops beside the confidence loop."""
