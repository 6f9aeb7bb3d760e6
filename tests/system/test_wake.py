"""Threads are heard where a sandbox refuses ``send``."""

from __future__ import annotations

import asyncio
import threading

from guildmoot.system.wake import can_send, wake_by_write


def test_a_thread_wakes_a_loop_without_send():
    loop = asyncio.SelectorEventLoop()
    loop._write_to_self = lambda: wake_by_write(loop)
    heard = []
    try:
        loop.call_later(5, loop.stop)  # the end of a loop that nobody wakes
        told = [lambda: heard.append("told"), loop.stop]
        threading.Timer(0.02, lambda: [loop.call_soon_threadsafe(each) for each in told]).start()
        began = loop.time()
        loop.run_forever()
        assert (heard, loop.time() - began < 4) == (["told"], True)
    finally:
        loop.close()
    wake_by_write(loop)  # a loop that is closed has nobody to wake
    assert can_send()
