"""What may leave the machine: which files never do, and which words in the others are held back.

``egress`` knows key files by their names; ``secrets`` masks what looks like a secret in a text.
Both are pure: reading files and calling judges is for others.
"""
