"""Full disks, folders that cannot be written, and corpora that are bombs, pipes, loops, no text, or gone."""

from __future__ import annotations

import ctypes
import functools
import gzip
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import disk_results
import zoo
from attack import Attack, Case, apart, check_sentence, ended, forked
from disk_results import RESULTS, commanded
from killing import names_in
from kills import PAIRS, TEXT, TRAINED, check_settings, write_settings
from planting import bent, fail_inside, in_place, instead, save_in_place
from PySide6.QtCore import QTimer

import tokenarium_core as tc
from tokenarium.app import start as of_app
from tokenarium.app.window import MainWindow
from tokenarium.commands import evaluate_study
from tokenarium.models.files import write_whole
from tokenarium.models.mending import mended_folder
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.store import Store
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.session.settings import Settings
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.registered import store_folder
from tokenarium_core.formats.registry import EXPORT_FORMATS
from tokenarium_core.training.algorithms import make_trainer

# Full disks.

WRITES = ["save", "keep", "command train", "command export", "whole file", "settings", *RESULTS]


def make_full_disk(chance: Random) -> Case:
    """Returns what is written, and how many bytes there are for it."""
    return {
        "write": chance.choice(WRITES),
        "format": chance.choice(list(PAIRS)),
        "bytes": chance.choice([0, 1, 100, 1000, 4096, 10_000, 20_000, 60_000]),
        "disk": chance.random() < 0.5,
    }


def run_full_disk(case: Case) -> str:
    """Writes where there is no room: it fails with a sentence, what was there is whole, and nothing else is left."""
    apart(functools.partial(_on_full_disk, case))
    return "a full disk" if case["disk"] and _has_disks() else "a limit of size"


def _on_full_disk(case: Case) -> None:
    folder = Path("full")
    folder.mkdir()
    small = case["disk"] and _has_disks()
    if small:  # the room is for what is written first, too
        _mount(folder, 1 << 20)
    write, check = _writer(case["write"], case["format"], folder)
    before = names_in(folder)
    if small:
        _fill(folder, case["bytes"])
        before.add("filler")
    else:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (case["bytes"], resource.RLIM_INFINITY))
    for _ in range(2):
        try:
            write()
        except TokenariumError as error:
            check_sentence(error)
    if small:
        (folder / "filler").unlink()
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    check()
    litter = {name for name in names_in(folder) - before if Path(name).suffix in (".part", ".tmp")}
    litter |= {name for name in names_in(folder) - before if ".export-" in name or ".part" in name}
    assert not litter, f"a full disk leaves litter: {sorted(litter)}"


