"""A face for programs that speak the Model Context Protocol: each tool is one command of ``guild``.

``protocol`` reads and answers messages, ``tools`` says what can be asked, ``jobs`` keeps judgements
that outlive a request, ``server`` puts them together on standard input and output. No rule lives here.
"""
