"""What every verb does with its result: one JSON document or rows, a verdict, report files, progress.

Standard output holds the result alone; progress and failures go to standard error.
"""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
import textwrap
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from guildmoot.cli.arguments import YES, Kind, add_options, many
from guildmoot.errors import (
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_USAGE,
    GuildmootError,
    InfrastructureError,
    Interrupted,
    UsageError,
)
from guildmoot.system.interrupts import interrupt_between_imports

if TYPE_CHECKING:
    from guildmoot.calls import Watch
    from guildmoot.calls.estimate import DryRun
    from guildmoot.calls.fanout import Event
    from guildmoot.model.council import CouncilReport
    from guildmoot.model.report import RunReport
    from guildmoot.reports.progress import Progress
    from guildmoot.runs.practice import Practice, Report, Reports

T = TypeVar("T")

_READING = "reading what is to be judged"
_signed = False
FORMATS = ("text", "concise", "github", "gitlab", "rdjson")


def emit(data: Mapping[str, object], rows: Iterable[str] = (), *, as_json: bool) -> int:
    """Print the data as one JSON document, or else the rows, of which none moves a terminal; exit code 0."""
    if as_json:
        from guildmoot.system.jsonio import dumps

        versioned = data if "schema_version" in data else {"schema_version": 1, **data}
        sys.stdout.write(dumps(versioned) + "\n")
    else:
        from guildmoot.text.clean import clean

        sys.stdout.writelines(f"{clean(row)}\n" for row in rows)
    return EXIT_OK


def add_output(parser: argparse.ArgumentParser, *more: tuple[str, str, Kind]) -> None:
    """The options of what comes out of a judging verb."""
    add_options(
        parser,
        ("--json", "print one JSON document, nothing else", YES),
        ("--format", "for editors and code hosts", {"choices": FORMATS, "default": "text"}),
        ("--report", "also write .md, .json, .sarif, .xml (JUnit) or .html", many("FILE", Path)),
        ("--fail-on", "advisories fail too, with 'warn'", {"choices": ("flagged", "warn")}),
        ("--all", "print every finding, however many", YES),
        ("--quiet -q", "no progress", YES),
        ("--progress", "tell progress with --json and --format, too", YES),
        *more,
        title="what comes out",
    )


def judge(
    options: argparse.Namespace,
    practice: Practice[Any],
    verb: Callable[[Watch], Coroutine[Any, Any, Report]],
) -> int:
    """Run a verb of a practice, print what it comes to, write the report files; its exit code."""
    interrupt_between_imports()
    from guildmoot.calls import run_foreground

    reports = practice.reports()
    form = getattr(options, "format", "text")
    if (options.report or form != "text") and not reports.render:
        raise UsageError(f"a run of the kind {practice.name} has no report files")
    _check_files(options.report, reports.formats)
    if form != "text" and options.json:
        raise UsageError("--json and --format were both given", "Choose one of them.")
    quiet = options.quiet or (
        (options.json or form != "text" or getattr(options, "hand_out", False))
        and not getattr(options, "progress", False)
    )
    with watch_run(quiet=quiet) as watch:
        heard = _Heard(watch)
        work = verb(heard.watch) if options.json else _meanwhile(verb(heard.watch), _load_report)
        report = run_foreground(work, partial(heard.leave, options))
    return _finish(report, reports, options)


async def _meanwhile(work: Coroutine[Any, Any, T], prepare: Callable[[], object]) -> T:
    """The result of the work, which has its own thread; this one gets ready to show it."""
    import asyncio

    task = asyncio.ensure_future(work)
    await asyncio.sleep(0)
    prepare()
    return await task


def _load_report() -> None:
    """What the report will need: loaded while git and the tools are waited for."""
    import guildmoot.backends.offers
    import guildmoot.reports.panel
    import guildmoot.reports.progress
    import guildmoot.reports.terminal  # noqa: F401


