"""Members of types of C and C++ that a change takes away, or asks for in vain."""

import pytest

from guildmoot.agents.members.typed.losses import missing_members
from guildmoot.agents.parsing.changed_code import ChangedCode

FILES = {
    "src/link.h": "typedef struct link link_t;\nlink_t *link_new(void);\n",
    "src/private.h": """#include "link.h"
struct backend { int (*send)(link_t *link); unsigned retries : 4; };
struct link {
    int debug;
    struct backend *backend;
    struct { int seconds; } wait;
};
""",
    "src/link.c": """#include "private.h"
int link_send(link_t *link, struct link all[])
{
    struct backend local = { .retries = 2 };
    if (link->debug && ((struct link *)link)->wait.seconds)
        return all[1].backend->send(link) + local.retries;
    return 0;
}
""",
    "store.h": """namespace store {
class STORE_EXPORT Base { public: int size() const; };
class Table : public Base { public: Table() : Base(), inner_(0) {} int find(int key); Base* inner_; };
template <class T> class Box { public: T* operator->(); };
}
""",
    "store.cc": """#include "store.h"
namespace store {
int Table::find(int key) { return inner_->size() + this->size(); }
int use(Table* table, Box<Table>& box, Table& other) { return table->find(1) + box->size() + other.size(); }
}
""",
}


def _told(path: str, old: str, new: str, more: dict[str, str] | None = None) -> list[str]:
    files = FILES | (more or {})
    assert old in files[path]
    change = ChangedCode(
        {path: files[path]},
        {path: files[path].replace(old, new, 1)},
        lambda name: files.get(name, ""),
        lambda word: [name for name, held in files.items() if word in held],
    )
    return [f"{each.path}:{each.line} {each.owner}.{each.name}" for each in missing_members(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        ("src/private.h", "int debug;", "int verbose;", "src/link.c:5 link_t.debug"),
        ("src/private.h", "retries :", "tries :", "src/link.c:6 struct backend.retries"),
        ("src/link.c", "link->debug", "link->debgu", "src/link.c:5 link_t.debgu"),
        ("src/link.c", "backend->send", "backend->snd", "src/link.c:6 struct backend.snd"),
        ("src/link.c", ")link)->wait", ")link)->wiat", "src/link.c:5 struct link.wiat"),
        ("store.h", "int find(", "int search(", "store.cc:4 Table.find"),
        ("store.h", "int size()", "int length()", "store.cc:4 Table.size"),
        ("store.h", "Base* inner_;", "Base* held_;", "store.h:3 struct Table.inner_"),
        ("store.cc", "other.size", "other.sizes", "store.cc:4 Table.sizes"),
        (
            "store.cc",
            "namespace store {\n",
            "using store::Table;\nint f(Table& t) { return t.any; }\nnamespace store {\n",
            "store.cc:3 Table.any",
        ),
    ],
)
def test_a_member_that_no_struct_or_class_has_is_told(path, old, new, told):
    assert _told(path, old, new)[:1] == [told]


@pytest.mark.parametrize(
    ("path", "old", "new", "more"),
    [
        ("src/link.c", "link->debug", "link->more", {"src/private.h": FILES["src/private.h"].replace("int debug;", "LINK_FIELDS\n    int debug;")}),
        ("src/link.c", "link->debug", "link->more", {"src/private.h": "#define more wait.seconds\n" + FILES["src/private.h"]}),
        ("src/link.c", "link->debug", "link->more", {"src/private.h": "#ifdef A\nstruct link { int more; };\n#else\n" + FILES["src/private.h"] + "#endif\n"}),
        ("src/link.c", "link->debug", "link->more", {"src/private.h": '#include "link.h"\nstruct backend;\n'}),
        ("src/link.c", "    struct backend local", "    struct stat now; now.any = 1;\n    struct backend local", {"src/compat.h": "struct stat { int other; };\n"}),
        ("src/link.c", "if (link->debug", "LINK(link, any); if (GET(link)->debug", {}),
        ("store.cc", "box->size", "box->any", {}),
        ("store.h", "int find(int key);", "int find(int key); int found();", {}),
        ("store.h", "class Table : public Base", "class Table : public other::Base", {}),
        ("store.h", "int find(", "using other = Base; using other::any; int find(", {"o.h": "struct other { int x; };\n"}),
        ("store.h", "int find(", "typedef far::X other; int g(other& o) { return o.any; } int find(", {"o.h": "struct other { int x; };\n"}),
        ("store.cc", "other.size", "other.sizes", {"again.h": "struct Table { int other; };\n"}),
        ("store.cc", "other.size", "other.sizes", {"again.h": "#define Table Other\n"}),
        ("store.cc", "other.size", "other.sizes", {"again.h": "namespace a {\nusing far::Table;\n}\n"}),
        ("store.cc", "other.size", "other.sizes", {"again.h": "namespace a::Table { int x; }\n"}),
        ("store.cc", "Table& other)", "Table& other, Row& row)", {"again.h": "class A { struct Row { int x; }; int f(Row row) { return row.y; } };\n"}),
    ],
)  # fmt: skip
def test_what_may_be_there_all_the_same_is_left_alone(path, old, new, more):
    assert _told(path, old, new, more) == []
