"""Small programs that evidence judges run, each with ``python -m``; standard library only.

They print one rdjsonl line for each finding and end with 0 (clean), 1 (findings) or 2 (no
judgement); an adapter ends as the program that it runs.
"""