class _Heard:
    """How far a run got: where a stopped one has nothing to report, or all it needs is on record."""

    def __init__(self, watch: Watch) -> None:
        self.asked = False
        self._waited = set[str]()
        self._cancelled = False
        self._watch = watch
        self.watch = watch._replace(on_begin=self._begin, on_event=self._hear)

    def _begin(self, seats: Sequence[str], heading: str) -> None:
        self._waited = set(seats)
        self._watch.on_begin(seats, heading)

    def _hear(self, event: Event) -> None:
        self.asked = self.asked or event.kind == "started"
        if event.kind == "finished":
            self._waited.discard(event.seat)
            self._cancelled = self._cancelled or event.status == "cancelled"
        self._watch.on_event(event)

    def leave(self, options: argparse.Namespace) -> None:
        """End the program where nothing would be lost: whoever stops it does not wait for our work."""
        if not self.asked:
            _end_now(options, *_UNASKED)
        elif not self._waited and not self._cancelled:
            _end_now(options, *_UNDECIDED)


_UNASKED = (
    "stopped before anyone was asked: nothing was judged",
    "The same command begins anew; 'guild runs list' shows what is on record.",
)
_UNDECIDED = (
    "stopped when all had answered: there is no verdict",
    "'guild resume last' makes one of what they said, unless nothing is recorded here.",
)


def _end_now(options: argparse.Namespace, message: str, hint: str) -> None:
    from guildmoot.system.process import kill_all
    from guildmoot.system.scratch import remove_scratch

    kill_all()
    remove_scratch()
    _end_sign()
    explain("guild", ["", "--json"] if options.json else [""], Interrupted(message, hint))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(EXIT_INTERRUPTED)


def sign_of_life() -> None:
    """A first line within a blink, for there may be much to read; a terminal takes it back."""
    global _signed
    if _signed:
        return
    _signed = True
    interrupt_between_imports()
    sys.stderr.write(f"{_READING} ..." if sys.stderr.isatty() else f"{_READING}\n")
    sys.stderr.flush()


def _end_sign() -> None:
    if _signed and sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def show_dry_run(
    options: argparse.Namespace,
    practice: Practice[Any],
    work: Coroutine[Any, Any, DryRun | CouncilReport],
) -> int:
    """Print what a run would do, or the report of one that has nothing to do."""
    from guildmoot.calls import run_foreground
    from guildmoot.calls.estimate import DryRun

    _check_files(options.report, practice.reports().formats)
    found = run_foreground(work)
    if isinstance(found, DryRun):
        return emit(found.as_json(), [found.as_text()], as_json=options.json)
    return _finish(found, practice.reports(), options)


def _finish(report: Report, reports: Reports[Any], options: argparse.Namespace) -> int:
    form = getattr(options, "format", "text")
    if report.exit_code == EXIT_INTERRUPTED and report.run_id:
        from guildmoot.api.handed import waiting

        if handed := waiting(report.run_id):
            from guildmoot.cli.guild.places.collect import show_handed

            return show_handed(handed, options)
    try:
        if form == "text":
            show(report, reports, as_json=options.json, details=options.all)
        else:
            _show_lines(cast("RunReport | CouncilReport", report), form)
    finally:  # who stops reading the output still gets the files
        if reports.render:
            _write_files(options.report, partial(reports.render, report))
    return report.exit_code


def _show_lines(report: RunReport | CouncilReport, form: str) -> None:
    """The findings on standard output; the verdict and its reasons for people on standard error."""
    from guildmoot.reports import render_lines

    lines, said = render_lines(report, form)
    sys.stdout.write(lines)
    tell(said)


def show(report: Report, reports: Reports[Any], *, as_json: bool, details: bool) -> None:
    """A report on standard output, for people or for programs."""
    if as_json:
        from guildmoot.system.jsonio import write

        write(reports.to_json(report), sys.stdout.buffer)
    else:
        from guildmoot.system.git import project_root

        reports.show(report, project_root(Path.cwd()), details)


def _check_files(paths: Sequence[Path], formats: Collection[str]) -> None:
    """A report that could not be written is refused before anything is spent."""
    from guildmoot.system.files import refuse_links

    for path in paths:
        if path.suffix.lower() not in formats:
            known = ", ".join(formats)
            raise UsageError(f"--report {path}: the file's name must end in one of {known}")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"--report {path}: the folder {path.parent} does not exist")
        refuse_links(path)


def _write_files(paths: Sequence[Path], render: Callable[[str], str]) -> None:
    """Each file in the format that its suffix asks for."""
    from guildmoot.system.files import write_atomic

    for path in paths:
        try:
            write_atomic(path, render(path.suffix).encode())
            tell(f"wrote {path}")
        except OSError as error:
            raise InfrastructureError(
                f"the verdict stands, but {path} could not be written: {error.strerror}",
                "'guild runs show' has the run; nothing has to be judged again.",
            ) from error


