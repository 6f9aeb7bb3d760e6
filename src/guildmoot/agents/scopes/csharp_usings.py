"""Directives of C# that are gone while the file still needs what they gave. Pure.

Types and extension methods of the repository's own namespaces, and those types of the language that everybody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.scopes.csharp_types import seen, shared, types_of, usings
from guildmoot.agents.scopes.names import has_word
from guildmoot.agents.scopes.read import scoped_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MESSAGE = "`{}` is used here, and `using {};` is gone"
_GIVES = {
    name: frozenset(words.split())
    for name, words in {
        "System.Collections.Generic": """List Dictionary HashSet IEnumerable IEnumerator IList IDictionary ICollection
            IReadOnlyList IReadOnlyDictionary IReadOnlyCollection KeyValuePair Queue Stack LinkedList SortedDictionary
            SortedList SortedSet ISet IComparer IEqualityComparer EqualityComparer Comparer KeyNotFoundException
            IAsyncEnumerable IAsyncEnumerator""",
        "System.Text": "StringBuilder Encoding UTF8Encoding ASCIIEncoding UnicodeEncoding Encoder Decoder",
        "System.Text.RegularExpressions": """Regex RegexOptions MatchCollection MatchEvaluator
            RegexMatchTimeoutException GroupCollection""",
        "System.IO": """FileStream StreamReader StreamWriter MemoryStream StringReader StringWriter
            TextReader TextWriter FileMode FileAccess FileShare FileInfo DirectoryInfo IOException FileNotFoundException
            BinaryReader BinaryWriter Stream SeekOrigin EndOfStreamException DirectoryNotFoundException""",
        "System.Threading": """CancellationToken CancellationTokenSource Interlocked SemaphoreSlim ManualResetEvent
            ManualResetEventSlim AutoResetEvent ReaderWriterLockSlim AsyncLocal ThreadLocal Volatile""",
        "System.Threading.Tasks": "Task ValueTask TaskCompletionSource TaskScheduler TaskFactory",
        "System.Reflection": """PropertyInfo MethodInfo FieldInfo ConstructorInfo ParameterInfo BindingFlags MemberInfo
            TargetInvocationException AssemblyName""",
        "System.Globalization": "CultureInfo NumberStyles DateTimeStyles NumberFormatInfo CompareOptions",
        "System.Diagnostics": "Stopwatch ProcessStartInfo FileVersionInfo StackTrace StackFrame",
        "System.Collections.Concurrent": """ConcurrentDictionary ConcurrentQueue ConcurrentBag ConcurrentStack
            BlockingCollection""",
        "System.Net.Http": "HttpClient HttpRequestMessage HttpResponseMessage HttpMethod HttpClientHandler HttpContent",
        "System.Runtime.CompilerServices": "MethodImplOptions CallerMemberName ConditionalWeakTable",
        "System.Linq.Expressions": "LambdaExpression MemberExpression ParameterExpression BinaryExpression",
        "System": """ArgumentNullException ArgumentException InvalidOperationException NotSupportedException
            NotImplementedException IDisposable DateTimeOffset TimeSpan StringComparison StringComparer EventHandler
            IFormatProvider Func FormatException Guid""",
    }.items()
}
"""Types that stand in one namespace of the language, by names that few others give to theirs."""
_LINQ_WORDS = (
    "FirstOrDefault OrderBy OrderByDescending SelectMany ToDictionary SingleOrDefault ThenBy ToList"
)
_LINQ = frozenset(_LINQ_WORDS.split())
_MOST_NAMES = 80
_EXTENDS = r"\bstatic\b[^;{{}}=\n]*\b({0})\s*(?:<[^>()]*>)?\s*\(\s*(?:\[[^\]]*\]\s*)?this\s"
_METHOD = r"[\w>\]?]\s+{0}\s*(?:<[^>()]*>)?\s*\("


def lost_usings(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """One name for each directive."""
    then, now = text_of(before), text_of(after)
    gone, new = usings(then) - usings(now), usings(now) - usings(then)
    if not gone or any(not each.startswith("System") and not _own(each, around) for each in new):
        return  # what is new from afar may give the same
    every = around.holders(("ImplicitUsings", "Using"))
    projects = [*every["ImplicitUsings"], *every["Using"]]
    visible = seen(now) | shared(around.paths, around.text, projects)
    lost = {use.name: use.line for use in reversed(scoped_names("C#", after).lost)}
    asked = dict(_asked(after))
    for each in sorted(gone - visible):
        found = _types(each, lost, visible, around) or _extensions(each, asked, visible, around)
        if found:
            yield found[0], found[1], _MESSAGE.format(found[0], each)


def _own(namespace: str, around: Around) -> bool:
    """Whether a file of the repository declares the namespace."""
    return bool(_files_of(namespace, around))


def _files_of(namespace: str, around: Around) -> list[str]:
    paths = around.paths(namespace.rpartition(".")[2])
    declares = re.compile(rf"\bnamespace\s+{re.escape(namespace)}\b(?!\.)")
    return [path for path in paths if path.endswith(".cs") and declares.search(around.text(path))]


def _types(
    namespace: str, names: dict[str, int], visible: frozenset[str], around: Around
) -> tuple[str, int] | None:
    """A type of the namespace that the file names, and no other namespace gives it."""
    known = _GIVES.get(namespace)
    own = known is None and _own(namespace, around)
    for name, line in list(names.items())[:_MOST_NAMES] if known or own else ():
        if known is not None and name not in known:
            continue
        homes = {
            each.namespace
            for path in around.paths(name)
            if path.endswith(".cs") and has_word(around.text(path), f"{name}")
            for each in types_of(around.text(path))
            if each.name == name
        }
        if (known or namespace in homes) and not homes & visible:
            return name, line
    return None


def _extensions(
    namespace: str, names: dict[str, int], visible: frozenset[str], around: Around
) -> tuple[str, int] | None:
    """A method that only the namespace gives to what has it not."""
    if namespace == "System.Linq":
        homes = {name: around.held(name) for name in names.keys() & _LINQ}
        free = [
            n for n, held in homes.items() if not any(re.search(_METHOD.format(n), t) for t in held)
        ]
        return (free[0], names[free[0]]) if free else None
    files = _files_of(namespace, around)
    words = "|".join(map(re.escape, names))
    for path in files if words else ():
        for found in re.finditer(_EXTENDS.format(words), around.text(path)):
            name = found[1]
            others = [other for other in around.paths(name) if other not in files]
            made = re.compile(_METHOD.format(name))
            if not any(made.search(around.text(other)) for other in others):
                return name, names[name]
    return None


def _asked(root: Node) -> Iterator[tuple[str, int]]:
    """Members that are called, the first line of each."""
    told = set[str]()
    for node in walk(root):
        called = (
            node.child_by_field_name("function") if node.type == "invocation_expression" else None
        )
        name = called.child_by_field_name("name") if called is not None else None
        if name is not None and (word := text_of(name).partition("<")[0]) not in told:
            told.add(word)
            yield word, line_of(name)
