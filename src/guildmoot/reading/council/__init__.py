"""Reads a council judge's verdict (schema v0 to v4), what it says in a debate, and an expert's duel.

Replies in the panel's own grammar are left to ``guildmoot.reading.grammar``.
"""
