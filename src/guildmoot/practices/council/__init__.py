"""The council: many judges, debate, one honest answer.

``request`` and ``selection`` read what was asked for into a ``plan``, ``seats`` says who judges, ``judge``
asks them, ``verdict``, ``ideas`` and ``duel`` make one answer of what they say, and ``run`` arranges all of
it; read that one first.
"""