def _writer(
    write: str, format: str, folder: Path
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Returns what writes into a folder that has something to lose, and what checks that it is still there."""
    if write in RESULTS:
        return RESULTS[write](folder)
    both = [zoo.shared(name) for name in PAIRS[format]]
    if write == "save":
        name = (
            "tokenizer.json" if format == "huggingface" else f"out{EXPORT_FORMATS[format].suffix}"
        )
        path = folder / name
        both[0].save(path, format)
        wanted = [tokenizer.encode_ids(TEXT) for tokenizer in both]

        def check_saved() -> None:
            assert tc.open(path).encode_ids(TEXT) in wanted, "a full disk tears what was saved"

        return lambda: both[1].save(path, format), check_saved
    if write == "keep":
        store = Store(folder / "trained")
        kept = store.save(TRAINED, b"first" * 200)

        def check_kept() -> None:
            found = Store(folder / "trained")
            assert kept in found.all(), "a full disk loses what was kept"
            for trained in found.all():
                assert found.path(trained).exists(), "an entry has no file after a full disk"

        other = replace(TRAINED, settings={"n": 2})
        return lambda: store.save(other, b"second" * 5000), check_kept
    if write == "whole file":
        path = folder / "table.csv"
        write_whole(path, "first")

        def check_whole() -> None:
            assert path.read_text() in ("first", "second" * 5000), "a full disk tears a table"

        return lambda: write_whole(path, "second" * 5000), check_whole
    if write == "settings":
        path = folder / "settings.ini"
        write_settings(path, 1)
        return lambda: write_settings(path, 3), lambda: check_settings(path)
    corpus = folder / "corpus.txt"
    corpus.write_text(TEXT * 30)
    out = folder / "out.json"
    zoo.shared("bytes, cl100k").save(out)
    source = Path("source.json")
    zoo.shared("bytes, o200k").save(source)
    os.environ["TOKENARIUM_DATA"] = str((folder / "data").absolute())
    if write == "command train":
        arguments = ["train", str(corpus), "-n", "262", "--out", str(out)]
    else:
        arguments = [
            "export",
            str(source),
            "--out",
            str(out),
            "--format",
            "tokenarium",
            "--file",
            str(corpus),
        ]

    def check_command() -> None:
        assert tc.open(out).encode_ids(TEXT), "a full disk tears what a command writes"

    return lambda: commanded(arguments), check_command


@functools.cache
def _has_disks() -> bool:
    """Returns whether this process may have a disk of its own, which takes an administrator."""
    if os.getuid() != 0 or not hasattr(ctypes.CDLL(None), "unshare"):
        return False

    def attempt() -> None:
        Path("disk").mkdir(exist_ok=True)
        try:
            _mount(Path("disk"), 1 << 16)
        except OSError:
            os._exit(1)

    return ended(forked(attempt)) == 0


def _mount(folder: Path, size: int, read_only: bool = False) -> None:
    """Puts a small disk in memory there, which this process alone sees, or makes it one that cannot be written.

    Raises OSError where that is not allowed.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    new_namespace, recursive, private, again = 0x20000, 0x4000, 1 << 18, 32
    place, kind, options = os.fsencode(folder), b"tmpfs", f"size={size}".encode()
    if read_only:
        done = libc.mount(b"none", place, kind, again | 1, options) == 0
    else:
        done = (
            libc.unshare(new_namespace) == 0
            and libc.mount(b"none", b"/", None, recursive | private, None) == 0
            and libc.mount(b"none", place, kind, 0, options) == 0
        )
    if not done:
        raise OSError(ctypes.get_errno(), "there is no disk of its own to be had")


def _fill(folder: Path, left: int) -> None:
    """Fills a disk up to some bytes."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - left))


# Folders that cannot be written.

SHIPPED = "tokenarium-8k"
COMMANDS = [
    ["encode", "shipped", "the thing"],
    ["inspect", "shipped"],
    ["decode", "shipped", "1 2 3"],
    ["train", "corpus.txt", "-n", "262"],
    ["train", "corpus.txt", "-n", "262", "--no-keep"],
    ["train", "corpus.txt", "-n", "262", "--no-keep", "--out", "out.json"],
    ["export", "source.json", "--out", "tokenizer.json"],
    ["compare", "source.json", "source.json", "--file", "corpus.txt"],
    ["store"],
    ["window"],
]


def make_read_only(chance: Random) -> Case:
    """Returns a command, and what of the home folder can be written."""
    return {
        "command": chance.choice(COMMANDS),
        "mode": chance.choice([0o500, 0o555, 0o000]),
        "there": chance.random() < 0.5,
    }


def run_read_only(case: Case) -> str:
    """Runs a command of someone whose home cannot be written: it works, or says in a sentence what it cannot."""
    if os.getuid() == 0 and not _has_disks():
        return "not tried: an administrator may write anywhere"
    Path("home").mkdir()
    apart(functools.partial(_at_home, case))
    return str(case["command"][0])


def _at_home(case: Case) -> None:
    home = Path("home").absolute()
    if os.getuid() == 0:
        _mount(home, 1 << 24)
    (home / "corpus.txt").write_text(TEXT * 30)
    zoo.shared("bytes, o200k").save(home / "source.json")
    for name in ("config", "cache", "data") if case["there"] else ():
        (home / name).mkdir()
    if os.getuid() == 0:
        _mount(home, 1 << 24, read_only=True)
    else:
        for path in home.glob("*/"):
            path.chmod(case["mode"])
        home.chmod(0o500)
    os.environ["HOME"] = str(home)
    for name in ("config", "cache", "data", "state"):
        os.environ[f"XDG_{name.upper()}_HOME"] = str(home / name)
    os.environ.pop("TOKENARIUM_DATA", None)
    os.chdir(home)
    command = case["command"]
    if command == ["store"]:
        try:
            Store(store_folder()).all()
        except TokenariumError as error:
            check_sentence(error)
        return
    if command == ["window"]:
        _window()
        return
    if "shipped" in command:
        command = [str(shipped_path(SHIPPED)) if word == "shipped" else word for word in command]
    commanded(command)


def _window() -> None:
    """Opens a window, waits until it is idle, writes its state and closes it."""
    app = of_app.application()
    store = Settings()
    window = of_app.make_window(app, store)
    window.show()
    QTimer.singleShot(300, window.close)
    QTimer.singleShot(600, app.quit)
    app.exec()
    store.write()


# Corpora.

THINGS = [
    *("text", "binary", "empty", "bomb", "bomb of lines", "long line", "deep json", "wide json"),
    *("wrong gzip", "cut gzip", "latin", "utf-16", "surrogates", "pipe", "loop", "link to folder"),
    *("link to itself", "dead link", "no rights", "folder", "odd name", "vanishes", "grows", "shrinks"),
    *("nothing but zeros", "device"),
]  # fmt: skip


def make_corpus(chance: Random) -> Case:
    """Returns what is in the folder of a corpus, and how it is read."""
    return {
        "things": chance.sample(THINGS, chance.randrange(1, 6)),
        "way": chance.choice(["folder", "glob", "files", "core"]),
        "seed": chance.randrange(1 << 30),
        "weight": chance.choice([1.0, 0.3, 2.5]),
        "good": chance.random() < 0.6,
    }


def run_corpus(case: Case) -> str:
    """Reads a corpus to its end: it never stops, fills the memory or raises, and says what it left out."""
    folder = Path("corpus")
    folder.mkdir()
    if case["good"]:
        (folder / "good.txt").write_text(TEXT * 200)
    during: list[Callable[[], object]] = []
    for number, thing in enumerate(case["things"]):
        _put(folder, thing, number, Random(case["seed"] + number), during)
    files = sorted(path for path in folder.iterdir() if not path.is_dir())
    try:
        if case["way"] == "core":
            options: dict[str, Any] = {"vocab_size": 300, "files": files}
            _step(make_trainer("bpe", **options), during)
            return "trained"
        values = {"folder": [("folder", folder)], "glob": [("glob", folder / "**" / "*")]}
        named = values.get(case["way"]) or [("file", path) for path in files]
        sources = [CorpusSource(kind, str(value), case["weight"]) for kind, value in named]  # type: ignore[arg-type]
        corpus = Corpus(sources, case["seed"])
        characters = 0
        for number, text in enumerate(corpus):
            characters += len(text)
            if number == 0:
                _all_at_once(during)
        assert corpus.documents or corpus.why_nothing, "a corpus is empty without a word"
        assert corpus.done <= corpus.total + (1 << 24)
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    return "read"


def _step(trainer: Any, during: list[Callable[[], object]]) -> None:
    trainer.step(0.1)
    _all_at_once(during)
    while not trainer.step(100.0).finished:
        pass


def _all_at_once(during: list[Callable[[], object]]) -> None:
    for act in during:
        act()


def _put(
    folder: Path, thing: str, number: int, chance: Random, during: list[Callable[[], object]]
) -> None:
    """Puts one thing into a folder; what is to happen while it is read goes into ``during``."""
    path = folder / f"{number}.txt"
    if thing == "binary":
        path.write_bytes(chance.randbytes(200_000))
    elif thing == "empty":
        path.write_bytes(b"")
    elif thing == "bomb":  # 64 MB of zeros in 64 KB
        path.with_suffix(".txt.gz").write_bytes(_bomb())
    elif thing == "bomb of lines":
        line = b'{"text": "' + b"a" * 1000 + b'"}\n'
        path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(line * 50_000, 1))
    elif thing == "long line":
        path.with_suffix(".jsonl").write_bytes(b'{"text": "' + b"a" * 70_000_000)
    elif thing == "deep json":
        path.with_suffix(".jsonl").write_bytes(
            b'{"text":' + b"[" * 300_000 + b"\n" + b'{"text":"a"}\n'
        )
    elif thing == "wide json":
        path.with_suffix(".jsonl").write_bytes(
            b'{"text": ' + b"9" * 1_000_000 + b"}\n" + b"null\n5\n"
        )
    elif thing == "wrong gzip":
        path.with_suffix(".gz").write_bytes(b"\x1f\x8b" + chance.randbytes(5000))
    elif thing == "cut gzip":
        path.with_suffix(".gz").write_bytes(gzip.compress(TEXT.encode() * 5000)[:700])
    elif thing == "latin":
        path.write_bytes("Größe, café\n".encode("latin-1") * 500)
    elif thing == "utf-16":
        path.write_bytes(TEXT.encode("utf-16") + b"\x00")
    elif thing == "surrogates":
        path.write_bytes(b"good \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80\n" * 900)
    elif thing == "pipe":
        os.mkfifo(path)
    elif thing == "loop":
        (folder / f"loop{number}").symlink_to("..", target_is_directory=True)
    elif thing == "link to folder":
        (folder / f"link{number}").symlink_to("/usr/lib", target_is_directory=True)
    elif thing == "link to itself":
        path.symlink_to(path.name)
    elif thing == "dead link":
        path.symlink_to("nowhere")
    elif thing == "no rights":
        path.write_text(TEXT)
        path.chmod(0)
    elif thing == "folder":
        path.mkdir()
    elif thing == "odd name":
        (folder / os.fsdecode(b"odd\xff\n\x1b[31m.txt")).write_text(TEXT)
    elif thing == "device":
        path.symlink_to("/dev/zero")
    elif thing == "nothing but zeros":
        with path.open("wb") as file:
            file.truncate(30_000_000)
    elif thing in ("vanishes", "grows", "shrinks"):
        path.write_text(TEXT * 20_000)
        during.append(functools.partial(_change, path, thing))
    else:
        path.write_text(TEXT * 50)


def _change(path: Path, how: str) -> None:
    if how == "vanishes":
        path.unlink(missing_ok=True)
    elif how == "grows" and path.exists():
        with path.open("ab") as file:
            file.write(TEXT.encode() * 20_000)
    elif path.exists():
        os.truncate(path, 33)


@functools.cache
def _bomb() -> bytes:
    return gzip.compress(bytes(1 << 26), 1)


SEEDS = (zoo.make_all,)


def _write_in_place(path: Path, content: bytes) -> None:
    try:
        in_place(path, content)
    except OSError as error:
        raise TokenariumError("There is no room.") from error


def _table_in_place(before: Any) -> Any:
    return lambda path, text: _write_in_place(path, text.encode())


def _files_in_place(before: Any) -> Any:
    def write(files: dict[Path, bytes]) -> None:
        for path, content in files.items():
            _write_in_place(path, content)

    return write


def _moved_in_part(before: Any) -> Any:
    """Moves the first file to the small disk, and stops."""

    def move(moves: list[tuple[Path, Path]]) -> None:
        if "full" not in moves[0][1].parts:
            before(moves)
            return
        before(moves[:1])
        raise TokenariumError("There is no room.")

    return move


def _saved_in_place(tokenizer: tc.Tokenizer, path: Path, format: str = "tokenarium") -> None:
    try:
        save_in_place(tokenizer, path, format)
    except OSError as error:
        raise TokenariumError("There is no room.") from error


def _no_window(*_: object) -> None:
    raise AssertionError("a window does not open")


def _failing_reader(before: Any) -> Any:
    def read(corpus: Corpus) -> Any:
        yield from before(corpus)
        fail_inside()

    return read


HERE = sys.modules[__name__]

ATTACKS = [
    Attack(
        "surroundings-full-disk",
        make_full_disk,
        run_full_disk,
        planted={
            "a full disk tears a table": instead(HERE, "write_whole", _table_in_place),
            "FormatError": instead(zoo, "shared", bent(save=_saved_in_place)),
            "A PLANTED FAULT": instead(Store, "write", lambda before: fail_inside),
            "a full disk tears a study": instead(evaluate_study, "write_files", _files_in_place),
            "a full disk tears a mended folder": instead(
                mended_folder, "replace_files", _moved_in_part
            ),
        },
    ),
    Attack(
        "surroundings-read-only",
        make_read_only,
        run_read_only,
        planted={
            "a window": instead(MainWindow, "show", lambda before: _no_window),
            "A PLANTED FAULT": instead(Store, "all", lambda before: fail_inside),
            "Traceback (most recent …": instead(
                disk_results,
                "run_command",
                lambda before: lambda words: (1, "Traceback (most recent …"),
            ),
        },
    ),
    Attack(
        "surroundings-corpora",
        make_corpus,
        run_corpus,
        planted={
            "A PLANTED FAULT": instead(Corpus, "__iter__", _failing_reader),
            "a corpus is empty without a word": instead(Corpus, "why_nothing", lambda before: ""),
        },
    ),
]
