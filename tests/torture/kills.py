"""Kills in the middle of saving, keeping, training, exporting, downloading and writing settings: what was kept is whole."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sqlite3
import sys
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import zoo
from attack import Attack, Case, apart, check_sentence, ended, forked
from killing import Say, age, killed, make_moment, names_in
from planting import bent, in_place, instead, save_in_place
from PySide6.QtCore import QCoreApplication, QSettings
from PySide6.QtNetwork import QNetworkAccessManager
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands.cli import app as commands
from tokenarium.models.files import sweep
from tokenarium.models.training.store import FILES, Store, Trained
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.work.download import Download
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.registered import INDEX
from tokenarium_core.formats.registry import EXPORT_FORMATS
from tokenarium_core.whole_files import PART_NAME

TEXT = "the thing, it's there: é 12 aaaa\n"
FOREIGN = {"notes.txt": b"mine", "tokenizer.json.part": b"mine too", "out.part": b"mine as well"}
"""A user's files next to those that are written."""

PAIRS = {
    "tokenarium": ("bytes, cl100k", "bytes, own pattern"),
    "tiktoken": ("bytes, cl100k", "bytes, own pattern"),
    "huggingface": ("llama3", "bert"),
    "sentencepiece": ("bpe, bytes", "unigram, plain"),
}
"""Of each format, two tokenizers of which one is written over the other."""


# Saving.


def make_saving(chance: Random) -> Case:
    """Returns a format, and when the process that saves is killed."""
    return {
        "format": chance.choice(list(PAIRS)),
        "moments": [make_moment(chance, 30, 40) for _ in range(4)],
        "link": chance.random() < 0.3,
        "savers": chance.choice([1, 1, 2]),
    }


def _name(format: str) -> str:
    return "tokenizer.json" if format == "huggingface" else f"out{EXPORT_FORMATS[format].suffix}"


def run_saving(case: Case) -> str:
    """Saves one tokenizer over another again and again; after a kill there is one of the two, and it is whole."""
    format = case["format"]
    both = [zoo.shared(name) for name in PAIRS[format]]
    folder = Path("saved")
    folder.mkdir()
    path = folder / _name(format)
    both[0].save(path, format)
    outside = Path("outside")
    outside.write_bytes(b"elsewhere")
    for name, content in FOREIGN.items():
        (folder / name).write_bytes(content)
    link = folder / f"{path.name}.part"
    if case["link"]:
        link.unlink(missing_ok=True)
        link.symlink_to(outside.absolute())
    for moment in case["moments"]:
        stop = [
            forked(functools.partial(_saves, both, path, format, 25))
            for _ in range(case["savers"] - 1)
        ]
        killed(lambda _: _saves(both, path, format, 200), moment)
        for number in stop:
            ended(number)
        _check_saved(both, path, format)
        for name, content in FOREIGN.items():
            if not (case["link"] and name == link.name):
                found = (folder / name).read_bytes() if (folder / name).exists() else None
                assert found == content, "saving took away a file of another name"
        assert outside.read_bytes() == b"elsewhere", "saving follows a link that is there"
    before = names_in(folder)
    age(folder)
    both[1].save(path, format)
    expected = {*FOREIGN, link.name} if case["link"] else {*FOREIGN}
    litter = names_in(folder) - expected - {path.name, f"{path.stem}.pattern.json"}
    assert not litter, f"litter of saving stays for ever: {sorted(litter)}, of {sorted(before)}"
    return "whole"


def _saves(both: list[tc.Tokenizer], path: Path, format: str, times: int) -> None:
    for _ in range(times):
        for tokenizer in both:
            tokenizer.save(path, format)


def _check_saved(both: list[tc.Tokenizer], path: Path, format: str) -> None:
    try:
        found = tc.open(path).encode_ids(TEXT)
    except TokenariumError:
        # Of two files that belong together one may be of the other pair: that is refused, and not guessed.
        assert format == "tiktoken", "what was saved is refused after a kill"
        return
    assert found in [tokenizer.encode_ids(TEXT) for tokenizer in both], (
        "what was saved is a mixture"
    )


# The store.

TRAINED = Trained("", "bpe", {}, {}, "", ".json", 1, "0")


def make_keeping(chance: Random) -> Case:
    """Returns what processes do with one store, and when one of them is killed."""
    return {
        "rounds": [
            {
                "seed": chance.randrange(1 << 30),
                "moment": make_moment(chance, 120, 60),
                "beside": chance.choice([0, 0, 1, 2]),
            }
            for _ in range(3)
        ]
    }


