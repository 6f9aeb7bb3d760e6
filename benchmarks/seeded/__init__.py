"""Seeded defects: what judges, panels and policies find of defects that were put into sound code.

    cases      sound repositories, the defects put into them, and the controls
    kinds      what words a finding of a kind of defect would use
    hearing    every case before every seat, through the ledger
    rulings    what each panel, policy and repeated seat makes of what was said
    scoring    what counts as found; precision, recall and F1 with their intervals
    measure    all of it, from cases to rows
    tables     the rows as text, Markdown and JSON

Run ``python -m benchmarks.seeded --help`` from the root of the checkout.
"""
