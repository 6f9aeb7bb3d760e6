"""Monthly reports from time sheets."""
