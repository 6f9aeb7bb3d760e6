"""Backends run one agent on one prompt and return one reply; they judge nothing."""

from guildmoot.backends.registry import BACKENDS, CLIENTS, Backend, Traits, get_backend, traits_of

__all__ = ["BACKENDS", "CLIENTS", "Backend", "Traits", "get_backend", "traits_of"]
