"""A scripted specialist: does in a lane what a JSON file says, and hands over a receipt.

{"T1": {"files": {"app/a.py": "x"}}, "T2": [{"crash": 3}, {}]}   # a list is by attempt
"""

import hashlib
import json
import os
import subprocess
import sys
import time

script_file = sys.argv[1]
with open(script_file, encoding="utf-8") as stream:
    script = json.load(stream)
task, attempt = os.environ["GUILD_TASK_ID"], int(os.environ["GUILD_ATTEMPT"])
act = script.get(task.partition("-")[0], {})
if isinstance(act, list):
    act = act[min(attempt, len(act)) - 1]
handle = os.open(
    os.path.join(os.path.dirname(script_file), "starts.txt"),
    os.O_WRONLY | os.O_APPEND | os.O_CREAT,
)
os.write(handle, f"{task}/{attempt}\n".encode())
print("at work on", task, flush=True)
files = act.get("files", {f"app/{task.lower()}.py": f"DONE = '{task}'\n"})
for path, text in files.items():
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if text is None:
        os.unlink(path)
    else:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
if "sh" in act:
    subprocess.run(["/bin/sh", "-c", act["sh"]], check=False)
time.sleep(act.get("sleep", 0))
if "crash" in act:
    sys.exit(act["crash"])
claims = act.get("claims", list(files))
known = set(act.get("modified", ()))
rows = []
for path in claims:
    digest = ""
    if os.path.exists(path):
        with open(path, "rb") as stream:
            digest = hashlib.sha256(stream.read()).hexdigest()
    change = "deleted" if not digest and path in files else "added"
    change = "modified" if path in known else change
    rows.append(f"  - {{path: {path}, change: {change}, sha256_after: {digest or 'none'}}}")
envelope = {
    "schema_version": "guild.handoff.v2", "task_id": task, "tier": os.environ["GUILD_TIER"],
    "status": "done", "summary": f"{task} is done.", "artifacts": [], "issues": [],
} | act.get("envelope", {})  # fmt: skip
evidence = act.get("evidence", "- `true` exit code 0")
receipt = "\n".join((
    "---", "schema_version: guild.handoff_receipt.v1",
    f"ids: {{run_id: {os.environ['GUILD_RUN_ID']}, task_id: {envelope['task_id']}}}",
    f"specialist: {os.environ['GUILD_SPECIALIST']}",
    *((f"usage: {act['usage']}",) if "usage" in act else ()),
    "changed_files:" if rows else "changed_files: []", *rows, "---",
    "## changed_files", *(f"- {path}" for path in claims), *(() if claims else ("none",)),
    "## opens_for", "- review", "## assumptions", act.get("assumes", "none"),
    "## evidence", evidence, "## followups", act.get("followups", "none"), "",
    "```guild.handoff.v2", json.dumps(envelope), "```", "",
))  # fmt: skip
if not act.get("silent"):
    where = act.get("receipt", os.environ["GUILD_RECEIPT"])
    with open(where, "w", encoding="utf-8") as stream:
        stream.write(receipt)
sys.exit(act.get("exit", 0))
