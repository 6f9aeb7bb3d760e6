"""What the engine makes in the user's repository, by gits that stay."""
