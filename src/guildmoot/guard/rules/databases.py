"""Rules for databases: the SQL in a command, and tools that drop or reset one."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import has_marks, literal, names
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, absolute, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from guildmoot.guard.decision import Decision

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_TEXT_OPTIONS = {
    "psql": ("-c", "--command"), "mysql": ("-e", "--execute"), "mariadb": ("-e", "--execute"), "sqlcmd": ("-Q", "-q", "query"),
    "clickhouse-client": ("-q", "--query"), "cqlsh": ("-e", "--execute"), "duckdb": ("-c", "-cmd"), "cockroach": ("-e",),
    "mongosh": ("--eval",), "mongo": ("--eval",), "snowsql": ("-q",), "usql": ("-c",), "pgcli": (), "litecli": (),
}  # fmt: skip


def sql(run: Invocation, site: Site) -> Iterator[Decision]:
    """A database client with statements as an option, a word or standard input."""
    words = run.words[1:]
    options = _TEXT_OPTIONS.get(run.name, ())
    texts = [words[at + 1] for at, word in enumerate(words[:-1]) if word in options]
    clusters = [
        at for at, word in enumerate(words[:-1]) if word[:1] == "-" != word[1:2] and len(word) > 2
    ]
    texts += [words[at + 1] for at in clusters if f"-{words[at][-1]}" in options]
    texts += [word.partition("=")[2] for word in words if word.partition("=")[0] in options]
    texts += [
        word[2:] for word in words if word[:2] in options and len(word) > 2 and word[1] != "-"
    ]
    if run.name in ("sqlite3", "duckdb"):
        found = Arguments(words, ("-cmd", "-separator", "-init")).operands
        if found[:1] == [":memory:"] or (found and kind_of(found[0], run.cwd, site) == "temporary"):
            return
        texts += found[1:]
    if run.stdin:
        texts.append(run.stdin)
    if on_trial(word for word in words if word[:1] != "-" and word not in texts):
        return
    for text in texts:
        code = dangerous_sql(literal(text)) or _mongo(text)
        if code:
            yield ruling(code)
    yield from _from_files(run, texts, site)


_FILE_OPTIONS = names("-f --file -i --input-file --queries-file -init")
_READS = ("\\i ", "\\ir ", ".read ", "source ", "SOURCE ", "\\. ", "@")
_OWN_COPY = names("dev development local sandbox")


def _from_files(run: Invocation, texts: list[str], site: Site) -> Iterator[Decision]:
    """Statements in a file: what would be denied is asked, since a file is written to be run."""
    words = run.words[1:]
    files = [words[at + 1] for at, word in enumerate(words[:-1]) if word in _FILE_OPTIONS]
    files += [word.partition("=")[2] for word in words if word.partition("=")[0] in _FILE_OPTIONS]
    files += [
        text[len(mark) :].strip() for text in texts for mark in _READS if text[:7].startswith(mark)
    ]
    files += run.inputs
    if run.feeds and run.feeds[-1].name == "cat":
        files += run.feeds[-1].words[1:]
    if run.name in ("mongosh", "mongo"):
        files += [word for word in words if word.endswith((".js", ".mongodb"))]
    named = {part for word in words if word not in files for part in _parts(word)}
    if named & _OWN_COPY and not named & _REAL:
        return
    for path in files:
        text = "" if has_marks(path) else site.read(absolute(path, run.cwd))
        if text and (dangerous_sql(text) or _mongo(text)):
            found = ruling("database", path)
            found.action = "ask"
            yield found


_TRIAL = names("test tests testing tmp temp unittest e2e ci")
_REAL = names("prod production live staging master")


def on_trial(words: Iterable[str]) -> bool:
    """Whether one of the names says that it is for tests alone, and none that it is not."""
    parts = {part for word in words for part in _parts(word)}
    return bool(parts & _TRIAL) and not parts & _REAL


def _parts(word: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in word.lower()).split()


ALL_ROWS = (
    *(".delete_all", ".destroy_all", ".objects.all().delete()", "::truncate()", "->truncate()"),
    *("Repo.delete_all", ".deleteMany()", ".deleteMany({})", ".dropDatabase(", ".dropSchema("),
    *(".drop_all(", ".drop_database(", ".drop_collection(", ".flushall(", ".flushdb("),
)
"""How object mappers remove every row."""
_DROPS = names("DATABASE SCHEMA TABLE COLLECTION KEYSPACE USER ROLE TABLESPACE")


_KINDS = names("TEMPORARY MATERIALIZED FOREIGN EXTERNAL UNLOGGED PUBLIC VIRTUAL")


def dangerous_sql(text: str) -> str:
    """The code of a ruling when the statements destroy data; strings and comments do not count."""
    if not any(word in text.upper() for word in ("DROP", "TRUNCATE", "DELETE", "UPDATE")):
        return ""
    for statement in _statements(text):
        words = statement.upper().replace("(", " ").split()
        kind = words[2:3] if words[1:2] and words[1] in _KINDS else words[1:2]
        if words[:1] == ["DROP"] and _DROPS & {*kind} and not on_trial(words[2:6]):
            return "database"
        if words[:1] == ["TRUNCATE"] or (
            words[:2] == ["ALTER", "TABLE"]
            and "DROP" in words
            and "CONSTRAINT" not in words
            and "NOT" not in words
            and "DEFAULT" not in words
        ):
            return "database"
        if words[:2] == ["DELETE", "FROM"] and ("WHERE" not in words or _always(words)):
            return "database"
        if words[:1] == ["UPDATE"] and "SET" in words and ("WHERE" not in words or _always(words)):
            return "database"
        if (
            words[:1] in (["WITH"], ["EXPLAIN"], ["BEGIN"])
            and "DELETE" in words
            and "WHERE" not in words
        ):
            return "database"
    return ""


def _always(words: list[str]) -> bool:
    condition = "".join(words[words.index("WHERE") + 1 :])
    return condition in ("1=1", "TRUE", "1", "'1'='1'")


def _statements(text: str) -> Iterator[str]:
    """Statements without strings and comments."""
    out: list[str] = []
    quote = ""
    at = 0
    while at < len(text):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`" and char == "'":
            quote = char
        elif text.startswith("--", at) or char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif char == ";":
            yield "".join(out)
            out = []
        else:
            out.append(char)
        at += 1
    yield "".join(out)


def _mongo(text: str) -> str:
    found = any(
        call in text
        for call in (
            ".dropDatabase(",
            ".drop(",
            ".deleteMany({})",
            ".remove({})",
            "deleteMany( {} )",
        )
    )
    return "database" if found else ""


_REDIS_SERVER = names("SHUTDOWN SLAVEOF REPLICAOF SWAPDB FAILOVER DEBUG")


def redis(run: Invocation, _site: Site) -> Iterator[Decision]:
    """redis-cli FLUSHALL; a setting of the server is asked about."""
    words = [word.upper() for word in (*run.words[1:], *(run.stdin or "").split())]
    many = any(has_marks(word) for word in words) and {"DEL", "UNLINK"} & {*words}
    if many or {"FLUSHALL", "FLUSHDB"} & {*words} or ("CONFIG" in words and "DIR" in words):
        yield ruling("database")
    elif ("CONFIG" in words and "SET" in words) or _REDIS_SERVER & {*words}:
        yield ruling("destroys", run.name)


def drop(run: Invocation, _site: Site) -> Iterator[Decision]:
    """dropdb, dropuser, mysqladmin drop."""
    operands = Arguments(
        run.words[1:], ("-h", "-U", "-p", "-u", "--host", "--user", "--port")
    ).operands
    if run.name == "mysqladmin" and "drop" not in operands:
        return
    if not on_trial(run.words[1:]):
        yield ruling("database")


_RESETS: dict[str, tuple[str, ...]] = {
    # two words that together lose data, and for some an option
    "prisma": ("migrate reset", "db push --force-reset", "db push --accept-data-loss"),
    "rails": ("db:drop", "db:reset", "db:migrate:reset", "db:schema:load", "db:setup", "db:truncate_all"),
    "rake": ("db:drop", "db:reset", "db:migrate:reset", "db:schema:load", "db:truncate_all"), "flask": ("downgrade base",),
    "artisan": ("migrate:fresh", "migrate:refresh", "migrate:reset", "db:wipe"),
    "manage.py": ("flush", "reset_db", "sqlflush", "migrate zero"), "django-admin": ("flush",),
    "alembic": ("downgrade base",), "flyway": ("clean",), "liquibase": ("drop-all", "dropAll"),
    "knex": ("migrate:rollback --all",), "sequelize": ("db:drop", "db:migrate:undo:all"),
    "sequelize-cli": ("db:drop", "db:migrate:undo:all"), "typeorm": ("schema:drop",), "drizzle-kit": ("push --force", "drop"),
    "mix": ("ecto.drop", "ecto.reset"), "dbmate": ("drop",), "diesel": ("database reset", "database drop"),
    "sqlx": ("database drop", "database reset"), "migrate": ("drop",), "supabase": ("db reset",), "medusa": ("db:drop",),
    "doctrine": ("doctrine:database:drop", "doctrine:schema:drop"), "console": ("doctrine:database:drop", "doctrine:schema:drop"),
    "mikro-orm": ("schema:drop", "schema:fresh"), "goose": ("reset", "down-to"), "hasura": ("database drop",),
    **dict.fromkeys(("gradle", "gradlew", "mvn", "mvnw"), ("flywayClean", "flyway:clean", "liquibase:dropAll", "dropAll")),
    "convex": ("data clear", "import --replace-all", "import --replace"), "edgedb": ("database drop",), "nest": (),
}  # fmt: skip


def reset(run: Invocation, _site: Site) -> Iterator[Decision]:
    """Migration tools."""
    yield from reset_words(run.name, run.words[1:], dict(run.assigns))
    if any(call in word for word in run.words[2:] for call in ALL_ROWS):
        yield ruling("database")


def reset_words(tool: str, words: list[str], assigns: dict[str, str]) -> Iterator[Decision]:
    """The same for a tool that an interpreter or a package runner starts."""
    given = [value for key, value in assigns.items() if key.endswith(("_ENV", "DATABASE_URL"))]
    text = [word.partition("=")[0] if word.startswith("--") else word for word in words]
    for known in _RESETS.get(tool, ()):
        wanted = known.split()
        if all(_given(word, text) for word in wanted) and not {"--dry-run", "--help"} & {*text}:
            if not on_trial((*given, *words)):
                yield ruling("database-reset")
            return


def _given(wanted: str, text: list[str]) -> bool:
    """``db:drop`` is also what ``db:drop:all`` says."""
    return any(word == wanted or word.startswith(f"{wanted}:") for word in text)


def by_interpreter(run: Invocation, _site: Site) -> Iterator[Decision]:
    """``python manage.py flush``, ``php artisan migrate:fresh``, ``npx prisma migrate reset``."""
    for at, word in enumerate(run.words[1:4], 1):
        tool = word.rpartition("/")[2]
        if tool in _RESETS:
            yield from reset_words(tool, run.words[at + 1 :], dict(run.assigns))


CLIENTS = frozenset((*_TEXT_OPTIONS, "sqlite3", "sqlite"))
RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(CLIENTS, (sql,)), "redis-cli": (redis,), "valkey-cli": (redis,),
    **dict.fromkeys(names("dropdb dropuser mysqladmin"), (drop,)), **dict.fromkeys(_RESETS, (reset,)),
    **dict.fromkeys(names("python python3 php node npx bunx npm pnpm yarn bun bundle"), (by_interpreter,)),
}  # fmt: skip
