"""Instructions that cannot both be followed, told by their words alone.

lexicon       the words that say what to do
classes       words of which one thing can be one only, as data
clauses       a remedy as clauses of words
topics        what words are about, as keys that can be compared
instructions  one clause: what is to be done, or not, to what
values        what value an instruction gives
rivals        which words of a class it wants, and which not
claims        everything that a remedy asks for
opposition    whether two remedies pull apart
denial        whether a statement says that another is not so
"""
