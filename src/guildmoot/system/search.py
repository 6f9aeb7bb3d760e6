"""Where programs are looked for: never where the repository under review could have put one.

A relative entry of the PATH would name a folder of whatever is judged. A folder inside the repository
counts unless git tracks something in it: a virtual environment of the user's own does.
"""

from __future__ import annotations

import os
import shutil
from functools import cache


def search_path(path: str | None = None, here: str | os.PathLike[str] = "") -> str:
    """PATH (ours) as it may be searched for programs by who works in the folder ``here`` (ours)."""
    path = os.environ.get("PATH", os.defpath) if path is None else path
    return _searched(path, os.path.realpath(here))


@cache
def find_program(name: str, path: str) -> str:
    """Where a program lies on this search path; its bare name where it does not."""
    return shutil.which(name, path=path) or name


@cache
def _searched(path: str, here: str) -> str:
    folders = [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]
    root = _repository(here)
    inside = [folder for folder in folders if root and _is_inside(folder, root)]
    outside = os.pathsep.join(each for each in folders if each not in inside) or os.defpath
    brought = [folder for folder in inside if is_brought(folder, root, outside)]
    # an empty PATH would mean the current folder
    return os.pathsep.join(each for each in folders if each not in brought) or os.defpath


def is_brought(folder: str, root: str = "", path: str = "") -> bool:
    """Whether a repository brought this folder of it: git tracks something there, or a link leads out."""
    from guildmoot.system.git import Git, GitError

    root, real = root or _repository(os.path.abspath(folder)), os.path.realpath(folder)
    if not root:
        return False
    if not real.startswith(os.path.realpath(root) + os.sep):
        return True
    nearest = _repository(real)  # a submodule, perhaps
    try:
        place = os.path.relpath(real, nearest).replace(os.sep, "/")
        return place == os.curdir or bool(Git(nearest, path).tracked(place))
    except GitError:
        return True


def _is_inside(folder: str, root: str) -> bool:
    plain = os.path.normpath(folder)
    return any(
        f"{each}{os.sep}".startswith(root + os.sep) for each in (plain, os.path.realpath(plain))
    )


def _repository(folder: str) -> str:
    """The folder that holds ``.git``, at or above this one; empty without one."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return ""
    return folder
