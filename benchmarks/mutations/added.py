"""Code that a change adds: careless, and sound. Secrets are made when asked for, so that none stands here."""

from __future__ import annotations

import string
from random import Random

ADDED_PYTHON = {
    "resource not closed": (
        "def read_notes(path):\n    handle = open(path)\n    return handle.read()\n",
        "def append_note(path, text):\n    handle = open(path, 'a')\n    handle.write(text)\n",
        "def count_notes(path):\n    return len(open(path).readlines())\n",
    ),
    "SQL built from input": (
        (
            "def find_member(cursor, name):\n"
            "    cursor.execute(f\"SELECT id FROM members WHERE name = '{name}'\")\n"
            "    return cursor.fetchall()\n"
        ),
        (
            "def drop_member(connection, key):\n"
            '    connection.execute("DELETE FROM members WHERE id = " + key)\n'
        ),
        (
            "def list_orders(cursor, customer):\n"
            "    query = \"SELECT * FROM orders WHERE customer = '%s'\" % customer\n"
            "    cursor.execute(query)\n"
            "    return cursor.fetchall()\n"
        ),
        (
            "def rename_member(cursor, key, name):\n"
            "    cursor.execute(\"UPDATE members SET name = '{}' WHERE id = {}\".format(name, key))\n"
        ),
    ),
    "shell built from input": (
        "def unpack(path):\n    import os\n\n    os.system('tar xf ' + path)\n",
        (
            "def show_log(branch):\n"
            "    import subprocess\n\n"
            '    return subprocess.check_output(f"git log {branch}", shell=True)\n'
        ),
        (
            "def ping(host):\n"
            "    import subprocess\n\n"
            "    subprocess.run('ping -c 1 %s' % host, shell=True, check=True)\n"
        ),
        "def search(word):\n    import os\n\n    return os.popen(f'grep -r {word} .').read()\n",
    ),
    "new function": (
        (
            'def clamp_value(value, low, high):\n    """The value, held between two bounds."""\n'
            "    return max(low, min(value, high))\n"
        ),
        (
            'def first_of(items, default=None):\n    """The first item, or what stands in for it."""\n'
            "    for item in items:\n        return item\n    return default\n"
        ),
        (
            'def read_text_file(path):\n    """The whole file."""\n'
            '    with open(path, encoding="utf-8") as handle:\n        return handle.read()\n'
        ),
        (
            'def count_words(text):\n    """How often each word occurs."""\n    found = {}\n'
            "    for word in text.split():\n        found[word] = found.get(word, 0) + 1\n    return found\n"
        ),
    ),
}
ADDED_SCRIPT = {
    "SQL built from input": (
        (
            "function findMember(db, name) {\n"
            '  return db.query("SELECT id FROM members WHERE name = \'" + name + "\'");\n}\n'
        ),
        (
            "function listOrders(db, customer) {\n"
            "  return db.query(`SELECT * FROM orders WHERE customer = '${customer}'`);\n}\n"
        ),
    ),
    "shell built from input": (
        (
            "function unpack(path, done) {\n"
            "  require('child_process').exec('tar xf ' + path, done);\n}\n"
        ),
        (
            "function showLog(branch) {\n"
            "  const { execSync } = require('child_process');\n"
            "  return execSync(`git log ${branch}`);\n}\n"
        ),
    ),
    "new function": (
        (
            "function clampValue(value, low, high) {\n"
            "  return Math.max(low, Math.min(value, high));\n}\n"
        ),
        (
            "function firstOf(items, otherwise) {\n"
            "  for (const item of items) {\n    return item;\n  }\n  return otherwise;\n}\n"
        ),
    ),
}


def secret_line(rng: Random) -> str:
    """An assignment of a made-up secret, in one of the shapes that real ones have."""

    def some(letters: str, length: int) -> str:
        return "".join(rng.choice(letters) for _ in range(length))

    word = string.ascii_letters + string.digits
    shapes = (
        ("AWS_ACCESS_KEY_ID", "AK" + "IA" + some(string.ascii_uppercase + "234567", 16)),
        ("AWS_SECRET_ACCESS_KEY", some(word + "+/", 40)),
        ("GITHUB_TOKEN", "gh" + "p_" + some(word, 36)),
        ("STRIPE_KEY", "sk" + "_live_" + some(word, 24)),
        (
            "SLACK_TOKEN",
            f"xox{'b'}-{some(string.digits, 12)}-{some(string.digits, 12)}-{some(word, 24)}",
        ),
        ("DATABASE_URL", f"postgres://app:{some(word, 18)}@db.internal.net:5432/app"),
        ("DB_PASSWORD", some(word + "!#%&*", 18)),
        ("API_KEY", some(string.hexdigits.lower()[:16], 32)),
    )
    name, value = rng.choice(shapes)
    return f'{name} = "{value}"'
