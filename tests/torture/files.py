"""Files of every format with faults in their structure; those that open are used in every way."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from random import Random
from typing import Any

import mutation_seeds
import mutations
import zoo
from attack import Attack, Case
from foreign_files import FOREIGN_FILES
from planting import Bent, backwards, bent, instead, with_a_fault, without_a_sentence

import tokenarium_core as tc

FOLDER = "case"
KEPT = ["json bytes", "json llama", "model bytes", "model bpe"]
"""What the cache of opened files holds of large files."""

SIZE = (1 << 20) + (1 << 16)
"""Bytes of a file that is worth a place in the cache."""


@functools.cache
def _seeds() -> dict[str, mutations.Files]:
    return mutation_seeds.seeds()


def make_mutant(chance: Random) -> Case:
    """Returns the files of a tokenizer with some faults in them."""
    kind = chance.choice(list(_seeds()))
    files = mutations.mutated(chance, _seeds()[kind])
    return {
        "kind": kind,
        "files": files,
        "chance": chance.randrange(1 << 30),
        "text": zoo.text_of(chance),
    }


def run_mutant(case: Case) -> str:
    """Opens it: it is refused with a sentence, or encodes, decodes, traces and saves."""
    folder = Path(FOLDER)
    folder.mkdir()
    path = mutations.written(case["files"], folder)
    if not mutations.use(path, Random(case["chance"])):
        return "refused"
    try:
        tokenizer = tc.open(path, pattern="gpt2" if case["kind"] == "tiktoken" else None)
    except tc.TokenariumError:
        return "opened"
    for special in ("none", "all"):
        try:
            zoo.law(tokenizer, case["text"], special)
        except tc.TokenariumError:
            return "opened"
    return "opened"


def make_swapped(chance: Random) -> Case:
    """Returns two tokenizers of one kind, whose files take each other's place under one name and time."""
    kind = chance.choice(KEPT)
    return {
        "kind": kind,
        "files": mutations.mutated(chance, _seeds()[kind]),
        "keep_time": chance.random() < 0.7,
        "move": chance.random() < 0.5,
    }


def run_swapped(case: Case) -> str:
    """Opens one, and then the other in its place, through a cache: each gives its own ids."""
    folder, cache = Path(FOLDER), Path("kept")
    folder.mkdir()
    cache.mkdir()
    path = mutations.written(_large(_seeds()[case["kind"]]), folder)
    before = path.stat()
    for _ in range(2):
        _ids(path, cache)
    assert list(cache.iterdir()), "nothing is kept of a large file, so this tries nothing"
    if case["move"]:
        path.rename(folder / "other")
    mutations.written(_large(case["files"]), folder)
    if case["keep_time"]:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    expected = _ids(path, None)
    for _ in range(2):
        assert _ids(path, cache) == expected, "a cache changes the ids"
    return "opened" if expected else "refused"


def make_stored(chance: Random) -> Case:
    """Returns a tokenizer, and what becomes of its stored form in the cache."""
    return {
        "kind": chance.choice(KEPT),
        "way": chance.choice(["flipped", "cut off", "longer", "zeros", "swapped", "gone"]),
        "places": [chance.random() for _ in range(chance.choice([1, 3, 50]))],
        "bit": 1 << chance.randrange(8),
        "other": chance.choice(KEPT),
    }


def run_stored(case: Case) -> str:
    """Opens a file after its stored form was damaged: its ids are its own, and the form is made again."""
    folder, cache = Path(FOLDER), Path("kept")
    folder.mkdir()
    (folder / "other").mkdir()
    path = mutations.written(_large(_seeds()[case["kind"]]), folder)
    expected = _ids(path, None)
    assert _ids(path, cache) == expected
    (stored,) = cache.iterdir()
    content = bytearray(stored.read_bytes())
    size = len(content)
    if case["way"] == "swapped":
        other = mutations.written(_large(_seeds()[case["other"]]), folder / "other")
        _ids(other, Path("others"))
        content = bytearray(next(Path("others").iterdir()).read_bytes())
    for place in case["places"]:
        at = int(place * size)
        if case["way"] == "flipped":
            content[at] ^= case["bit"]
        elif case["way"] == "zeros":
            content[at : at + 100] = bytes(100)
        elif case["way"] == "cut off":
            del content[at:]
        elif case["way"] == "longer":
            content[at:at] = b"x" * case["bit"]
    stored.write_bytes(content)
    if case["way"] == "gone":
        stored.unlink()
    for _ in range(2):
        assert _ids(path, cache) == expected, "a stored form changes the ids"
    return "opened"


