"""The measure cache, changed, damaged, in the way or used by several at once: figures are those without a cache."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import zoo
from attack import Attack, Case, apart, ended, forked
from planting import instead
from small_files import new_folder, write_file
from small_vocabularies import rank_file

import tokenarium_core as tc
from tokenarium.analyses.study_tables import study_files
from tokenarium.models.compare import intervals, kept_counts, measure_cache
from tokenarium.models.compare.comparing import ComparedTokenizer, count_files
from tokenarium.models.compare.intervals import MEASURED
from tokenarium.models.compare.measure_cache import key_of, load_arrays, store_arrays, tally_arrays
from tokenarium.models.compare.unit_rows import COLUMNS
from tokenarium.models.files import MEASURES
from tokenarium.models.studies import study_counts
from tokenarium.models.studies.study import run_study
from tokenarium.models.studies.study_file import UNITS, Study, StudyText, StudyTokenizer
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium_core import tokenizer_cache
from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.tokenizer_cache import CacheWriter

CACHE = Path("kept")
KINDS = ["bytes, own pattern", "vocab.txt", "unigram, bytes", "bpe, case", "llama3", "bert"]
PATTERNS = ["gpt2", "cl100k"]
"""They split long numbers differently."""

PIECES = ["th", "he", "00 ", "01"]
Figures = dict[str, Any]


# Studies.


def _text(chance: Random, form: str) -> str:
    lines = [f"{zoo.whole(zoo.text_of(chance, 5))} 0000000{chance.randrange(100)}" for _ in range(chance.randrange(2, 7))]  # fmt: skip
    if form == "txt":
        return "\n".join(lines)
    return "\n".join(json.dumps({"text": line, "other": line[::-1]}) for line in lines)


def make_study(chance: Random) -> Case:
    """Returns what is measured: tokenizers, texts with their forms, and how."""
    forms = [chance.choice(["txt", "jsonl"]) for _ in range(chance.randrange(1, 3))]
    return {
        "kind": chance.choice(KINDS),
        "pattern": chance.choice(PATTERNS),
        "piece": chance.choice(PIECES),
        "texts": [[form, _text(chance, form)] for form in forms],
        "field": "text",
        "unit": chance.choice(UNITS),
        "measures": chance.sample(MEASURED, chance.randrange(1, 4)),
        "resamples": chance.choice([20, 40]),
        "seed": chance.randrange(3),
        "files": chance.random() < 0.15,
    }


def _written(case: Case) -> None:
    """Writes the files of a study: always under the same names, and as if at the same time."""
    zoo.shared(case["kind"]).save(Path("one.tokenarium"))
    Path("other.tiktoken").write_bytes(rank_file([b"00", case["piece"].encode()]))
    for number, (form, text) in enumerate(case["texts"]):
        Path(f"{number}.{form}").write_text(text, "utf-8", newline="")
    for path in Path().glob("*.*"):
        os.utime(path, (10**9, 10**9))


def _figures(case: Case, cache: Path | str) -> Figures:
    """Returns all figures of a study whose files are written, or the sentence that refuses it."""
    paths = [f"{number}.{form}" for number, (form, _) in enumerate(case["texts"])]
    with (
        mock.patch.dict(os.environ, {tokenizer_cache.VARIABLE: str(cache)}),
        mock.patch.object(measure_cache, "is_worth_caching", Path.is_file),
        mock.patch.object(intervals, "_KEPT", 1),
    ):
        try:
            return _of_files(case, paths) if case["files"] else _of_study(case, paths)
        except TokenariumError as error:
            return {"refused": str(error)}


def _open(path: str, pattern: str) -> tc.Tokenizer:
    return tc.open(path, pattern=pattern or None, cache=False)


def _of_study(case: Case, paths: list[str]) -> Figures:
    study = Study(
        (
            StudyTokenizer("one", "one.tokenarium"),
            StudyTokenizer("other", "other.tiktoken", pattern=case["pattern"]),
        ),
        tuple(StudyText(path, path, field=case["field"]) for path in paths),
        unit=case["unit"],
        measures=tuple(case["measures"]),
        seed=case["seed"],
        resamples=case["resamples"],
    )
    found: Figures = dict(study_files(run_study(study, _open)))
    return found


class _Hearer:
    asked_to_stop = False

    def __call__(self, _: object) -> None:
        pass


def _of_files(case: Case, paths: list[str]) -> Figures:
    candidates = [
        ComparedTokenizer("one", "one", "one.tokenarium"),
        ComparedTokenizer("other", "other", "other.tiktoken", case["pattern"]),
    ]
    sources = [CorpusSource("file", path, field=case["field"]) for path in paths]
    found = count_files(_Hearer(), candidates, sources)  # type: ignore[arg-type]
    tallies = {
        key: [array.tolist() for array in tally_arrays(one)] for key, one in found.tallies.items()
    }
    samples = {key: (one.values, one.samples.tobytes()) for key, one in found.sampled.items()}
    return {"tallies": tallies, "samples": samples, "files": found.files, "notes": found.notes}


def _check(case: Case, wanted: Figures, what: str) -> None:
    assert _figures(case, CACHE) == wanted, f"with a cache, {what} changes the figures"


def _forms() -> list[Path]:
    folder = CACHE / MEASURES
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _check_whole(what: str) -> None:
    """Checks that each stored form can be loaded."""
    forms = _forms()
    if any(
        path.is_symlink() for path in forms
    ):  # what is stored in one's place goes where it leads
        return
    with mock.patch.dict(os.environ, {tokenizer_cache.VARIABLE: str(CACHE)}):
        for path in forms:
            if path.suffix == tokenizer_cache.SUFFIX and path.is_file():
                assert load_arrays(path.stem) is not None, f"{what} leaves half a stored form"


# What differs.


def _other_text(chance: Random, case: Case) -> None:
    """Changes a digit, so that the file keeps its size."""
    place = chance.randrange(len(case["texts"]))
    form, text = case["texts"][place]
    at = max(text.rfind(digit) for digit in "0123456789")
    case["texts"][place] = [form, f"{text[:at]}x{text[at + 1 :]}"]


def _other_form(chance: Random, case: Case) -> None:
    texts = case["texts"]
    texts[0] = ["jsonl" if texts[0][0] == "txt" else "txt", texts[0][1]]


CHANGES: dict[str, Callable[[Random, Case], object]] = {
    "another text": _other_text,
    "another form": _other_form,
    "another order": lambda _, case: case["texts"].reverse(),
    "another field": lambda _, case: case.update(field="other"),
    "another unit": lambda _, case: case.update(unit=UNITS[case["unit"] == UNITS[0]]),
    "another seed": lambda _, case: case.update(seed=case["seed"] + 1),
    "another number of samples": lambda _, case: case.update(resamples=case["resamples"] + 1),
    "another measure": lambda chance, case: case.update(measures=chance.sample(MEASURED, 3)),
    "another pattern": lambda _, case: case.update(
        pattern=PATTERNS[case["pattern"] == PATTERNS[0]]
    ),
    "another vocabulary": lambda chance, case: case.update(piece=chance.choice(PIECES)),
    "another tokenizer": lambda chance, case: case.update(kind=chance.choice(KINDS)),
}


def make_changed(chance: Random) -> Case:
    """Returns a study, and the same with something else in it."""
    first = make_study(chance)
    second = json.loads(json.dumps(first))
    change = chance.choice(list(CHANGES))
    CHANGES[change](chance, second)
    return {"first": first, "second": second, "change": change}


def run_changed(case: Case) -> str:
    """Measures one after the other with one cache: each gives its own figures."""
    wanted = []
    for name in ("first", "second"):
        _written(case[name])
        wanted.append(_figures(case[name], tokenizer_cache.OFF))
    for name, figures in zip(("first", "second") * 2, wanted * 2, strict=True):
        _written(case[name])
        _check(case[name], figures, case["change"])
    return str(case["change"])


# Damage.


def _foreign(number: int) -> list[Any]:
    """Returns arrays that no measure has, or not under this key."""
    wide = np.zeros((4, 1, len(COLUMNS)), np.int64)
    return [
        [],
        [np.zeros(2, np.int64)],
        [np.array([5, 1]), wide],
        [np.array([4, 0]), wide],
        [np.array([-4, -1]), wide],
        [np.array([4, 1]), wide[..., :3]],
        [np.array([4.5, np.nan]), wide.astype(np.float64)],
        [np.array([4, 1]), wide, wide],
        [np.zeros((0, 0)), np.zeros(0)],
        [np.array(np.iinfo(np.int64).max), np.array(1)],
    ][number % 10]


RAW = [
    ("<i8", "2", zlib.compress(bytes(1 << 26), 1)),
    ("<i8", str(1 << 62), b""),
    ("<i8", "-2", zlib.compress(bytes(16))),
    ("<i8", "3", zlib.compress(bytes(16))),
    ("<i8", "x", zlib.compress(bytes(16))),
    ("<i8", ",".join(["1"] * 100), zlib.compress(bytes(8))),
    ("O", "2", zlib.compress(bytes(16))),
    ("no type", "2", zlib.compress(bytes(16))),
    ("<f8,<f8", "2", zlib.compress(bytes(32))),
    ("<i8", "2", b"not compressed"),
]
"""Types, shapes and contents of arrays that no program writes."""


def _raw(number: int) -> bytes:
    writer = CacheWriter()
    writer.number(2 if number % 2 else 1 << 40)
    dtype, shape, content = RAW[number % len(RAW)]
    writer.text(dtype)
    writer.text(shape)
    writer.data(content)
    return writer.getvalue()


DAMAGES = [
    *("flip", "flip", "flip", "cut", "zeros", "longer", "empty", "swapped", "byte order"),
    *("huge head", "foreign", "raw", "folder", "pipe", "link", "version", "gone"),
]


def make_damaged(chance: Random) -> Case:
    """Returns a study, and what becomes of its stored forms."""
    damages = [
        [chance.choice(DAMAGES), chance.random(), chance.randrange(1, 256)] for _ in range(12)
    ]
    if (
        chance.random() < 0.5
    ):  # the same for all: what one form refuses, another does not make up for
        damages = damages[:1] * 12
    return {"study": make_study(chance), "damages": damages}


def run_damaged(case: Case) -> str:
    """Measures, damages what is stored, and measures again: the figures are the same, and so they are once more."""
    study = case["study"]
    _written(study)
    wanted = _figures(study, tokenizer_cache.OFF)
    _check(study, wanted, "nothing")
    forms = _forms()
    assert forms or "refused" in wanted, "nothing is stored, so this tries nothing"
    for path, damage in zip(forms, case["damages"], strict=False):
        _damage(path, forms, *damage)
    for _ in range(2):
        _check(study, wanted, "damage")
    _check_whole("damage")
    return "held" if forms else "refused"


def _damage(path: Path, forms: list[Path], way: str, place: float, value: int) -> None:
    content = path.read_bytes() if path.is_file() else b""
    at = int(place * len(content))
    head, end, body = content.partition(b"\n")
    if way == "foreign":
        with mock.patch.dict(os.environ, {tokenizer_cache.VARIABLE: str(CACHE)}):
            store_arrays(path.stem, _foreign(value))
        return
    if way in ("folder", "pipe", "link", "gone"):
        path.unlink()
        if way == "folder":
            path.mkdir()
        elif way == "pipe":
            os.mkfifo(path)
        elif way == "link":
            path.symlink_to(forms[value % len(forms)].absolute())
        return
    other = forms[value % len(forms)]
    ways: dict[str, Callable[[], bytes]] = {
        "flip": lambda: content[:at] + bytes([content[at] ^ value]) + content[at + 1 :],
        "cut": lambda: content[:at],
        "zeros": lambda: content[:at] + bytes(value) + content[at + value :],
        "longer": lambda: content[:at] + bytes(value) + content[at:],
        "empty": lambda: b"",
        "swapped": lambda: other.read_bytes() if other.is_file() else b"",
        "byte order": lambda: content.replace(b"<i8", b">i8").replace(b"<f8", b">f8"),
        "huge head": lambda: head + end + (value << (value % 55)).to_bytes(8, "little") + body[8:],
        "raw": lambda: head + end + _raw(value),
        "version": lambda: content.replace(tc.__version__.encode(), b"0.0.0", 1),
    }
    path.write_bytes(ways[way]() if content else b"")


class _Unchecked:
    """Reads a stored form without its checksums."""

    def __init__(self, content: bytes) -> None:
        body = content.partition(b"\n")[2]
        size = int.from_bytes(body[:8], "little", signed=True)
        self._parts = [body[16:][: max(size, 0)], body[16:][max(size, 0) :]]

    def _taken(self, size: int, part: int = 0) -> bytes:
        taken, self._parts[part] = self._parts[part][:size], self._parts[part][size:]
        if size < 0 or len(taken) < size:
            raise FormatError("It is cut off.")
        return taken

    def number(self) -> int:
        return int.from_bytes(self._taken(8), "little", signed=True)

    def data(self) -> bytes:
        size = self.number()
        if size < 4096:
            return self._taken(size)
        self.number()
        return self._taken(size, 1)

    def text(self) -> str:
        return self.data().decode("latin-1")

    def close(self) -> None:
        pass


def _without_checksums(before: Any) -> Any:
    def load(source: str, format: str, folder: Path) -> Any:
        reader = before(source, format, folder)
        path = tokenizer_cache.stored_path(source, folder)
        if reader is not None:
            reader.close()
        whole = path.is_file() and path.read_bytes().startswith(b"tokenarium")
        return _Unchecked(path.read_bytes()) if whole else None

    return load


# Surroundings.


@dataclass
class _Meanwhile:
    """Does something in the middle of counting."""

    way: str
    left: int

    def __call__(self) -> None:
        self.left -= 1
        if self.left:
            return
        if self.way == "removed":
            shutil.rmtree(CACHE, ignore_errors=True)
        elif self.way == "replaced":
            shutil.rmtree(CACHE, ignore_errors=True)
            CACHE.write_bytes(b"a file")
        elif self.way == "read-only":
            CACHE.mkdir(exist_ok=True)
            CACHE.chmod(0o500)


BEFORE: dict[str, Callable[[], object]] = {
    "a file": lambda: CACHE.write_bytes(b"a file"),
    "a link to nowhere": lambda: CACHE.symlink_to("nowhere/at/all"),
    "a link to itself": lambda: CACHE.symlink_to(CACHE.name),
    "a pipe": lambda: os.mkfifo(CACHE),
    "nothing may be written": lambda: CACHE.mkdir(0o500),
    "a file inside": lambda: write_file(new_folder(CACHE) / MEASURES, ""),
}
"""What is in the place of the cache."""

MEANWHILE = ["removed", "replaced", "read-only"]
OTHERS = ["full", "full", "full", "several", "clock", "no room"]


def make_room(chance: Random) -> Case:
    """Returns a study, and what is wrong around the cache."""
    return {
        "study": make_study(chance),
        "way": chance.choice([*BEFORE, *MEANWHILE, *OTHERS, *OTHERS]),
        "after": chance.randrange(1, 12),
        "bytes": chance.choice([0, 1, 100, 300, 1000, 3000, 10_000]),
        "time": chance.choice([0, 1, 10**9, 4 * 10**9]),
    }


def run_room(case: Case) -> str:
    """Measures twice: it is as without a cache, and what is stored is whole."""
    study, way = case["study"], case["way"]
    _written(study)
    wanted = _figures(study, tokenizer_cache.OFF)
    if way in BEFORE:
        BEFORE[way]()

    def twice() -> None:
        for _ in range(2):
            _check(study, wanted, way)

    if way in MEANWHILE:
        meanwhile = _Meanwhile(way, case["after"])
        count = study_counts.unit_counts

        def counting(tokenizers: list[tc.Tokenizer], unit: str) -> list[list[int]]:
            meanwhile()
            return count(tokenizers, unit)

        with mock.patch.object(study_counts, "unit_counts", counting):
            twice()
    elif way == "full":

        def limited() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (case["bytes"], resource.RLIM_INFINITY))
            twice()

        apart(limited)
    elif way == "several":
        several = [forked(twice) for _ in range(2)]
        codes = [ended(number) for number in several]
        assert codes == [0, 0], "several at once change the figures"
    elif way == "clock":
        twice()
        for path in _forms():
            os.utime(path, (case["time"], case["time"]))
    elif way == "no room":
        with mock.patch.object(measure_cache, "MOST_BYTES", case["bytes"]):
            twice()
            size = sum(path.stat().st_size for path in _forms())
        assert size <= case["bytes"], "more is stored than there is room for"
    twice()
    _check_whole(f"{way!r}")
    return str(way)


# Planted faults.


def _halves(before: Any) -> Any:
    """Returns what leaves half of a stored form."""

    def store(source: str, format: str, folder: Path, writer: CacheWriter) -> None:
        before(source, format, folder, writer)
        path = tokenizer_cache.stored_path(source, folder)
        if path.is_file():
            content = path.read_bytes()
            path.write_bytes(content[: len(content) // 2])

    return store


def _without(part: str, value: Any) -> Callable[[Any], Any]:
    """Returns what makes keys in which one part is always the same."""
    return lambda before: (
        lambda what, **parts: before(what, **(parts | ({part: value} if part in parts else {})))
    )


def _by_files(_: Any) -> Any:
    return lambda tokenizer, sha256="": key_of("tokenizer", files=tokenizer.source.digests())


ATTACKS = [
    Attack(
        "measures-changed",
        make_changed,
        run_changed,
        planted={
            "another seed changes": instead(intervals, "key_of", _without("seed", 0)),
            "another measure changes": instead(intervals, "key_of", _without("measures", [])),
            "another unit changes": instead(kept_counts, "key_of", _without("unit", "")),
            "another text changes": instead(kept_counts, "key_of", _without("sha256", "")),
            "another form changes": instead(kept_counts, "key_of", _without("form", "")),
            "another field changes": instead(kept_counts, "key_of", _without("field", "")),
            "another pattern changes": instead(study_counts, "tokenizer_key", _by_files),
        },
    ),
    Attack(
        "measures-damaged",
        make_damaged,
        run_damaged,
        planted={
            "damage changes the figures": instead(tokenizer_cache, "load", _without_checksums),
        },
    ),
    Attack(
        "measures-room",
        make_room,
        run_room,
        planted={"leaves half a stored form": instead(tokenizer_cache, "store", _halves)},
    ),
]

SEEDS = (zoo.make_all,)
