"""Names of C and C++ that are no longer included, and calls that do not fit what headers say."""

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

FILES = {
    "include/pump.h": """#ifndef PUMP_H
#define PUMP_H
#ifdef __cplusplus
extern "C" {
#endif
#include "flow.h"
#define PUMP_MOST 4
PUMP_API int pump_open(int port, const char *name);
int pump_log(const char *form, ...);
#ifdef __cplusplus
}
#endif
#endif
""",
    "include/flow.h": "typedef struct flow flow_t;\nenum { FLOW_IN, FLOW_OUT };\nint flow_read(flow_t *flow);\n",
    "src/pump.c": '#include "pump.h"\n\nint pump_open(int port, const char *name)\n{\n    return port;\n}\n',
    "src/main.c": """#include <stdlib.h>
#include <string.h>
#include "pump.h"

int main(void)
{
    char *held = malloc(8);
    memset(held, 0, 8);
    if (pump_open(PUMP_MOST, held) < 0)
        pump_log("a", 1, 2);
    return flow_read((flow_t *)held) + FLOW_OUT;
}
""",
    "store.h": "namespace store {\nclass Table { int a; };\nint Count(const Table& table);\n}\n",
    "disk.cc": '#include <string>\n#include <cstdio>\n#include <fcntl.h>\nint f() { return std::puts("") + open("", 0); }\n',
    "user.cc": '#include "store.h"\nint use(const store::Table& table) { return store::Count(table); }\n',
}


def _told(path: str, old: str, new: str, more: dict[str, str] | None = None) -> list[str]:
    files = FILES | (more or {})
    assert old in files[path]
    change = ChangedCode(
        {path: files[path]},
        {path: files[path].replace(old, new, 1)},
        lambda name: files.get(name, ""),
        lambda word: [name for name, held in files.items() if word in held],
        files=lambda: files,
    )
    return [f"{each.path}:{each.line} {each.message}" for each in lost_names(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        ("src/main.c", "#include <string.h>\n", "", "src/main.c:7 `memset` was reached"),
        ("src/main.c", "#include <stdlib.h>\n", "", "src/main.c:6 `malloc` was reached"),
        ("src/main.c", '#include "pump.h"\n', "", "src/main.c:8 `PUMP_MOST` was reached"),
        ("include/pump.h", '#include "flow.h"\n', "", "src/main.c:11 `FLOW_OUT` was reached"),
        ("include/pump.h", "pump_open", "pump_start", "src/main.c:9 `pump_open` is gone from"),
        ("include/flow.h", "int flow_read(flow_t *flow);\n", "", "src/main.c:11 `flow_read` is gone"),
        ("include/flow.h", " flow_t;", " stream_t;", "src/main.c:11 `flow_t` is gone"),
        ("disk.cc", "#include <fcntl.h>\n", "", "disk.cc:3 `open` was reached"),
        ("user.cc", '#include "store.h"\n', "", "user.cc:1 `Count` was reached"),
        ("store.h", "Count(", "Number(", "user.cc:2 `Count` is gone"),
        ("src/main.c", "(PUMP_MOST, held)", "(held)", "src/main.c:9 `pump_open` is given 1 arguments"),
        ("src/main.c", ", held) <", ", held, 1) <", "src/main.c:9 `pump_open` is given 3 arguments"),
    ],
)  # fmt: skip
def test_what_is_out_of_reach_or_does_not_fit_is_told(path, old, new, told):
    assert any(each.startswith(told) for each in _told(path, old, new))


MAIN = FILES["src/main.c"]


@pytest.mark.parametrize(
    ("path", "old", "new", "more"),
    [
        # another include gives it, or may do so
        ("src/main.c", "#include <string.h>\n", "", {"include/flow.h": "#include <string.h>\n" + FILES["include/flow.h"]}),
        ("src/main.c", "#include <string.h>\n", "", {"include/flow.h": "#include <glib.h>\n" + FILES["include/flow.h"]}),
        ("src/main.c", '#include "pump.h"\n', '#include <pump/all.h>\n', {}),
        ("src/main.c", '#include "pump.h"\n', "", {"include/flow.h": '#include "pump.h"\n', "src/main.c": '#include "flow.h"\n' + MAIN}),
        ("include/pump.h", '#include "flow.h"\n', "", {"src/main.c": '#include "flow.h"\n' + MAIN}),
        ("disk.cc", "#include <cstdio>\n", "", {}),
        # a build, a macro or the file itself gives it
        ("include/pump.h", "#define PUMP_MOST 4\n", "", {"src/other.c": "#ifndef PUMP_MOST\n#endif\n"}),
        ("include/flow.h", "int flow_read(flow_t *flow);\n", "#define MADE(name) int flow_##name(flow_t *)\nMADE(read);\n", {}),
        ("include/flow.h", "enum { FLOW_IN, FLOW_OUT };\n", "#define ALL(X) X(FLOW_IN) X(FLOW_OUT)\n", {}),
        ("include/flow.h", "int flow_read(", "extern int\nflow_read(", {}),
        ("include/flow.h", "int flow_read(flow_t *flow);\n", "", {"src/main.c": MAIN.replace("int main", "int flow_read(flow_t *f);\nint main")}),
        # uses that only some builds have
        ("src/main.c", "#include <string.h>\n", "", {"src/main.c": MAIN.replace("    memset(held, 0, 8);", "#ifdef DEBUG\n    memset(held, 0, 8);\n#endif")}),
        # arguments
        ("src/main.c", '"a", 1, 2', '"a"', {}),
        ("src/main.c", "(PUMP_MOST, held)", "(held)", {"include/more.h": "#define pump_open(name) (pump_open)(1, name)\n"}),
        ("src/main.c", "(PUMP_MOST, held)", "(held)", {"src/old.c": "int pump_open(const char *name);\n"}),
        ("src/main.c", "(PUMP_MOST, held)", "(PUMP_ARGS)", {}),
        ("src/main.c", "int main(void)\n{\n", "int main(void)\n{\n    int (*pump_open)(int) = 0; pump_open(1);\n", {}),
    ],
)  # fmt: skip
def test_what_something_else_may_give_is_left_alone(path, old, new, more):
    assert _told(path, old, new, more) == []


def test_a_header_of_cpp_is_not_read_by_the_scopes_of_c():
    header = "class Scan {\n  bool Load(std::vector<int>* from,\n            bool& dirty);\n};\n"
    assert _told("a.h", "bool& dirty", "bool& late, bool& dirty", {"a.h": header}) == []
