"""Models behind HTTP: how they are named and reached, what is said on the wire, how often to try.

``backends.api`` is the backend; a seat's call passes through these, top to bottom: ``providers``
(who is meant, and where), ``keys``, ``calling`` (limits and retries), a wire (``direct``, or
``through_pydantic_ai`` for providers that are not in the table), ``dialects``, ``connections``.
"""
