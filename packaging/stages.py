"""The stages of the test command: style, types, imports, the tests in three ways, and the distributions.

Also the two other selections of tests: the quick ones, and those for the coverage report.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from xml.etree import ElementTree

import core_build
import display
import floors
import terminal
from environment import Environment, child_variables
from project import BUILD, ROOT
from terminal import BOLD, GREEN, RED

REPORTS = BUILD / "reports"
PURE = BUILD / "pure"
COVERED = BUILD / "coverage"
TYPED_RESOURCES = BUILD / "typing" / "tokenarium" / "resources"
CALM = ("-q", "--durations=5", "--durations-min=5")  # a dot a test, and which ones were slow
# A process for each core, and one more: tests of windows and of other processes wait for a part of their time. Each
# starts with one run of neighbouring tests, which share what their file trained or opened; one that has no more takes
# over half of what another has left, so that no core waits for a long file.
ALL_CORES = (f"--numprocesses={(os.cpu_count() or 1) + 1}", "--dist=worksteal")
# Importing all test files takes ten seconds, so a stage whose tests are in some folders looks only there.
CORE_FOLDERS = ("tests/core", "tests/resources")
NOT_HERE = "not window and not dist"
# What uses the libraries: formats and trainings in the core; the command line, a window, charts, workers, the check
# against the reference, and sessions in the app. An old library that warns of a newer one is no fault of ours.
FLOOR_TESTS = (
    "tests/core/formats/sentencepiece",
    "tests/core/formats/test_formats.py",
    "tests/core/training/sentencepiece",
    "tests/explorer/commands/test_commands.py",
    "tests/explorer/menus/test_checking.py",
    "tests/explorer/models/lessons/test_finding.py",
    "tests/explorer/models/merges/test_size_cuts.py",
    "tests/explorer/models/text/test_piece.py",
    "tests/explorer/session/test_earlier_files.py",
    "tests/explorer/widgets/charts/test_figures.py",
)
WHILE_COMPILING = "while compiling"
"""Stages during which the core is compiled, which keeps one processor core busy for a third of the time."""
AT_THE_END = "at the end"
"""Stages that leave a processor core idle for most of the time."""
NO_TESTS_COLLECTED = 5  # pytest's exit code; a stage that ran nothing has shown nothing


@dataclass(frozen=True)
class Stage:
    """One tool to run. A checker's output is shown when it fails, pytest's always."""

    name: str
    title: str
    program: str
    arguments: tuple[str, ...]
    interpreted: bool = False  # the core's sources, not its compiled modules
    on_display: bool = False  # a real window, not Qt's offscreen platform
    at_floors: bool = False  # with the lowest versions of the requirements, not the newest
    together: str = ""  # neighbours with the same word here run side by side

    @property
    def is_pytest(self) -> bool:
        """Whether this stage runs tests that are counted."""
        return self.program == "pytest"

    @property
    def imports_core(self) -> bool:
        """Whether the core must be compiled first."""
        return self.program in ("pytest", "mkdocs") and not self.interpreted


STAGES = (
    Stage("lint", "Lint", "ruff", ("check", "--quiet", ".")),
    Stage("format", "Format", "ruff", ("format", "--check", "--quiet", ".")),
    Stage("types", "Types", "mypy", (), together=WHILE_COMPILING),
    Stage("imports", "Imports run one way", "lint-imports", (), together=WHILE_COMPILING),
    Stage(
        "tests",
        "Tests, core compiled",
        "pytest",
        (*CALM, *ALL_CORES, "-m", NOT_HERE),
    ),
    Stage(
        "interpreted",
        "Core tests, interpreted",
        "pytest",
        (*CALM, *ALL_CORES, "-m", "core", *CORE_FOLDERS),
        interpreted=True,
    ),
    # Its live pages are made by the core.
    Stage("docs", "Documentation", "mkdocs", ("build",), together=AT_THE_END),
    Stage(
        "floors",
        "The lowest versions of all dependencies",
        "pytest",
        (*CALM, *ALL_CORES, "-W", "ignore::DeprecationWarning", "-m", NOT_HERE, *FLOOR_TESTS),
        at_floors=True,
        together=AT_THE_END,
    ),
    Stage(
        "window",
        "A real window",
        "pytest",
        (*CALM, "-m", "window", "tests/explorer"),
        on_display=True,
        together=AT_THE_END,
    ),
    Stage(
        "dist",
        "Built, installed and run as a user does",
        "pytest",
        (*CALM, "-m", "dist", "tests/packaging"),
        on_display=True,
        together=AT_THE_END,
    ),
)

QUICK_FOLDERS = ("tests/core", "tests/explorer", "tests/packaging", "tests/resources")
# Nearly all tests there open a window, and to import them takes a quarter of the time of importing all.
NOT_QUICK = tuple(f"--ignore=tests/explorer/{folder}" for folder in ("app", "menus", "views"))
QUICK = (
    *(stage for stage in STAGES if stage.name in {"lint", "format", "imports"}),
    Stage(
        "quick",
        "Fast tests, core compiled",
        "pytest",
        (
            *CALM,
            *ALL_CORES,
            "-m",
            "not slow and not window and not dist",
            *QUICK_FOLDERS,
            *NOT_QUICK,
        ),
    ),
)
QUICK_INTERPRETED = (
    *QUICK[:-1],
    Stage(
        "quick",
        "Fast tests of the core, interpreted",
        "pytest",
        (*CALM, *ALL_CORES, "-m", "core and not slow", *CORE_FOLDERS),
        interpreted=True,
    ),
)

COVERAGE = (
    Stage(
        "core",
        "Core tests, interpreted",
        "pytest",
        (*CALM, *ALL_CORES, "-m", "core", "--cov=tokenarium_core", "--cov-report=", *CORE_FOLDERS),
        interpreted=True,
    ),
    Stage(
        "explorer",
        "Explorer tests",
        "pytest",
        (
            *CALM,
            *ALL_CORES,
            "-m",
            "not window",
            "--cov=tokenarium",
            "--cov-report=",
            "tests/explorer",
        ),
    ),
)


def run_all(
    environment: Environment,
    chosen: Sequence[Stage],
    pytest_arguments: Sequence[str] = (),
    *,
    keep_going: bool = False,
) -> int:
    """Returns 0 if every stage passed, else 1; stops at the first failure unless told to continue.

    The core is compiled before the first stage that imports it, during earlier stages if possible.
    """
    times: list[tuple[Stage, bool, float]] = []
    wanted = any(stage.imports_core for stage in chosen)
    distributions: dict[str, str] = {}
    for batch in batches(chosen):
        if any(stage.at_floors for stage in batch):
            floors.prepare(environment)  # builds in this folder, as other stages do
        beside = batch[0].together == WHILE_COMPILING
        if wanted and not beside and any(stage.imports_core for stage in batch):
            distributions, wanted = _compile_core(environment, chosen), False
        if len(batch) == 1 and not beside:
            terminal.heading(batch[0].title)
            times.append(_timed(environment, batch[0], pytest_arguments, distributions))
        else:
            with ThreadPoolExecutor(len(batch)) as pool:
                running = [
                    pool.submit(_apart, environment, stage, pytest_arguments, distributions)
                    for stage in batch
                ]
                if wanted and beside:
                    distributions, wanted = _compile_core(environment, chosen), False
            times += [one.result() for one in running]
        if not keep_going and not all(passed for _, passed, _ in times):
            break
    if len(chosen) > 1:
        _summarize(times, chosen[len(times) :])
    return 0 if all(passed for _, passed, _ in times) else 1


def batches(chosen: Sequence[Stage]) -> list[list[Stage]]:
    """Returns the stages in order, in lists of stages that run side by side."""
    found: list[list[Stage]] = []
    for stage in chosen:
        if found and stage.together and found[-1][0].together == stage.together:
            found[-1].append(stage)
        else:
            found.append([stage])
    return found


def _compile_core(environment: Environment, chosen: Sequence[Stage]) -> dict[str, str]:
    """Compiles the core if it changed; returns the variables by which the tests find distributions built for that."""
    released = any(stage.name == "dist" for stage in chosen)
    if released and not core_build.is_up_to_date(environment):
        folder = core_build.compile_as_released(environment)
        if folder is not None:
            return {"TOKENARIUM_DISTRIBUTIONS": str(folder)}
    core_build.bring_up_to_date(environment)
    return {}


def report_coverage(environment: Environment) -> int:
    """Writes what the stages of COVERAGE ran as pages, prints it as a table, and returns 0 if that worked."""
    program = str(environment.program("coverage"))
    pages = COVERED / "html"
    variables = child_variables() | {"COVERAGE_FILE": str(COVERED / ".coverage")}
    for command in (
        ("combine", "--keep", "--quiet", *(str(COVERED / stage.name) for stage in COVERAGE)),
        ("html", "--quiet", f"--directory={pages}"),
        ("report", "--sort=cover"),
    ):
        code = subprocess.run([program, *command], cwd=ROOT, env=variables, check=False).returncode
        if code != 0:
            return code
    terminal.say(f"The first page is {terminal.short(pages / 'index.html')}.")
    return 0


def _summarize(times: list[tuple[Stage, bool, float]], left: Sequence[Stage]) -> None:
    """Prints a line a stage, and the tests of all stages together as the last line."""
    terminal.heading("Summary")
    for stage, passed, seconds in times:
        word = terminal.styled("passed", GREEN) if passed else terminal.styled("FAILED", RED, BOLD)
        terminal.say(f"  {word}  {stage.title} ({terminal.duration(seconds)})")
    for stage in left:
        terminal.say(f"  not run {stage.title}")
    total = totals([stage.name for stage, _, _ in times if stage.is_pytest])
    if total:
        terminal.say(total)


def totals(names: list[str]) -> str:
    """Returns ``N passed, N failed, N skipped`` over the reports of these stages.

    Empty if there are none or if one left no report: then no total would be true.
    """
    count: Counter[str] = Counter()
    for name in names:
        try:
            suites = ElementTree.parse(REPORTS / f"{name}.xml").getroot().iter("testsuite")
        except (OSError, ElementTree.ParseError):
            return ""
        for suite in suites:
            for key in ("tests", "failures", "errors", "skipped"):
                count[key] += int(suite.get(key, "0"))
    if not names:
        return ""
    failed = count["failures"] + count["errors"]
    passed = count["tests"] - failed - count["skipped"]
    return f"{passed} passed, {failed} failed, {count['skipped']} skipped"


def _timed(
    environment: Environment, stage: Stage, extra: Sequence[str], distributions: dict[str, str]
) -> tuple[Stage, bool, float]:
    """Runs a stage, with the output of tests as it comes; returns whether it passed, and its seconds."""
    start = time.monotonic()
    passed = _run(environment, stage, extra, distributions)
    return stage, passed, time.monotonic() - start


def _apart(
    environment: Environment, stage: Stage, extra: Sequence[str], distributions: dict[str, str]
) -> tuple[Stage, bool, float]:
    """Runs a stage in parallel, and prints its output under its heading once it has ended."""
    start = time.monotonic()
    said: list[str] = []
    passed = _run(environment, stage, extra, distributions, said)
    with _PRINTING:
        terminal.heading(stage.title)
        for text in said:
            terminal.say(text)
    return stage, passed, time.monotonic() - start


_PRINTING = threading.Lock()
_THE_DISPLAY = threading.Lock()
"""Held by a stage that opens windows on the user's display: two would take the focus from each other."""


