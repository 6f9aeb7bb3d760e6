"""Where people already work: git hooks, coding agents, code hosts, shells."""