def run_keeping(case: Case) -> str:
    """Keeps, renames, deletes and restores in several processes; all that was reported as kept is there, and whole."""
    folder = Path("trained")
    Store(folder)
    kept: dict[str, str] = {}
    for number, round in enumerate(case["rounds"]):
        beside = [
            forked(functools.partial(_keeps, folder, f"{number}-{k}", round["seed"] + k, 12, print))
            for k in range(1, round["beside"] + 1)
        ]
        said = killed(
            functools.partial(_keeps, folder, f"{number}-0", round["seed"], 40),
            round["moment"],
        )
        for process in beside:
            code = ended(process)
            assert code == 0, f"a store that two processes use fails in one of them with {code}"
        for line in said:
            word, identity, content = line.split(" ")
            kept[identity] = content if word == "kept" else ""
        # What comes last may have happened without being reported.
        unsure = said[-1].split(" ")[1] if said else ""
        _check_store(folder, kept, unsure)
    age(folder)
    Store(folder)
    litter = {name for name in names_in(folder / FILES) if not name.endswith(".json")}
    assert not litter, f"litter of the store stays for ever: {sorted(litter)}"
    _check_store(folder, kept, "")
    return "whole"


def _keeps(folder: Path, name: str, seed: int, times: int, say: Say) -> None:
    chance = Random(seed)
    store = Store(folder)
    mine: list[Trained] = []
    gone: list[Trained] = []
    for number in range(times):
        kind = chance.random()
        if kind < 0.6 or not mine:
            content = f"{name} {number} ".encode() * chance.choice([10, 20_000])
            trained = replace(TRAINED, name=f"{name} {number}", settings={"n": f"{name} {number}"})
            mine.append(store.save(trained, content))
            say(f"kept {mine[-1].identity} {mine[-1].content}")
        elif kind < 0.75:
            store.rename(chance.choice(mine).identity, f"renamed {number}")
        elif kind < 0.9 or not gone:
            trained = mine.pop(chance.randrange(len(mine)))
            say(f"going {trained.identity} -")
            store.delete(trained.identity)
            gone.append(trained)
        else:
            trained = gone.pop()
            store.restore(trained)
            mine.append(trained)
            say(f"kept {trained.identity} {trained.content}")


def _check_store(folder: Path, kept: dict[str, str], unsure: str) -> None:
    store = Store(folder)
    found = {trained.identity: trained for trained in store.all()}
    for trained in found.values():
        path = store.path(trained)
        assert path.exists(), "an entry of the store has lost its file"
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert digest == trained.content, "an entry of the store has another file"
    for identity, content in kept.items():
        if content and identity != unsure:
            assert identity in found, "the store has lost what was kept"
            assert found[identity].content == content


def make_index(chance: Random) -> Case:
    """Returns what happens to the index of a store."""
    return {
        "seed": chance.randrange(1 << 30),
        "fault": chance.choice(
            ["gone", "empty", "torn", "other table", "garbage", "folder", "journal"]
        ),
        "place": chance.random(),
        "days": chance.choice([0, 3]),
    }


def run_index(case: Case) -> str:
    """Damages the index: no file of a trained tokenizer is removed, whatever is done next."""
    folder = Path("trained")
    _keeps(folder, "x", case["seed"], 10, lambda line: None)
    store = Store(folder)
    files = {path: path.read_bytes() for path in map(store.path, store.all())}
    index = folder / INDEX
    content = index.read_bytes()
    place = int(len(content) * case["place"])
    if case["fault"] == "garbage":
        index.write_bytes(content[:place] + os.urandom(4096) + content[place:])
    elif case["fault"] == "torn":
        index.write_bytes(content[:place])
    elif case["fault"] == "journal":
        index.with_name(INDEX + "-journal").write_bytes(content[:place])
    else:
        index.unlink()
        if case["fault"] == "empty":
            index.write_bytes(b"")
        elif case["fault"] == "folder":
            index.mkdir()
        elif case["fault"] == "other table":
            with sqlite3.connect(index) as connection:
                connection.execute("create table trained (identity text)")
            connection.close()
    if case["days"]:
        age(folder)
    word = "opened"
    for _ in range(2):
        try:
            Store(folder).all()
        except TokenariumError as error:
            word = "refused"
            check_sentence(error)
            if index.is_dir():
                index.rmdir()
            else:
                index.rename(folder / "index.old")  # as the sentence says
    for path, before in files.items():
        assert path.exists(), "a file of a trained tokenizer is gone"
        assert path.read_bytes() == before
    return word


# Training and exporting, as the command line does.


def make_commands(chance: Random) -> Case:
    """Returns a command that writes, and when it is killed."""
    return {
        "command": chance.choice(["train", "export"]),
        "moments": [make_moment(chance, 200, 400) for _ in range(2)],
    }


