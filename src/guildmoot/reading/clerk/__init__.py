"""Replies that the grammars cannot read: what code can see in them for certain, and what a clerk may add.

normal      a messy reply in the form that the grammars read
transcript  what a clerk put into the schema, checked word by word against the reply
pairs       what a clerk says of pairs of statements, with the quotes checked
"""