def _large(files: mutations.Files) -> mutations.Files:
    """Returns the files with what no reader looks at, so that all of them have one size."""
    made = {}
    for name, content in files.items():
        room = SIZE - len(content)
        if name.endswith(".json"):
            made[name] = content + b" " * room
        else:  # a field of a number that no model has, with three bytes for its length
            size = room - 5
            length = bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14])
            made[name] = content + b"\xc2\x3e" + length + bytes(max(size, 0))
    return made


def _ids(path: Path, cache: Path | None) -> list[list[int]]:
    """Returns the ids of some texts; nothing where the file is refused."""
    try:
        tokenizer = tc.open(path, cache=cache or False)
        return [tokenizer.encode_ids(text) for text in mutations.TEXTS]
    except tc.TokenariumError:
        return []


def make_foreign(chance: Random) -> Case:
    """Returns a file of a kind that is not read, perhaps cut off, with noise behind it, and under another name."""
    name, content, words = chance.choice(FOREIGN_FILES)
    whole = chance.random() < 0.5
    if not whole:
        content = content[: chance.randrange(len(content))] + chance.randbytes(chance.randrange(64))
        name = chance.choice(FOREIGN_FILES)[0]
    return {"name": name, "content": content, "words": words if whole else ""}


def run_foreign(case: Case) -> str:
    """Opens it by itself and as a folder: it is refused by its sentence, or by another one where it was changed."""
    folder = Path(FOLDER)
    folder.mkdir()
    path = folder / case["name"]
    path.write_bytes(case["content"])
    for source in (path, folder):
        said = ""
        try:
            tc.open(source)
        except tc.TokenariumError as error:
            said = str(error)
        if not said and not case["words"]:
            return "opened"
        assert said, "a foreign file opens"
        assert case["words"] in said, f"not named as {case['words']}: {said}"
        assert said.endswith((".", ")")), f"is no sentence: {said}"
    return "refused"


SEEDS = (_seeds,)


def _trusting(before: Any) -> Any:
    opened: set[Path] = set()

    def open(path: Path, cache: Path | bool = False, **named: Any) -> Any:
        tokenizer = before(path, cache=cache, **named)
        if not cache or path not in opened:
            opened.update([path] if cache else [])
            return tokenizer
        return Bent(tokenizer, encode_ids=backwards)

    return open


def _by_name(before: Any) -> Any:
    kept: dict[Path, tc.Tokenizer] = {}

    def open(path: Path, cache: Path | bool = False, **named: Any) -> Any:
        if not cache:
            return before(path, **named)
        if path not in kept:
            kept[path] = before(path, cache=cache, **named)
        return kept[path]

    return open


ATTACKS = [
    Attack(
        "files-mutant",
        make_mutant,
        run_mutant,
        planted={
            "is no sentence": instead(tc, "open", without_a_sentence),
            "A PLANTED FAULT": instead(tc, "open", with_a_fault),
            "a trace gives other ids": instead(tc, "open", bent(encode_ids=backwards)),
        },
    ),
    Attack(
        "files-swapped",
        make_swapped,
        run_swapped,
        planted={"a cache changes the ids": instead(tc, "open", _by_name)},
    ),
    Attack(
        "files-stored",
        make_stored,
        run_stored,
        planted={"a stored form changes the ids": instead(tc, "open", _trusting)},
    ),
    Attack(
        "files-foreign",
        make_foreign,
        run_foreign,
        planted={
            "not named as": instead(tc, "open", without_a_sentence),
            "A PLANTED FAULT": instead(tc, "open", with_a_fault),
        },
    ),
]
