"""Sessions with faults in every field, huge ones, and such whose tokenizers and texts are none, gone or changed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import session_window as shown
import zoo
from attack import Attack, Case, check_sentence
from planting import fail_inside, instead, no_sentence, patched, together
from PySide6.QtCore import QSettings
from small_vocabularies import of_pieces

from tokenarium.models import scene_store
from tokenarium.models.compare import prices
from tokenarium.models.scene import BOUNDS, Scene, SceneError, SceneText, read_scene
from tokenarium.models.scene_store import SceneStore
from tokenarium.models.scene_texts import read_scene_file, text_path, write_session
from tokenarium.models.tokenizers import tokenizer_sets
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.widgets.text.text_opening import TextOpening

SESSION = Path("a.tokenarium")


def _show(path: Path) -> str:
    """Shows a session in the window; returns one word on what came of it."""
    made = shown.window()
    shown.begin_again(made)
    with shown.looked_at(made):
        made.take_files([path.absolute()])
    refused = any(
        "is not a Tokenarium session" in said or "cannot be read" in said for said in shown.SAID
    )
    return "refused" if refused else "shown"


# Values.


def make_fields(chance: Random) -> Case:
    """Returns a session with wrong values, unknown fields and settings, and fields that are gone."""
    return {"json": shown.written(shown.scene_of(chance))}


def run_fields(case: Case) -> str:
    """Opens it in a window: what makes sense is shown, the rest is said, and all of it can be undone."""
    SESSION.write_bytes(case["json"])
    return _show(SESSION)


def make_bytes(chance: Random) -> Case:
    """Returns a session with faults in its bytes."""
    data = bytearray(shown.written(shown.scene_of(chance)))
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(data) + 1)
        if chance.random() < 0.2:
            del data[at:]
            data += b"}"
        else:
            data[at : at + chance.randrange(3)] = chance.choice(
                [b'"', b"{", b"]", b"\\", b"\0", b"\xed\xa0\x80", b"\xff", b"1e9", b"", b"[" * 90]
            )
    return {"json": bytes(data)}


def run_bytes(case: Case) -> str:
    """Reads it: a scene or a sentence."""
    try:
        found = read_scene(case["json"])
    except SceneError as error:
        check_sentence(error)
        return "refused"
    shown.check_bounded(found.scene)
    return "read"


# Much of something.


def run_bulk(case: Case) -> str:
    """Opens a session with much of one thing: it is read in time, in bounds, and a few lines are said of it."""
    text = shown.bulk_text(case["kind"], case["count"])
    SESSION.write_text(text, encoding="utf-8")
    try:
        found = read_scene_file(SESSION)
    except SceneError as error:
        check_sentence(error)
    else:
        shown.check_bounded(found.scene)
        assert len(found.left_out) <= 20, f"{len(found.left_out):,} sentences are said of it"
    assert len(text) <= BOUNDS.most_bytes + BOUNDS.most_text or _is_refused(text), "it is too large"
    return _show(SESSION)


def _is_refused(text: str) -> bool:
    try:
        read_scene(text.encode())
    except SceneError:
        return True
    return False


# Tokenizers.

TOKENIZERS = ["good", "other", "text", "cut off", "empty", "binary", "missing", "folder", "pipe", "closed"]  # fmt: skip
ACTIONS = ["undo", "redo", "open", "add", "remove", "turn off", "text", "wait"]


def make_tokenizers(chance: Random) -> Case:
    """Returns a session with tokenizers that are none, and what is done before and after they are refused."""
    return {
        "tokenizers": [chance.choice(TOKENIZERS) for _ in range(chance.randrange(1, 7))],
        "hash": chance.random() < 0.3,
        "pattern": chance.choice(["", "", "gpt2", "(", "a" * 3000]),
        "steps": [
            [chance.choice(ACTIONS), chance.choice(TOKENIZERS)]
            for _ in range(chance.randrange(1, 9))
        ],
    }


def run_tokenizers(case: Case) -> str:
    """Opens it: what is refused is taken out of its step, whatever is done until then; undo and redo bring back the rest."""
    paths = {kind: _make_tokenizer(kind) for kind in TOKENIZERS}
    tokenizers = [
        {
            "key": f"file:{paths[kind]}",
            "pattern": case["pattern"],
            "sha256": "0" * 64 if case["hash"] else "",
        }
        for kind in case["tokenizers"]
    ]
    scene = {"tokenarium": 1, "text": {"inline": "another"}, "tokenizers": tokenizers}
    SESSION.write_bytes(shown.written(scene))
    made = shown.window()
    shown.begin_again(made)
    session, stack = made.session, made.session.edits.undo_stack
    do: dict[str, Callable[[Path], object]] = {
        "undo": lambda path: made.undo_commands.undo(),
        "redo": lambda path: made.undo_commands.redo(),
        "open": lambda path: made.take_files([SESSION.absolute()]),
        "add": session.edits.add_file,
        "remove": lambda path: session.edits.remove(f"file:{path}"),
        "turn off": lambda path: session.edits.turn_on(f"file:{path}", False),
        "text": lambda path: session.set_text(f"{session.text}!"),
        "wait": lambda path: shown.rest(made),
    }
    with shown.looked_at(made):
        made.take_files([SESSION.absolute()])
        for what, kind in case["steps"]:
            do[what](paths[kind])
        shown.rest(made)
        while stack.can_redo:  # what the steps have undone
            made.undo_commands.redo()
            shown.rest(made)
    Path("closed").chmod(0o700)
    return "shown"


def _make_tokenizer(kind: str) -> Path:
    """Makes a file that is a tokenizer, or is none in one of many ways; returns its path."""
    path = Path(f"{kind}.json").absolute()
    if kind in ("good", "other"):
        of_pieces(zoo.PIECES if kind == "good" else []).save(path, "huggingface")
    elif kind == "text":
        path = path.with_suffix(".txt")
        path.write_text("a text, and no tokenizer")
    elif kind == "cut off":
        path.write_text('{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b"')
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "binary":
        path.write_bytes(bytes(range(256)) * 20)
    elif kind == "folder":
        path.mkdir(exist_ok=True)
    elif kind == "pipe":
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    elif kind == "closed":
        folder = Path("closed")
        folder.mkdir(exist_ok=True)
        path = folder.absolute() / "in.json"
        path.write_text("{}")
        folder.chmod(0o000)
    return path


# Texts beside it.

FAULTS = ["none", "missing", "changed", "folder", "pipe", "not UTF-8", "cut off", "other name", "empty"]  # fmt: skip
NAMES = ["..", "../a.txt", "/etc/hostname", "a/b", "a\0b", "\ud800", "x" * 300, "C:a", "a.tokenarium"]  # fmt: skip


def make_texts(chance: Random) -> Case:
    """Returns a large text and a large setting, and what is wrong with the files that have them."""
    return {
        "part": zoo.text_of(chance) or "a",
        "size": chance.choice([10, 70_000, 1_100_000, 2_200_000]),
        "setting": chance.choice([0, 1000, 70_000, 300_000]),
        "fault": chance.choice(FAULTS),
        "name": chance.choice(NAMES),
    }


def run_texts(case: Case) -> str:
    """Saves a session and opens it: the text is the same, or it is said why not, and nothing else is read."""
    text, setting = _long(case["part"], case["size"]), _long(case["part"], case["setting"])
    scene = Scene(text=SceneText(text), pages={"bytes.decode": {"ids": setting}})
    write_session(scene, SESSION)
    beside = sorted(path for path in Path().glob("*.txt"))
    assert SESSION.stat().st_size < 4 << 20, "a large text is in the session"
    for path in beside:
        _spoil(path, case["fault"])
    if case["fault"] == "other name":
        data = SESSION.read_bytes()
        for path in beside:
            name = case["name"].encode("utf-8", "surrogatepass").replace(b"\0", b"\\u0000")
            data = data.replace(path.name.encode(), name)
        SESSION.write_bytes(data)
    found = read_scene_file(SESSION)
    shown.check_bounded(found.scene)
    kept = found.scene.pages["bytes.decode"].get("ids")
    word = _show(SESSION)
    made = shown.window()
    if case["fault"] == "none" or not beside:
        assert kept == setting, "a setting does not come back"
        assert made.session.text == text, "a text does not come back"
        assert not found.left_out, "something is said of a whole session"
        return word
    said = " ".join([*found.left_out, *shown.SAID])
    assert said, "nothing is said of a text that is gone or changed"
    return "a text that is not there"


def _long(part: str, size: int) -> str:
    return (part * (size // len(part) + 1))[:size]


def _spoil(path: Path, fault: str) -> None:
    if fault == "missing":
        path.unlink()
    elif fault == "changed":
        path.write_bytes(b"!" + path.read_bytes()[1:] + b"?")
    elif fault == "not UTF-8":
        path.write_bytes(path.read_bytes()[:100] + b"\xff\xfe\x00")
    elif fault == "cut off":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault in ("folder", "pipe"):
        path.unlink()
        path.mkdir() if fault == "folder" else os.mkfifo(path)


# What is kept from one run to the next.


def make_kept(chance: Random) -> Case:
    """Returns what a window keeps as its user works: texts and settings of all sizes, and when it is set aside."""
    return {
        "turns": [
            {
                "part": zoo.text_of(chance) or "a",
                "size": chance.choice([0, 3, 5_000, 1_100_000, 1_500_000]),
                "setting": chance.choice([0, 10, 70_000]),
                "wild": chance.choice([None, 1e308, [1, "\ud800"], {"a": [10**30]}]),
                "then": chance.choice(["", "", "", "read", "crash", "aside"]),
            }
            for _ in range(chance.randrange(1, 6))
        ]
    }


def run_kept(case: Case) -> str:
    """Keeps each, and reads the last one again: it is whole; so is each that was set aside."""
    folder = Path("session")
    store = SceneStore(folder)
    aside: list[str] = []
    for turn in case["turns"]:
        text = _long(turn["part"], turn["size"])
        setting = _long(turn["part"], turn["setting"])
        pages = {"bytes.decode": {"ids": setting, "more": turn["wild"]}}
        utf8 = text.encode("utf-8", "surrogatepass")
        store.keep(Scene(pages=pages), utf8, "", "", 1 << 20)
        if turn["then"] == "aside":
            store.set_aside(Scene(text=SceneText(text), pages=pages))
            aside.append(text)
            continue
        found = store.last()
        assert found is not None
        assert _text_of(found) == text, "the text that was kept does not come back"
        assert found.scene.pages["bytes.decode"]["ids"] == setting, "a setting does not come back"
        assert not found.left_out, found.left_out[0]
        if turn["then"] != "crash":
            store.was_shown()
            continue
        try:
            SceneStore(folder).last()
        except SceneError as error:
            check_sentence(error)
            aside.append(text)
        else:
            raise AssertionError("a session that ended the program is shown again")
    kept = sorted(_text_of(read_scene_file(path)) for path, _ in store.asides())
    assert kept == sorted(aside), "what was set aside is not whole"
    texts = list(folder.glob("*.txt"))
    assert len(texts) <= 2 * len(aside) + 6, f"{len(texts)} texts are left"
    store.clear()
    assert not list(folder.glob("*.t*")), "something stays that was to be removed"
    shutil.rmtree(folder)
    return "kept"


# Prices and sets in the settings.

PRICE_PARTS = ["", "0", "2.5", "-1", "nan", "inf", "1e999", "1_0", "９", "1000001", "\t", "2,5"]
SET_LINES = [
    "[]",
    "{}",
    "[[]]",
    '["a"]',
    '["a", 1]',
    '["a", ""]',
    "[" * 5000,
    '["\\ud800", "k"]',
    "null",
]


def make_settings(chance: Random) -> Case:
    """Returns lines of prices and of sets, some of them sound, and a currency."""

    def name() -> str:
        return chance.choice(["large", "x" * 5000, "a\u202eb", " a", "日本語", zoo.text_of(chance)])

    priced = []
    for _ in range(chance.choice([1, 3, 200])):
        parts = [name(), *(chance.choice(PRICE_PARTS) for _ in range(2)), name()]
        priced.append("\t".join(parts[: chance.choice([4, 4, 4, chance.randrange(5)])]))
    sets = []
    for _ in range(chance.choice([1, 3, 200])):
        keys = [name() for _ in range(chance.choice([0, 1, 3, 300]))]
        sound = json.dumps([name(), *keys], ensure_ascii=chance.random() < 0.5)
        sets.append(chance.choice([sound, sound, sound[:-1], *SET_LINES]))
    return {"prices": priced, "sets": sets, "currency": chance.choice(["$", "EUR", name()])}


def run_settings(case: Case) -> str:
    """Reads them from a file of settings: what is sound is kept within bounds, and is the same after it is saved again."""
    path = Path("settings.conf")
    path.unlink(missing_ok=True)

    def open_settings() -> Settings:
        return Settings(QSettings(str(path), QSettings.Format.IniFormat))

    store = open_settings()
    keep = (settings.PRICES, case["prices"]), (settings.TOKENIZER_SETS, case["sets"])
    for setting, lines in keep:
        store.set(setting, [_without_surrogates(line) for line in lines])
    store.set(settings.CURRENCY, _without_surrogates(case["currency"]))
    assert store.write(), "the settings cannot be written"
    found, sets = _priced(open_settings()), _sets(open_settings())
    assert len(found.prices) <= prices.MOST_PRICES, "too many prices"
    assert len(sets) <= tokenizer_sets.MOST_SETS, "too many sets"
    assert all(len(name) <= tokenizer_sets.LONGEST_SET_NAME for name in sets), "a name is too long"
    for price in found.prices:
        said = prices.cost_text(price, 1e9, found.currency, True)
        assert (
            said.replace("\u2068", "").replace("\u2069", "").replace("\u00a0", "").isprintable()
        ), said
    store = open_settings()
    store.set(settings.PRICES, found.lines())
    store.set(settings.CURRENCY, found.currency)
    store.set(settings.TOKENIZER_SETS, tokenizer_sets.set_lines(sets))
    assert store.write(), "the settings cannot be written"
    again = _priced(open_settings()), _sets(open_settings())
    assert again == (found, sets), "what was read does not come back"
    return "kept" if found.prices or sets else "left out"


def _priced(store: Settings) -> prices.PriceList:
    return prices.kept_prices(store.get(settings.PRICES), store.get(settings.CURRENCY))


def _sets(store: Settings) -> dict[str, tuple[str, ...]]:
    return tokenizer_sets.kept_sets(store.get(settings.TOKENIZER_SETS))


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _text_of(found: Any) -> str:
    path = text_path(found)
    if path is None:
        return str(found.scene.text.inline)
    work = TextOpening(path, kept=True)
    while not work.step(1e9).finished:
        pass
    return work.text_map.text


def _all_sets(lines: Any) -> dict[str, tuple[str, ...]]:
    return {str(number): ("k",) for number in range(101)}


def _without_last(before: Any) -> Any:
    return lambda listed, tokenizers=None: before(listed, tokenizers)[:-1]


def _losing(before: Any) -> Any:
    return lambda folder, pattern, wanted: before(folder, pattern, set())


def _one_name(_: Any) -> Any:
    return lambda store: store.folder / "set-aside.tokenarium"


_LONG = together(
    patched("tokenarium.models.scene.listed", lambda names, most=5: ", ".join(names)),
    patched("tokenarium.app.scenes.some_sentences", " ".join),
)
_SILENT = together(
    patched("tokenarium.app.scenes.sha256", lambda data: "0" * 64),
    patched("tokenarium.models.scene_texts.is_plain_name", lambda name: True),
    patched("tokenarium.app.scenes.some_sentences", lambda said: ""),
)

ATTACKS = [
    Attack(
        "sessions-settings",
        make_settings,
        run_settings,
        planted={
            "too many sets": patched(
                "tokenarium.models.tokenizers.tokenizer_sets.kept_sets", _all_sets
            ),
            "does not come back": instead(prices.PriceList, "lines", _without_last),
        },
    ),
    Attack(
        "sessions-fields",
        make_fields,
        run_fields,
        seconds=40.0,
        patience=120.0,
        planted={"A PLANTED FAULT": patched("tokenarium.models.scene._reason", fail_inside)},
    ),
    Attack(
        "sessions-bytes",
        make_bytes,
        run_bytes,
        planted={"is no sentence": patched("tokenarium.models.scene.read_json", no_sentence)},
    ),
    Attack(
        "sessions-bulk",
        shown.case_of_bulk,
        run_bulk,
        seconds=40.0,
        patience=120.0,
        planted={"too much was read": shown.UNBOUNDED, "characters": _LONG},
    ),
    Attack(
        "sessions-tokenizers",
        make_tokenizers,
        run_tokenizers,
        seconds=40.0,
        patience=120.0,
        planted={
            "Error": patched(
                "tokenarium.session.undo_stack.UndoStack.withdraw_about", lambda *_: None
            )
        },
    ),
    Attack(
        "sessions-texts",
        make_texts,
        run_texts,
        seconds=40.0,
        patience=120.0,
        planted={"nothing is said": _SILENT},
    ),
    Attack(
        "sessions-kept",
        make_kept,
        run_kept,
        planted={
            "not come back": instead(scene_store, "_remove_texts", _losing),
            "set aside is not whole": instead(SceneStore, "_free_aside", _one_name),
        },
    ),
]
