"""Presets: named groups of perspectives, one data file each, that a project may add to or replace.

``model`` says what they are, ``loader`` finds them and the project's own choice of perspectives, and
``perspectives`` reads one file's tables.
"""
