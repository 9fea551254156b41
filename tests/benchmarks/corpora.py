"""Corpora of a gigabyte and more: counted, trained from, and written as ids, by one worker and by two.

The commands are measured as users run them, each with all its processes: seconds by the clock, seconds of the
processor, and the largest peak of memory of a process. What the start takes is measured on a corpus of one line, and
left out. The corpus is made of the English and the multilingual text, with words that keep growing as in them: see
``tests/helpers/growing_text.py``. It stays in ``build/benchmarks/corpora`` for the next run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import Goal
from peers import OURS
from report import Settings, table, times, warn_of_samples
from texts import ROOT

FOLDER = ROOT / "build" / "benchmarks" / "corpora"
PROBE = Path(__file__).with_name("corpora_probe.py")
SIZE, QUICK_SIZE = 1_000_000_000, 50_000_000
SCANNED = 64_000_000  # bytes, of the corpus and of each text
ENCODED = 200_000_000
VOCABULARY, QUICK_VOCABULARY = 32_768, 8_192
TOKENIZER = "cl100k_base"
PATTERN = "pattern=gpt2"  # of the peers: they know no other
MEMORY = "1GB"
ROUNDS = 3
SMALLEST = 200_000_000  # bytes that say something of two workers
ALONE = f"{OURS}, one process"
DOCUMENT_LINES = 40  # of a document of JSON lines

PEERS = {"tokenizers": 500_000_000, "gigabpe": 4_000_000_000, "ffbpe": 2_000_000_000}
"""Trainers, and the most bytes that each is given, since more takes it too long: ours is measured on as many then."""
LEAST = {"tokenizers": 5.0, "gigabpe": 1.0, "ffbpe": 1.0}

COUNTING_SHARE = 0.6
SPEED_UP = 1.8
OVERHEAD = 0.10
WORKER_MEMORY = 2_000_000_000
ENCODING_SHARE = 0.9


@dataclass
class Ran:
    """What a command took with all its processes: ``peaks`` of memory by process, the command's own first."""

    seconds: float
    cpu_seconds: float
    peaks: list[int] = field(default_factory=list)

    @property
    def peak(self) -> int:
        """The most memory of one process."""
        return max(self.peaks)

    def as_json(self) -> dict[str, Any]:
        """Returns all figures."""
        return {"seconds": self.seconds, "cpu_seconds": self.cpu_seconds, "peaks": self.peaks}


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures, and the goals."""
    warn_of_samples(settings.console, [settings.texts["english"], settings.texts["multilingual"]])
    size = settings.size or (QUICK_SIZE if settings.quick else SIZE)
    results: dict[str, Any] = {}
    goals: list[Goal] = []
    corpus = _corpus(settings, size)
    work = FOLDER / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        for name, measure in (
            ("scanner", _scanner),
            ("counting", _counting),
            ("encoding", _encoding),
            ("training", _training),
        ):
            settings.console.print(f"[dim]corpora: {name} …[/dim]")
            results[name], wanted = measure(settings, corpus, work)
            goals += wanted
    finally:
        shutil.rmtree(work)
    results["bytes"] = corpus.stat().st_size
    return results, goals


def _corpus(settings: Settings, size: int) -> Path:
    """Returns a file of about so many bytes, made where it is not there."""
    path = FOLDER / f"{size}.txt"
    if path.exists():
        return path
    sys.path.append(str(ROOT / "tests" / "helpers"))
    from growing_text import GrowingText, interleaved, write

    free = shutil.disk_usage(ROOT).free
    if free < 2 * size:
        raise SystemExit(
            f"A corpus of {size:,} bytes, and its ids, do not fit on the disk: {free:,} are free."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    settings.console.print(f"[dim]Making a corpus of {size / 1e6:,.0f} MB …[/dim]")
    texts = [settings.texts[name].content for name in ("english", "multilingual")]
    write(GrowingText(interleaved(texts)), size, path)
    return path


def _least(run: Callable[[], Ran]) -> Ran:
    """Returns the quickest of three runs: a start that was held up once would hide the work after it."""
    return min((run() for _ in range(3)), key=lambda ran: ran.seconds)


def _command(*arguments: object) -> Ran:
    """Runs ``tokenarium`` with the arguments; SystemExit where it fails."""
    return _ran([sys.executable, "-m", "tokenarium", *map(str, arguments)])[0]


def _ran(command: list[str]) -> tuple[Ran, str]:
    """Runs a program, and returns what it took and printed."""
    import psutil

    start = time.perf_counter()
    peaks: dict[int, int] = {}
    spent: dict[int, float] = {}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        watched = psutil.Process(process.pid)
        while True:
            try:
                out, errors = process.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                for one in _family(watched):
                    _look(one, peaks, spent)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{errors[-2000:]}")
    return Ran(seconds, sum(spent.values()), list(peaks.values())), out


def _family(process: Any) -> list[Any]:
    import psutil

    try:
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _look(process: Any, peaks: dict[int, int], spent: dict[int, float]) -> None:
    """Notes the memory and the seconds of the processor that a process took so far."""
    import psutil

    try:
        used = process.memory_info()
        now = process.cpu_times()
    except psutil.Error:
        return
    peak = getattr(used, "peak_wset", used.rss)
    if sys.platform == "linux":
        try:
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            peak = next(
                1024 * int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line
            )
        except (OSError, StopIteration):
            pass  # it has just ended
    peaks[process.pid] = max(peaks.get(process.pid, 0), peak)
    spent[process.pid] = now.user + now.system


def _probe(*arguments: object) -> dict[str, Any]:
    _, out = _ran([sys.executable, str(PROBE), *map(str, arguments)])
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def _scanner(settings: Settings, corpus: Path, work: Path) -> tuple[dict[str, Any], list[Goal]]:
    """Counting in one process beside only cutting, by text and pattern."""
    files = {"corpus": corpus}
    for name in ("english", "code", "multilingual"):
        files[name] = work / f"{name}.txt"
        files[name].write_bytes(settings.texts[name].content.encode())
    most = SCANNED // 8 if settings.quick else SCANNED
    found = {name: _probe("scan", path, most) for name, path in files.items()}
    overview = table(
        "Counting beside only cutting, one process",
        ("", "pattern", "cutting MB/s", "counting MB/s", "share"),
    )
    goals = []
    for name, by_pattern in found.items():
        for pattern, one in by_pattern.items():
            cutting, counting = (min(one[what]) for what in ("cutting", "counting"))
            overview.add_row(
                name,
                pattern,
                f"{one['bytes'] / cutting / 1e6:.0f}",
                f"{one['bytes'] / counting / 1e6:.0f}",
                f"{one['share']:.0%}",
            )
            goals.append(
                Goal(f"Count {name}, {pattern}, beside the scanner", COUNTING_SHARE, one["share"])
            )
    settings.console.print(overview)
    return found, goals


def _counting(settings: Settings, corpus: Path, work: Path) -> tuple[dict[str, Any], list[Goal]]:
    """The command with one worker and with two; what the start takes is left out."""
    tiny = _tiny(work)
    size = corpus.stat().st_size
    starts = {
        workers: _least(lambda workers=workers: _count(tiny, work / "tiny.counts", workers))
        for workers in (1, 2)
    }
    rounds: list[dict[int, Ran]] = []
    for number in range(settings.rounds(ROUNDS)):
        found = {}
        for workers in (1, 2) if number % 2 == 0 else (2, 1):
            whole = _count(corpus, work / f"{workers}.counts", workers)
            found[workers] = Ran(
                whole.seconds - starts[workers].seconds,
                whole.cpu_seconds - starts[workers].cpu_seconds,
                whole.peaks,
            )
        rounds.append(found)
    if (work / "1.counts").read_bytes() != (work / "2.counts").read_bytes():
        raise SystemExit("Two workers have other counts than one.")
    speed_up = _median(one[1].seconds / one[2].seconds for one in rounds)
    overhead = _median(one[2].cpu_seconds / one[1].cpu_seconds - 1 for one in rounds)
    peak = max(one[workers].peak for one in rounds for workers in (1, 2))
    overview = table(
        f"Counting {size / 1e6:,.0f} MB, the start left out",
        ("workers", "seconds", "MB/s", "CPU seconds", "peak MB of a process"),
    )
    for workers in (1, 2):
        best = min((one[workers] for one in rounds), key=lambda ran: ran.seconds)
        overview.add_row(
            str(workers),
            f"{best.seconds:.1f}",
            f"{size / best.seconds / 1e6:.0f}",
            f"{best.cpu_seconds:.1f}",
            f"{best.peak / 1e6:,.0f}",
        )
    settings.console.print(overview)
    figures = {
        "bytes": size,
        "rounds": [{str(key): ran.as_json() for key, ran in one.items()} for one in rounds],
        "speed_up": speed_up,
        "overhead": overhead,
        "counts_bytes": (work / "1.counts").stat().st_size,
    }
    large = "" if size >= SIZE else f", {size / 1e6:,.0f} MB only"
    goals = [
        Goal(
            f"Count, memory: {peak / 1e6:,.0f} MB a process, at most {WORKER_MEMORY / 1e6:,.0f}",
            1.0,
            WORKER_MEMORY / peak,
        )
    ]
    if size < SMALLEST:  # the start is longer than the work
        return figures, goals
    return figures, [
        *goals,
        Goal(f"Count, two workers beside one{large}", SPEED_UP, speed_up),
        Goal(
            f"Count, processor with two workers: {overhead:+.1%} of one{large}",
            1.0,
            (1 + OVERHEAD) / (1 + overhead),
        ),
    ]


def _tiny(work: Path) -> Path:
    """Returns a corpus that takes no more than the start."""
    path = work / "tiny.txt"
    path.write_text("One line.\n", encoding="utf-8")
    return path


def _count(corpus: Path, out: Path, workers: int) -> Ran:
    out.unlink(missing_ok=True)
    options = ["--option", PATTERN, "--memory", MEMORY, "--workers", workers, "--json"]
    return _command("count", corpus, *options, "--out", out)


def _median(values: Any) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def _encoding(settings: Settings, corpus: Path, work: Path) -> tuple[dict[str, Any], list[Goal]]:
    """One worker of the command beside the core, which encodes the same texts in memory."""
    size = min(corpus.stat().st_size, ENCODED // 8 if settings.quick else ENCODED)
    plain, lines = work / "plain.txt", work / "documents.jsonl"
    tiny = _tiny(work)
    _excerpts(corpus, size, plain, lines)
    figures: dict[str, Any] = {}
    goals = []
    overview = table(
        f"Encoding {size / 1e6:,.0f} MB by {TOKENIZER}, one worker, CPU seconds",
        ("", "core MB/s", "encode-corpus MB/s", "share"),
    )
    starts = _least(lambda: _encode(tiny, work))
    for path in (plain, lines):
        shares = []
        for _ in range(settings.rounds(ROUNDS)):
            core = _probe("encode", path, TOKENIZER, size)
            command = _encode(path, work)
            spent = command.cpu_seconds - starts.cpu_seconds
            shares.append(core["cpu_seconds"] / spent)
        share = _median(shares)
        figures[path.name] = {"core": core, "command": command.as_json(), "shares": shares}
        rate = core["bytes"] / 1e6
        overview.add_row(
            path.name, f"{rate / core['cpu_seconds']:.0f}", f"{rate / spent:.0f}", f"{share:.0%}"
        )
        goals.append(Goal(f"encode-corpus, {path.name}, beside the core", ENCODING_SHARE, share))
    settings.console.print(overview)
    return figures, goals


def _excerpts(corpus: Path, size: int, plain: Path, lines: Path) -> None:
    """Writes the beginning of the corpus as it is, and as documents in JSON lines."""
    with (
        corpus.open(encoding="utf-8", newline="") as source,
        plain.open("w", encoding="utf-8", newline="") as text,
        lines.open("w", encoding="utf-8") as documents,
    ):
        waiting: list[str] = []
        written = 0
        for line in source:
            text.write(line)
            waiting.append(line)
            written += len(line.encode())
            if len(waiting) == DOCUMENT_LINES:
                documents.write(json.dumps({"text": "".join(waiting)}, ensure_ascii=False) + "\n")
                waiting.clear()
            if written >= size:
                return


def _encode(path: Path, work: Path) -> Ran:
    out = work / "ids"
    shutil.rmtree(out, ignore_errors=True)
    return _command("encode-corpus", TOKENIZER, path, "--out", out, "--json")


def _training(settings: Settings, corpus: Path, work: Path) -> tuple[dict[str, Any], list[Goal]]:
    """Each peer with two threads, and ours beside it on the same bytes: by two workers, and by one process alone."""
    vocabulary = QUICK_VOCABULARY if settings.quick else VOCABULARY
    size = corpus.stat().st_size
    figures: dict[str, Any] = {}
    goals: list[Goal] = []
    for given in sorted({min(size, most) for most in PEERS.values()} | {size}):
        part = corpus
        if given < size:
            part = work / "part.txt"
            _excerpts(corpus, given, part, work / "part.jsonl")
        peers = [name for name, most in PEERS.items() if min(size, most) == given]
        found, entries = _trainings(settings, part, work, peers, vocabulary)
        goals += _trained(settings, found, entries, vocabulary)
        figures[str(part.stat().st_size)] = found
    return figures, goals


def _trainings(
    settings: Settings, corpus: Path, work: Path, peers: list[str], vocabulary: int
) -> tuple[dict[str, dict[str, Any]], dict[str, list[str]]]:
    """Returns what each training took, and the entries that it found."""
    counts, listed = work / "train.counts", work / "entries.json"
    found: dict[str, dict[str, Any]] = {}
    entries: dict[str, list[str]] = {}
    for name in (OURS, ALONE, *peers):
        settings.console.print(
            f"[dim]corpora: training from {corpus.stat().st_size / 1e6:,.0f} MB, {name} …[/dim]"
        )
        trainer = OURS if name == ALONE else name
        try:
            if name == OURS:
                starts = _least(lambda: _count(_tiny(work), counts, 2))
                counted = _count(corpus, counts, 2)
            one = _probe("train", trainer, counts if name == OURS else corpus, vocabulary, listed)
        except SystemExit as error:
            if trainer == OURS:
                raise
            found[name] = {"failed": str(error).splitlines()[-1]}
            settings.console.print(f"[dim]{name} failed: {found[name]['failed']}[/dim]")
            continue
        if name == OURS:
            one["from_counts"] = {key: one[key] for key in ("seconds", "cpu_seconds", "peak")}
            one["seconds"] += counted.seconds - starts.seconds
            one["cpu_seconds"] += counted.cpu_seconds - starts.cpu_seconds
            one["peak"] = max(one["peak"], sum(counted.peaks))
        found[name] = one | {"bytes": corpus.stat().st_size}
        entries[name] = json.loads(listed.read_text(encoding="utf-8"))
    return found, entries


def _trained(
    settings: Settings,
    found: dict[str, dict[str, Any]],
    entries: dict[str, list[str]],
    vocabulary: int,
) -> list[Goal]:
    """Prints the trainings, and returns their goals."""
    ours = found[OURS]
    overview = table(
        f"Train {vocabulary:,} from a corpus of {ours['bytes'] / 1e6:,.0f} MB, two threads or workers",
        ("", "seconds", "CPU seconds", "× ours", "peak MB", "entries as ours", "as tokenizers"),
    )  # fmt: skip
    goals = []
    for name, one in found.items():
        if "failed" in one:
            continue
        ratio = one["seconds"] / ours["seconds"]
        cpu_ratio = one["cpu_seconds"] / ours["cpu_seconds"]
        one |= {"ratio": ratio, "cpu_ratio": cpu_ratio}
        overview.add_row(
            name,
            f"{one['seconds']:.1f}",
            f"{one['cpu_seconds']:.1f}",
            f"{times(ratio)} ({times(cpu_ratio)} CPU)",
            f"{one['peak'] / 1e6:,.0f}",
            _alike(entries[name], entries[OURS]),
            _alike(entries[name], entries.get("tokenizers", [])),
        )
        if name in LEAST:
            what = f"Train from {ours['bytes'] / 1e6:,.0f} MB, beside {name}"
            goals.append(Goal(what, LEAST[name], ratio))
    peaks = [one["peak"] for name, one in found.items() if name in LEAST and "peak" in one]
    if peaks:
        goals.append(
            Goal(f"Train from {ours['bytes'] / 1e6:,.0f} MB, the leanest peer's memory to ours", 1.0, min(peaks) / ours["peak"])
        )  # fmt: skip
    settings.console.print(overview)
    return goals


def _alike(entries: list[str], others: list[str]) -> str:
    """Returns "the same" for the same merges in the same order, else which share of them the others have too.

    Single bytes do not count: gigabpe has only those of the text. With fewer of them, it has more merges.
    """
    import base64

    if not others:
        return "–"
    ours, theirs = (
        [entry for entry in one if len(base64.b64decode(entry)) > 1] for one in (entries, others)
    )
    length = min(len(ours), len(theirs))
    if ours[:length] == theirs[:length]:
        return "the same"
    return f"{len(set(ours) & set(theirs)) / len(ours):.1%}"
