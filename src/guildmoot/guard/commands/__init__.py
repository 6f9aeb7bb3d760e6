"""Shell commands understood: what would be started, with which words, where, and what that would do."""