@contextmanager
def watch_run(*, quiet: bool) -> Iterator[Watch]:
    """A watch that draws progress, anew for every round; a quiet one passes on notes alone."""
    from guildmoot.calls import Watch

    if quiet:
        yield Watch(on_note=tell)
        return
    progress: Progress | None = None
    begun = False
    with ExitStack() as stack:

        def on_begin(seats: Sequence[str], heading: str) -> None:
            from guildmoot.reports.console import AnsiText, Console
            from guildmoot.reports.progress import Progress

            nonlocal progress, begun
            stack.close()
            console = Console(sys.stderr)
            _end_sign()
            if not begun:
                tell_of_interrupts()
            begun = True
            if heading:
                console.print(AnsiText(heading, "bold"))
            progress = stack.enter_context(Progress(console))
            progress.begin(seats)

        def on_event(event: Event) -> None:
            if progress:
                progress.on_event(event)

        def on_note(text: str) -> None:
            stack.close()
            _end_sign()
            tell(text)

        try:
            yield Watch(on_begin, on_event, on_note)
        finally:
            if not begun:
                _end_sign()


def tell_of_interrupts() -> None:
    """What Ctrl-C will not do, where it was ignored when we were started."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        tell(f"Ctrl-C does not reach a command in the background; 'kill {os.getpid()}' stops it")


def tell(text: str) -> None:
    """A line for people, on standard error."""
    sys.stderr.write(f"{text}\n")


def shorten(line: str, width: int = 80) -> str:
    """A line that fits a narrow terminal."""
    return line if len(line) <= width else line[: width - 3].rstrip() + "..."


def explain(program: str, argv: list[str], error: Exception) -> int:
    """Print the error for people, or as JSON when ``--json`` was asked for; return the exit code."""
    if isinstance(error, GuildmootError):
        message, hint, code = error.message, error.hint, error.exit_code
    else:
        message, hint, code = (
            _describe_os(error) if isinstance(error, OSError) else _describe_bug(error)
        )
    if "--json" in argv:
        body = {"message": message, "hint": hint, "exit_code": code}
        with suppress(OSError):  # standard output may be what failed; the exit code still tells
            judged = argv[:1] in (["validate"], ["vibe"], ["council"])
            fields: dict[str, object] = {"result": "error"} if judged else {}
            if argv[0] == "work" and argv[1] in ("execute", "review", "verify"):
                from guildmoot.cli.guild.work.execute import failed_fields

                fields = failed_fields(argv[1], argv[2:], code, error)
            emit({**fields, "error": body}, as_json=True)
            sys.stdout.flush()
            return code
    from guildmoot.text.clean import clean

    message, hint = clean(message), clean(hint)
    sys.stderr.write(f"{f'{program} {argv[0]}'.rstrip()}: {message}\n")
    if hint and sys.stderr.isatty():  # in a log it stays one line, for whoever searches it
        hint = "\n  ".join(textwrap.wrap(hint, 78, break_on_hyphens=False))
    if hint:
        sys.stderr.write(f"  {hint}\n")
    return code


def _describe_os(error: OSError) -> tuple[str, str, int]:
    where = f": {os.fsdecode(error.filename)}" if error.filename else ""
    message = f"{error.strerror or error}{where}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            message,
            "Free some space and run it again; nothing was overwritten.",
            EXIT_INFRASTRUCTURE,
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return message, "Check who owns it and whether it may be written.", EXIT_INFRASTRUCTURE
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
        return message, "", EXIT_USAGE
    return message, "", EXIT_INFRASTRUCTURE


def _describe_bug(error: Exception) -> tuple[str, str, int]:
    """An error nobody foresaw is ours: say so, and keep the trace for whoever mends it."""
    import traceback

    if type(error).__name__ == "GitError":  # by name: git is not loaded for the sake of a message
        return f"git failed: {error}", "See whether `git status` works here.", EXIT_INFRASTRUCTURE
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}:{last.lineno}"
    message = f"internal error: {type(error).__name__}: {error} (at {place})"
    if os.environ.get("GUILD_DEBUG"):
        traceback.print_exception(error)
    return (
        message,
        "This is a bug in guildmoot. GUILD_DEBUG=1 prints the trace.",
        EXIT_INFRASTRUCTURE,
    )