def _run(
    environment: Environment,
    stage: Stage,
    extra: Sequence[str],
    distributions: dict[str, str],
    said: list[str] | None = None,
) -> bool:
    """Returns whether the stage passed. With a list, the output is put there and not printed."""
    if stage.at_floors:
        environment = floors.prepare(environment)
    say = terminal.say if said is None else said.append
    command = [str(environment.program(stage.program)), *stage.arguments]
    if stage.program == "mypy":
        _show_resources_to_mypy()
    if stage.is_pytest:
        report = REPORTS / f"{stage.name}.xml"
        report.unlink(missing_ok=True)
        command += [f"--junitxml={report}", *extra]
    with _variables(stage) as variables:
        variables |= distributions
        if stage.is_pytest and said is None:
            code = subprocess.run(
                command, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, check=False
            ).returncode
        else:
            code, output = terminal.captured(command, variables=variables)
            if code != 0 or stage.is_pytest:
                say(output.rstrip())
    if code == NO_TESTS_COLLECTED and stage.is_pytest:
        say("No test was collected, and a stage that runs nothing shows nothing.")
    return code == 0


def _show_resources_to_mypy() -> None:
    """Puts resources/ at a path that spells its import name, as mypy requires."""
    if TYPED_RESOURCES.is_symlink():
        return
    shutil.rmtree(TYPED_RESOURCES, ignore_errors=True)
    TYPED_RESOURCES.parent.mkdir(parents=True, exist_ok=True)
    try:
        target = os.path.relpath(ROOT / "resources", TYPED_RESOURCES.parent)
        TYPED_RESOURCES.symlink_to(target, target_is_directory=True)
    except OSError:  # Windows grants links to developers only
        TYPED_RESOURCES.mkdir()
        for module in (ROOT / "resources").glob("*.py"):
            shutil.copy(module, TYPED_RESOURCES)