def run_commands(case: Case) -> str:
    """Runs a command again and again; what it writes is whole or what it was before."""
    folder = Path("work")
    folder.mkdir()
    os.environ["TOKENARIUM_DATA"] = str(Path("data").absolute())
    corpus = folder / "corpus.txt"
    corpus.write_text(TEXT * 300)
    out = folder / ("out.json" if case["command"] == "train" else "tokenizer.json")
    first = zoo.shared("bytes, cl100k")
    first.save(out, "tokenarium" if case["command"] == "train" else "huggingface")
    source = folder / "source.json"
    zoo.shared("bytes, o200k").save(source)
    if case["command"] == "train":
        arguments = ["train", str(corpus), "-n", "270", "--out", str(out), "--seed"]
    else:
        arguments = ["export", str(source), "--out", str(out), "--format", "huggingface", "--file"]
    last = str(corpus) if case["command"] == "export" else "0"
    for moment in case["moments"]:
        killed(lambda _: [run_command([*arguments, last]) for _ in range(3)], moment)
        assert tc.open(out).encode_ids(TEXT), "what a command has written cannot be opened"
        Store(Path("data/trained")).all()
    age(folder)
    apart(lambda: _succeeds([*arguments, last]))
    litter = names_in(folder) - {"corpus.txt", "source.json", out.name}
    assert not litter, f"litter of a command stays for ever: {sorted(litter)}"
    return "whole"


