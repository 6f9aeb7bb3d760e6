"""Who can be called: agent files, where they are looked up, and the panel that the files call for.

Nothing here runs an agent; that is left to ``backends``.
"""
