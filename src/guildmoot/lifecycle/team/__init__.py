"""Who does the work: the specialists, which of them a spec asks for, and the team file."""