def run_command(arguments: list[str]) -> tuple[int, str]:
    """Returns the exit code of a command of Tokenarium and what it printed; exceptions are passed on."""
    result = CliRunner().invoke(commands, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def _succeeds(arguments: list[str]) -> None:
    code, output = run_command(arguments)
    assert code == 0, output


# Downloads.

CONTENT = bytes(range(256)) * 2000


class _Handler(BaseHTTPRequestHandler):
    """Serves one file slowly, its rest where that is asked for; breaks off where the path says so."""

    def do_GET(self) -> None:
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-") or 0)
        rest = CONTENT[start:]
        self.send_response(206 if start else 200)
        self.send_header("ETag", '"1"')
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        if "unannounced" not in self.path:
            self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        sent = min(len(CONTENT) // 3 + 1, len(rest)) if "breaks" in self.path else len(rest)
        try:
            for place in range(0, sent, 1 << 15):
                self.wfile.write(rest[place : min(place + (1 << 15), sent)])
                time.sleep(0.001)
        except OSError:
            pass

    def log_message(self, format: str, *args: object) -> None:
        pass


@functools.cache
def _address() -> str:
    """Returns the address of a server in a process of its own, which ends with this one."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    parent = os.getpid()

    def serve() -> None:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        while os.getppid() == parent:
            time.sleep(0.2)

    forked(serve, lasting=True)
    server.socket.close()
    return f"http://127.0.0.1:{server.server_port}"


def make_downloading(chance: Random) -> Case:
    """Returns how a server behaves, and when the process that downloads is killed."""
    return {
        "path": chance.choice(["whole", "breaks", "unannounced"]),
        "known": chance.random() < 0.5,
        "moments": [make_moment(chance, 20, 120) for _ in range(3)],
    }


def run_downloading(case: Case) -> str:
    """Downloads again and again; the file is there whole or not at all, and in the end nothing else is."""
    folder = Path("cache")
    target = folder / "file"
    url = f"{_address()}/{case['path']}"
    size = len(CONTENT) if case["known"] else 0
    for moment in case["moments"]:
        killed(lambda _: _downloads(url, target, size, 3), moment)
        if target.exists():
            assert target.read_bytes() == CONTENT, "a download that was killed leaves half a file"
    if folder.exists():
        age(folder)
        sweep(folder, PART_NAME)  # as the next start of the window does
    apart(lambda: _downloads(url, target, size, 1))
    assert target.read_bytes() == CONTENT
    litter = names_in(folder) - {"file"}
    assert not litter, f"litter of downloads stays for ever: {sorted(litter)}"
    return "whole"


def _downloads(url: str, target: Path, size: int, times: int) -> None:
    app = QCoreApplication.instance() or QCoreApplication(["torture"])
    Download.PAUSE_MS = 5
    digest = hashlib.sha256(CONTENT).hexdigest()
    sentences: list[str] = []
    for _ in range(times):
        target.unlink(missing_ok=True)
        download = Download(QNetworkAccessManager(app), url, target, digest, size, app)
        download.finished.connect(app.quit)
        download.failed.connect(sentences.append)
        download.failed.connect(app.quit)
        download.start()
        app.exec()
        assert not sentences, sentences[0]


# The state of the window.


def make_settings(chance: Random) -> Case:
    """Returns when the process that writes settings is killed."""
    return {"moments": [{"ms": chance.randrange(60)} for _ in range(4)]}


def run_settings(case: Case) -> str:
    """Writes settings again and again; after a kill all of them were written together, and can be written again."""
    folder = Path("config")
    folder.mkdir()
    path = folder / "settings.ini"
    apart(lambda: write_settings(path, 1))
    for moment in case["moments"]:
        killed(lambda _: write_settings(path, 400), moment)
        apart(lambda: check_settings(path))
    age(folder)
    apart(lambda: write_settings(path, 1))
    # Of six random letters, one in twenty may be a word, by which a person has named a copy: those stay.
    words = {name for name in names_in(folder) if re.fullmatch(r"settings\.ini\.[A-Za-z]{6}", name)}
    words = {
        name for name in words if not re.fullmatch(r"settings\.ini" + settings.TEMPORARY, name)
    }
    litter = names_in(folder) - words - {"settings.ini"}
    assert not litter, f"litter of settings stays for ever: {sorted(litter)}"
    return "whole"


def _settings(path: Path) -> Any:
    return Settings(QSettings(str(path), QSettings.Format.IniFormat))


def write_settings(path: Path, times: int) -> None:
    """Writes settings that belong together, so many times."""
    for number in range(times):
        store = _settings(path)
        store.set(settings.TOKENIZERS_ON, [str(number)] * 300)
        store.set(settings.TOKENIZER_ORDER, [str(number)] * 300)
        store.set(settings.WORKSPACE, str(number))
        store.write()


def check_settings(path: Path) -> None:
    """Raises AssertionError where settings are there that were not written together."""
    store = _settings(path)
    number = store.get(settings.WORKSPACE)
    assert store.get(settings.TOKENIZERS_ON) == [number] * 300, "settings are of several times"
    assert store.get(settings.TOKENIZER_ORDER) == [number] * 300, "settings are of several times"


SEEDS = (zoo.make_all,)


def _save_beside(tokenizer: tc.Tokenizer, path: Path, format: str) -> None:
    tokenizer.save(path, format)
    path.with_suffix(".old").write_bytes(b"")


def _keep_later(before: Any) -> Any:
    """Has a store write its files after the index has them, and not while no other may change it."""

    def write(store: Store, path: Path, content: bytes) -> None:
        threading.Timer(0.03, before, (store, path, content)).start()

    return write


def _without_strays(before: Any) -> Any:
    """Has a store remove the files that its index does not have."""

    def adopt(store: Store, known: set[Path]) -> None:
        for path in (store.folder / FILES).glob("*/*"):
            if path not in known:
                path.unlink()

    return adopt


def _rewriting(before: Any) -> Any:
    """Has a command write its result once more, in place."""

    def run(arguments: list[str]) -> Any:
        made = before(arguments)
        out = Path(arguments[arguments.index("--out") + 1 if "--out" in arguments else 2])
        in_place(out, out.read_bytes())
        return made

    return run


def _into_place(before: Any) -> Any:
    """Has a download begin the file itself."""

    def start(download: Download) -> None:
        download._path.parent.mkdir(exist_ok=True)
        download._path.write_bytes(b"the beginning")
        before(download)

    return start


def _one_by_one(before: Any) -> Any:
    """Has settings be written as each of them is set."""

    def set_and_write(store: Settings, setting: Any, value: Any) -> None:
        before(store, setting, value)
        store.write()

    return set_and_write


ATTACKS = [
    Attack(
        "kills-saving",
        make_saving,
        run_saving,
        planted={
            "after a kill": instead(zoo, "shared", bent(save=save_in_place)),
            "litter of saving stays for ever": instead(zoo, "shared", bent(save=_save_beside)),
        },
    ),
    Attack(
        "kills-keeping",
        make_keeping,
        run_keeping,
        planted={"has lost its file": instead(Store, "write", _keep_later)},
    ),
    Attack(
        "kills-index",
        make_index,
        run_index,
        planted={
            "a file of a trained tokenizer is gone": instead(Store, "_adopt", _without_strays)
        },
    ),
    Attack(
        "kills-commands",
        make_commands,
        run_commands,
        planted={"FormatError": instead(sys.modules[__name__], "run_command", _rewriting)},
    ),
    Attack(
        "kills-downloading",
        make_downloading,
        run_downloading,
        planted={"leaves half a file": instead(Download, "start", _into_place)},
    ),
    Attack(
        "kills-settings",
        make_settings,
        run_settings,
        planted={"settings are of several times": instead(Settings, "set", _one_by_one)},
    ),
]
