"""Councils with a purpose: is this change ready, is this plan ready, what did this work teach.

    vibe          a change: SHIP, FIX or REFACTOR
    pre_mortem    a plan: PROCEED, ADDRESS or RETHINK
    post_mortem   finished work: CLOSE, FOLLOW-UP or REOPEN

Each fills in defaults, lets programs check what programs can (``checks``, ``claims``, ``complexity``),
shows the judges what they found, and turns the verdict into its own word (``review``). The judging itself
is the council's.
"""
