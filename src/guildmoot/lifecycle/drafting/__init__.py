"""Models beside the rules: drafts of specs and plans, and the rounds in which one model challenges another."""
