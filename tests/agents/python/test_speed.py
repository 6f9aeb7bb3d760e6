"""What many ask of one class is read from it once."""

import ast

from guildmoot.agents.python.attributes import unfound
from guildmoot.agents.python.modules import read_module


def test_looking_for_members_takes_time_in_proportion_to_who_asks(monkeypatch):
    steps = []
    children = ast.iter_child_nodes

    def counted(node):
        steps.append(node)
        return children(node)

    monkeypatch.setattr(ast, "iter_child_nodes", counted)

    def cost(many: int) -> int:
        members = "".join(f"    name_{at} = {at}\n" for at in range(many))
        asks = "".join(f"    Big.name_{at}()\n" for at in range(many))
        text = f"class Big:\n{members}\n\ndef use():\n{asks}"
        module = read_module("a.py", text)
        reads = {"a.py": module}.get
        steps.clear()
        assert module is not None
        assert list(unfound(module, text, lambda first, last: reads, reads)) == []
        return len(steps)

    assert cost(400) < 6 * cost(100)
