"""Sound code that a grammar does not know yet, and the same with something broken in it."""

import pytest

from guildmoot.agents.parsing.pieces import newly_refused
from guildmoot.agents.parsing.syntax import parse

SOUND = {
    "a.css": (
        "@media (width >= 40em) and (height < 3em) { b { margin: 0; } }\n",
        "@media (10em <= width <= 40em) { b { margin: 0; } }\n",
        "@container card (width > 20em) { .x { inset: 0; } }\n",
        "@container (min-width: 20em) { .x { inset: 0; } }\n",
    ),
    "a.kt": ("class P {\n  companion object { const val MAX = 3 }\n}\n",),
    "a.sql": (
        "INSERT INTO y (id, n) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET n = excluded.n;\n",
        "INSERT INTO y (id) VALUES (1) ON CONFLICT DO NOTHING RETURNING id;\n",
    ),
    "a.c": (
        "static PURE_FUNCTION int\ng (int a)\n{\n  return a;\n}\n",
        "API_EXPORT int API_CALL g (int a)\n{\n  return a;\n}\n",
        "void f(void) {\n    list_for_each_entry(pos, head, member) {\n        use(pos);\n    }\n}\n",
        "void f(void) {\n    list_for_each_entry(pos, &head, struct a, list)\n        use(pos);\n}\n",
        "int f(void) {\n    return first(&all, struct a, list)->x;\n}\n",
        "enum kind {\n    KINDS(X)\n    MORE(X) OTHER(A, 1), LAST = SHIFT(2),\n};\n",
        "typedef struct PACKED a {\n    int x;\n} a;\nstruct ALIGNED(8) b {\n    int x;\n};\n",
        "typedef MADE_OF(a) {\n    int x;\n} a_t;\n",
        "void f (void *h, MAYBE_UNUSED uint8_t n);\nint g (MAYBE_UNUSED const char *a) { return 1; }\n",
    ),
    "a.h": (
        (
            "class A : public B {\n    Q_OBJECT\n    Q_PROPERTY(int n\n               READ n)\npublic:\n    int n() const;\n"
            "signals:\n    void done();\npublic slots:\n    void go();\n};\n"
        ),
        "class A {\n    using P = decltype(c.operator->());\n    int n() const LIFETIME_BOUND {\n        return 1;\n    }\n};\n",
    ),
    "a.cpp": (
        "template APP_EXPORT(PART) Part Slider(Option<int>);\ntemplate APP_EXPORT Part Slider(Option<long>);\n",
        "template struct a::Box<std::pair<int, b>>;\nvoid f() { return; }\n",
        "extern template class APP_EXPORT(PART) Box<int>;\nvoid f() { return; }\n",
        "template <typename T, std::enable_if_t<A<T>>* = nullptr>\nint f(T a) { return 1; }\n",
        'TEST_CASE("x", "[y]") {\n    REQUIRE(1 == 1);\n}\nTEST_CASE("a (b", "[c]")\n{\n  SECTION("d") { CHECK(f(1)); }\n}\n',
        'namespace a {\n  TEMPLATE_TEST_CASE("x", "[y]",\n      int, (std::pair<int, long>)) {\n    REQUIRE(1);\n  }\n}\n',
        "template <class... Ts> struct Over : Ts... {\n  using Ts::operator()...;\n};\nint f() { return 1; }\n",
        "#if A\nint f() {\n#else\nlong f() {\n#endif\n  P p = P{ .a{}, .b{ 1, 2 } };\n  return g({ .c{ 3 } });\n}\n",
    ),
    "a.cs": (
        (
            "public static class E\n{\n    extension(char)\n    {\n        public static bool IsOne(char c) => c == '1';\n"
            "    }\n\n    extension<T>(IList<T> all) where T : class\n    {\n        public bool None => all.Count == 0;\n    }\n}\n"
        ),
        "class A {\n  int F(object o) {\n    switch (o) { case [1, .. var rest]: return 0; case [_, ..] when true: return 1; default: return 2; }\n  }\n}\n",
        "class A {\n  int F(int[] o) => o switch { [1, .. var r] => 1, [.. int[] q, 3] => q[0], [{ X: > 2 }, []] or [..] => 3, _ => 0 };\n}\n",
        "class A {\n  bool F(int[] o) => o is not [.., > 3 and < 5, [1, _] x];\n}\n",
        "class A<T> where T : allows ref struct\n{\n  void F() { a?.b = 3; a?.b[1] += nameof(List<>); int async = 1; G(async); }\n}\n",
        "static class E\n{\n#if A\n    extension([NotNull] string? text) {\n        public int Size() { return 1; }\n    }\n#endif\n}\n",
    ),
    "a.ts": (
        "class B<in out T, out U extends (string)> { x!: T }\ninterface Q<in T = {}> { f(x: T): void }\n",
    ),
    "a.ps1": ("if ($a) { Get-Thing -Name One, Two -Fast }\n",),
    "a.html": ('<p class="{{ a|default("x") }}" {% if b %}hidden{% endif %}>{{ c }}</p>\n',),
}
LANGUAGES = {
    "a.css": "CSS",
    "a.kt": "Kotlin",
    "a.sql": "SQL",
    "a.c": "C",
    "a.h": "C",
    "a.ps1": "PowerShell",
    "a.cpp": "C++",
    "a.cs": "C#",
    "a.ts": "TypeScript",
    "a.html": "HTML",
}
ROWS = [(path, text) for path, texts in SOUND.items() for text in texts]


@pytest.mark.parametrize(("path", "text"), ROWS)
def test_what_the_grammar_does_not_know_is_read_in_another_form(path, text):
    assert parse(LANGUAGES[path], path, text.encode()).fault is None


@pytest.mark.parametrize(("path", "text"), [row for row in ROWS if row[0] != "a.html"])
def test_a_bracket_that_is_lost_there_is_still_seen(path, text):
    at = max(text.rfind(sign) for sign in ")}")
    broken = text[:at] + text[at + 1 :]
    assert parse(LANGUAGES[path], path, broken.encode()).fault is not None


def test_a_blank_line_in_a_namespace_parts_nothing():
    macro = "#if __has_include(<optional>)\n#endif\n"  # no grammar takes it, so pieces are read
    before = f"{macro}\nnamespace {{\nint a = 1;\nint b = 2;\n}}\n"
    after = f"{macro}\nnamespace {{\nint a = 1;\n\nint b = 3;\n}}\n"
    assert newly_refused("C++", "a.hpp", before, after) is None


def test_a_piece_that_lost_its_brace_is_refused():
    macro = "#if __has_include(<optional>)\n#endif\n"
    before = f"{macro}\nint f() {{\n  return 1;\n}}\n\nint g() {{\n  return 2;\n}}\n"
    fault = newly_refused("C++", "a.hpp", before, before.replace("1;\n}\n", "1;\n"))
    assert fault is not None
