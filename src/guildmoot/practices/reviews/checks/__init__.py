"""What can be checked without judgement, one small function each; no file is read here.

A check that warns or fails holds the verdict down, whatever the judges say; so they warn only about
what a program can be sure of.
"""
