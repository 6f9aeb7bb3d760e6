"""The handler of mail jobs: hands a message to the mail service over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import urllib.request

from jobs.store import Job

TIMEOUT_SECONDS = 10.0


def _post(url: str, body: bytes, token: str) -> int:
    request = urllib.request.Request(url, data=body, method="POST")
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        return int(response.status)


async def send_mail(job: Job) -> None:
    """Deliver one mail; anything but 202 is a failure, and the queue tries again."""
    url = os.environ["MAIL_URL"]
    token = os.environ["MAIL_TOKEN"]
    body = json.dumps({"to": job.payload["to"], "text": job.payload["text"]}).encode()
    status = await asyncio.to_thread(_post, url, body, token)
    if status != 202:
        raise RuntimeError(f"the mail service answered {status}")
