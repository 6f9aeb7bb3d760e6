"""Every verb as an async function of one request that returns one report: the only door for faces.

Nothing awaited here blocks the caller's event loop: each verb works on a thread of its own, and a
watch is told on the caller's loop. Stopping a verb is cancelling its task.
"""
