"""Why something that was named is not, or not wholly, before the judges: one word each."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "bad-name": "its name is not valid UTF-8, so it cannot be named to a judge",
    "binary": "it is not text",
    "conflict": "it is unmerged: the index holds no single version of it",
    "deleted": "it is not there, or not any more",
    "empty": "nothing in this folder is free to be judged: it is empty or ignored by git",
    "generated": "a program writes it: lock file, minified or generated code, snapshot",
    "ignored": "the project's .guildignore keeps it from judges",
    "key-file": "it holds keys or credentials and never leaves this machine",
    "not-utf8": "it is not valid UTF-8",
    "over-budget": "the packet's size budget was used up before it",
    "submodule": "it belongs to another repository",
    "symlink": "symbolic links are not followed",
    "too-large": "it is larger than the limit for one file",
    "unreadable": "it could not be read",
    "vendored": "it is other people's code or build output kept in the tree",
}
