"""A scripted provider on loopback: Anthropic, OpenAI Responses and Chat, and Gemini."""

from .rules import Bill, Request, Rule
from .server import Provider, serving

__all__ = ["Bill", "Provider", "Request", "Rule", "serving"]
