"""The council: many judges, debate, one honest answer.

``plan`` says what was asked for, ``seats`` who judges, ``judge`` asks them, ``verdict``, ``ideas`` and
``duel`` make one answer of what they say, and ``run`` arranges all of it; read that one first.
"""
