"""Lock files: what a program wrote is compared with the base, instead of read."""
