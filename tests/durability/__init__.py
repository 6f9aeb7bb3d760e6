"""Kills and breaks real runs at every change that they make on disk, and looks at what is left.

``fault.c`` counts the changes and strikes at the one that is asked for; ``server`` runs commands in
forked children under it; ``harness`` is what the tests use.
"""
