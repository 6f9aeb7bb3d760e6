"""Verbs for where people already work: coding agents, code hosts, git hooks, shells, MCP clients."""
