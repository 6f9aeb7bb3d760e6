"""The council: many judges, debate, one honest answer.

``plan`` says what was asked for, ``seating`` who sits, ``hearing`` runs the rounds, ``verdict`` and
``ideas`` make one answer of them, and ``run`` arranges all of it; read that one first.
"""
