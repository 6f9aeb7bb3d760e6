"""Checks findings against reality before they count. Asks no model."""

from guildmoot.grounding.anchors import Texts, ground

__all__ = ["Texts", "ground"]