@contextmanager
def _variables(stage: Stage) -> Iterator[dict[str, str]]:
    """Returns the environment variables of a stage."""
    variables = child_variables()
    if stage.interpreted:
        core_build.copy_sources(PURE)
        # Found before the installed package, in processes that the tests start as well.
        variables["PYTHONPATH"] = str(PURE)
    if not stage.is_pytest:
        yield variables | {"NO_MKDOCS_2_WARNING": "1"}  # of a release that has no plugins
        return
    COVERED.mkdir(parents=True, exist_ok=True)
    variables |= {
        "TOKENARIUM_EXPECT": "interpreted" if stage.interpreted else "compiled",
        "COVERAGE_FILE": str(COVERED / stage.name),
    }
    # Without bytecode on disk, each of the many processes compiles all that it imports.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as runtime:
        if sys.platform.startswith("linux"):
            # Qt warns where either is missing, as on a bare server, and a warning fails a test.
            variables["LC_ALL"] = "C.UTF-8"
            variables.setdefault("XDG_RUNTIME_DIR", runtime)
        if not stage.on_display:
            yield variables | {"QT_QPA_PLATFORM": "offscreen"}
            return
        variables.pop("QT_QPA_PLATFORM", None)
        shared = _THE_DISPLAY if display.available() else nullcontext()
        with shared, display.some_display() as shown:
            yield variables | shown
