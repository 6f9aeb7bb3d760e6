"""Whether a change makes the tests that judge it weaker."""
