"""Repairs of folders with faults: what is written is mended and nothing else, or nothing is written at all."""

from __future__ import annotations

import copy
import json
import os
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import diffs
import faulty_folders
import gguf_faults
import mutation_seeds
import mutations
import zoo
from attack import Attack, Case, check_sentence, others
from differing_pairs import fields_of
from planting import fail_inside, instead, together

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosing import EXAMINATION_OF, examined
from tokenarium.models.mending import mended_folder
from tokenarium.models.mending.difference_repairs import stage_repairs
from tokenarium.models.mending.finding_repairs import MENDABLE, repairs_of
from tokenarium.models.mending.gguf_repair import PRE, mended_gguf, with_pattern
from tokenarium.models.mending.mended_folder import MendedFolder, write_mended
from tokenarium.models.mending.repair import EditAction, FileEdit, Repair
from tokenarium.models.tokenizers.references import Reference, reference_for
from tokenarium.resources.samples_index import load_samples
from tokenarium_core.comparing.stage_differences import StageDifference, find_differences
from tokenarium_core.errors import TokenariumError

MODEL, OUT = Path("model"), Path("out")
SLOW = "unreachable"
FINDINGS = sorted(MENDABLE - {"same_model", SLOW})  # the first looks for other files of the user
KINDS = ("llama3", "llama2", "clip", "xlm_roberta", "falcon", "bert", "t5")
SPACE = 64
"""Bytes that a repair may write beside its value: a comma, white space, a line's indentation."""


# Findings.


def make_found(chance: Random) -> Case:
    """Returns the files of a folder with faults, perhaps broken otherwise too, and what changes before a repair is written."""
    files = faulty_folders.faulty(chance, KINDS)
    if chance.random() < 0.35:
        named = {name: content for name, content in files.items() if name.endswith(".json")}
        files = {**files, **mutations.mutated(chance, named)}
    return {
        "files": files,
        "in_place": chance.random() < 0.3,
        "every": chance.random() < 0.3,
        "findings": [*FINDINGS, SLOW] if chance.random() < 0.1 else FINDINGS,
        "meanwhile": chance.choice(["", "", "", *MEANWHILE]),
        "seed": chance.randrange(1 << 30),
    }


def _gone(chance: Random, path: Path) -> None:
    path.unlink()


def _emptied(chance: Random, path: Path) -> None:
    path.write_bytes(chance.choice([b"", b"{}", b"[]", b"null"]))


def _broken(chance: Random, path: Path) -> None:
    path.write_bytes(mutations.mutated_bytes(chance, path.read_bytes()))


def _moved(chance: Random, path: Path) -> None:
    """Moves what is in the lists and objects of a file: another value is where a repair looks for one."""
    tree = json.loads(path.read_bytes())
    for holder in (tree, tree.get("model", {})):
        for name, value in holder.items():
            if isinstance(value, list):
                holder[name] = value[::-1]
            elif isinstance(value, bool):
                holder[name] = not value
            elif isinstance(value, str):
                holder[name] = f"{value}x"
    path.write_text(json.dumps(tree), "utf-8")


def _mutated(chance: Random, path: Path) -> None:
    path.write_bytes(mutations.mutated_json(chance, path.read_bytes()))


MEANWHILE: dict[str, Callable[[Random, Path], None]] = {
    "gone": _gone,
    "emptied": _emptied,
    "broken": _broken,
    "moved": _moved,
    "mutated": _mutated,
}
"""What becomes of a file between looking for repairs and writing one."""


def run_found(case: Case) -> str:
    """Writes a repair of a finding: it is refused and nothing is written, or it does what it says and no more."""
    MODEL.mkdir()
    for name, content in case["files"].items():
        (MODEL / name).write_bytes(content)
    try:
        tokenizer = tc.open(MODEL)
    except TokenariumError:
        return "not opened"
    found = _repairs(tokenizer, case["findings"])
    if not found:
        return "nothing to mend"
    chance = Random(case["seed"])
    first = list({one.cause: one for one in reversed(found)}.values())
    chosen = first if case["every"] else [chance.choice(found)]
    if case["meanwhile"]:
        path = MODEL / chance.choice([one.file for repair in chosen for one in repair.edits])
        try:
            MEANWHILE[case["meanwhile"]](chance, path)
        except (OSError, ValueError, AttributeError, RecursionError):
            return "not changed"
    before = _contents(MODEL)
    out = MODEL if case["in_place"] else OUT
    try:
        written = write_mended(tokenizer, chosen, out)
    except TokenariumError as error:
        check_sentence(error)
        assert _contents(MODEL) == before, "a repair that was refused changes a file"
        assert not OUT.exists() or not os.listdir(OUT), "a repair that was refused writes files"
        _check_litter()
        return "refused"
    _check_written(tokenizer, written, chosen, before, out)
    again = {one.id for one in _repairs(tc.open(out), {one.cause for one in chosen})}
    assert not again & {one.id for one in chosen}, f"what was mended is found again: {again}"
    return "mended"


def _repairs(tokenizer: tc.Tokenizer, findings: Iterable[str]) -> list[Repair]:
    return [
        one
        for id in findings
        for one in repairs_of(tokenizer, examined(EXAMINATION_OF[id], tokenizer))
    ]


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _check_litter() -> None:
    litter = [path.name for path in Path().iterdir() if path.name.startswith(".")]
    litter += [path.name for path in MODEL.iterdir() if path.name.startswith(".")]
    assert not litter, f"a repair leaves litter: {litter}"


# What was written.


def _check_written(
    tokenizer: tc.Tokenizer,
    written: MendedFolder,
    repairs: Sequence[Repair],
    before: dict[str, bytes],
    out: Path,
) -> None:
    """Compares what was written with the files and the edits, which are applied here in the plain way."""
    after = _contents(out)
    changed = {name for name in after if after[name] != before.get(name)}
    edited = {edit.file for repair in repairs for edit in repair.edits}
    assert set(written.mended) == edited, f"says that it mended {written.mended}, and not {edited}"
    assert changed <= edited, f"other files change: {changed - edited}"
    if out != MODEL:
        assert _contents(MODEL) == before, "the original is changed"
        assert set(after) == {*written.mended, *written.copied}, "files are there without a word"
    else:
        assert after.keys() == before.keys(), "in place, files come or go"
    _check_litter()
    for file in edited:
        edits = [one for repair in repairs for one in repair.edits if one.file == file]
        _check_edits(before[file], after[file], edits)
    _check_ids(tokenizer, written, out)


def _check_edits(before: bytes, after: bytes, edits: list[FileEdit]) -> None:
    """Checks that a file has the edits, each in few bytes, and that each found what it was made for."""
    if edits[0].action is EditAction.TEXT:
        (edit,) = edits
        assert before.replace(edit.before.encode(), edit.after.encode(), 1) == after, "other text"
        return
    content = before
    expected = json.loads(before.removeprefix(b"\xef\xbb\xbf"))
    ordered = [edit for edit in edits if edit.action is EditAction.SET]
    ordered += [edit for edit in edits if edit.action is not EditAction.SET]
    for edit in _unique(ordered):
        value = edit.after if edit.action is not EditAction.REMOVE else ""
        room = len(json.dumps(value, indent=8)) + len(json.dumps(edit.before, indent=8))
        _check_place(expected, edit)
        _apply(expected, edit)
        changed = edit.applied(content)
        assert _region(content, changed) <= 8 * room + SPACE, f"other bytes change: {edit.place}"
        content = changed
    assert json.loads(after.removeprefix(b"\xef\xbb\xbf")) == expected, "has not what was edited"
    assert after == content, "is written in another way than its edits"


def _unique(edits: list[FileEdit]) -> list[FileEdit]:
    """Returns edits without those that are there twice."""
    found: list[FileEdit] = []
    for edit in edits:
        if edit not in found:
            found.append(edit)
    return found


def _holder(tree: Any, edit: FileEdit) -> Any:
    for key in edit.path[:-1]:
        tree = tree[key]
    return tree


def _check_place(tree: Any, edit: FileEdit) -> None:
    """Checks that a value is the one that an edit was made for."""
    holder: Any = _holder(tree, edit)
    key: Any = edit.path[-1]
    if edit.action is EditAction.RENAME:
        assert key in holder, f"there is no {edit.place}"
    elif edit.action is not EditAction.INSERT and edit.before != "…":
        found = holder[key] if isinstance(holder, list) else holder.get(key)
        assert found == edit.before, f"changes another value: {edit.place} is {found!r}"


def _apply(tree: Any, edit: FileEdit) -> None:
    holder, key = _holder(tree, edit), edit.path[-1]
    if edit.action is EditAction.SET:
        holder[key] = copy.deepcopy(edit.after)
    elif edit.action is EditAction.INSERT:
        holder.insert(key, copy.deepcopy(edit.after))
    elif edit.action is EditAction.REMOVE:
        del holder[key]
    else:
        members = [(edit.after if name == key else name, one) for name, one in holder.items()]
        holder.clear()
        holder.update(members)


def _region(before: bytes, after: bytes) -> int:
    """Returns how many bytes of two contents are between those that begin and those that end them alike."""
    start = stop = 0
    least = min(len(before), len(after))
    while start < least and before[start] == after[start]:
        start += 1
    while stop < least - start and before[-1 - stop] == after[-1 - stop]:
        stop += 1
    return len(before) + len(after) - 2 * (start + stop)


def _check_ids(tokenizer: tc.Tokenizer, written: MendedFolder, out: Path) -> None:
    """Checks the proof: how many samples have other ids, and that the library gives these ids."""
    mended = tc.open(out, cache=False)
    texts = [sample.text() for sample in load_samples()]
    ids = [one.encode_ids(text, template=True) for one in (tokenizer, mended) for text in texts]
    changed = sum(a != b for a, b in zip(ids[: len(texts)], ids[len(texts) :], strict=True))
    assert (changed, len(texts)) == (written.texts, written.tried), f"{changed} samples have other ids, and not {written.texts}"  # fmt: skip
    if written.library:
        with others():
            reference: Reference = reference_for(mended, False)
            found = [list(reference.ids(text)) for text in texts[:3]]
        assert found == [mended.encode_ids(text) for text in texts[:3]], "the library gives others"


# Differences.


def make_stages(chance: Random) -> Case:
    """Returns two files that differ in some stages, the first in a form that programs write."""
    case = diffs.make_edited(chance)
    case["a"] = faulty_folders.formed(chance, json.loads(case["a"]))
    case["one"] = chance.random() < 0.3
    return case


def run_stages(case: Case) -> str:
    """Writes the repairs of all stages, or of one: these stages no longer differ, and with all of them nor do the ids."""
    MODEL.mkdir()
    (MODEL / "tokenizer.json").write_bytes(case["a"])
    Path("b.json").write_text(case["b"], "utf-8")
    try:
        a, b = tc.open(MODEL), tc.open("b.json")
    except TokenariumError:
        return "not opened"
    differing = _differing(a, b)
    found = stage_repairs(a, b)
    if not found:
        return "nothing to mend" if differing else "the same"
    if case["one"]:
        found = found[:1]
    before = _contents(MODEL)
    try:
        written = write_mended(a, found, OUT)
    except TokenariumError as error:
        check_sentence(error)
        assert not OUT.exists(), "a repair that was refused writes files"
        return "refused"
    if len(found) == 1:
        _check_written(a, written, found, before, OUT)
    mended = tc.open(OUT, cache=False)
    left = _differing(mended, b)
    assert not left & {one.cause for one in found}, f"a stage that was mended differs: {left}"
    if left:
        return "some stages"
    for text in case["texts"]:
        for special in ("none", "all"):
            ids = [diffs._ids(one, text, special, True) for one in (mended, b)]
            assert ids[0] == ids[1], f"no stage differs, but {text!r} has {ids[0]} and {ids[1]}"
    return "mended"


def _differing(a: tc.Tokenizer, b: tc.Tokenizer) -> set[str]:
    found: list[StageDifference] = []
    for _ in find_differences(a, b, found):
        pass
    return {one.stage for one in found}


# GGUF files.


def make_gguf(chance: Random) -> Case:
    """Returns a GGUF file with tensors, perhaps with faults, and the pattern that it gets."""
    name = chance.choice([kind for kind in mutation_seeds.seeds() if kind.startswith("gguf")])
    (content,) = mutation_seeds.seeds()[name].values()
    content = gguf_faults.with_tensors(content, chance.choice([1, 32, 64]))
    for _ in range(chance.choice([0, 1, 1, 2])):
        content = gguf_faults.mutated_gguf(chance, content) or mutations.mutated_bytes(chance, content)  # fmt: skip
    if chance.random() < 0.2:
        content = mutations.mutated_bytes(chance, content)
    return {"content": content, "pattern": chance.choice(["gpt-2", "qwen2", "llama-bpe", "default"])}  # fmt: skip


def run_gguf(case: Case) -> str:
    """Gives a GGUF file another pattern: it is refused with a sentence, or everything else stays as it is."""
    path, content = Path("model.gguf"), case["content"]
    path.write_bytes(content)
    try:
        tokenizer = tc.open(path)
    except TokenariumError:
        return "not opened"
    try:
        after = b"".join(mended_gguf(path, case["pattern"]))
        with_pattern(tokenizer, case["pattern"])
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    old, new = gguf_faults.fields_of(content), gguf_faults.fields_of(after)
    kept = [[field for field in one.fields if field[0] != PRE] for one in (old, new)]
    assert kept[0] == kept[1], "other fields change"
    text = struct.pack("<Q", len(case["pattern"])) + case["pattern"].encode()
    names = [field for field in new.fields if field[0] == PRE]
    assert names == [(PRE, gguf_faults.TEXT, text)], "the pattern is not written"
    assert gguf_faults.data_of(after) == gguf_faults.data_of(content), "the tensors change"
    assert path.read_bytes() == content, "the original is changed"
    return "mended"


def _seed_kinds() -> None:
    for kind in KINDS:
        fields_of(kind)
    mutation_seeds.seeds()
    load_samples()


SEEDS = (zoo.make_all, _seed_kinds)


# Faults.


def _rewritten(before: Any) -> Any:
    """Writes the whole JSON anew."""

    def files(*given: Any) -> dict[str, bytes]:
        found: dict[str, bytes] = before(*given)
        return {
            name: json.dumps(json.loads(one), indent=3).encode() if name.endswith(".json") else one
            for name, one in found.items()
        }

    return files


def _unmended(before: Any) -> Any:
    """Says that it mended files which it writes as they are."""
    return lambda tokenizer, repairs: {
        name: (MODEL / name).read_bytes() for name in before(tokenizer, repairs)
    }


def _spoiling(before: Any) -> Any:
    """Changes the original."""

    def write(*given: Any) -> Any:
        with (MODEL / "README.md").open("ab") as file:
            file.write(b".")
        return before(*given)

    return write


def _littering(before: Any) -> Any:
    def write(*given: Any) -> Any:
        Path(".out.0123456789abcdef.part").mkdir(exist_ok=True)
        return before(*given)

    return write


def _half(before: Any) -> Any:
    """Writes a file, and then refuses."""

    def write(tokenizer: Any, repairs: Any, out: Path, *more: Any) -> Any:
        OUT.mkdir(exist_ok=True)
        (OUT / "tokenizer.json").write_bytes(b"{")
        raise TokenariumError("It is refused.")

    return write


def _one_stage_less(before: Any) -> Any:
    return lambda tokenizer, repairs, *more: before(tokenizer, repairs[:-1] or repairs, *more)


def _shifted(before: Any) -> Any:
    """Writes the tensors one byte later."""

    def gguf(*given: Any) -> Any:
        *parts, last = before(*given)
        yield from parts
        yield b"\0" + last[:-1]

    return gguf


HERE = sys.modules[__name__]
_UNCHECKED = instead(mended_folder, "_check_cause", lambda before: lambda *_: None)

ATTACKS = [
    Attack(
        "repairs-findings",
        make_found,
        run_found,
        seconds=60.0,
        planted={
            "is written in another way": instead(mended_folder, "mended_files", _rewritten),
            "has not what was edited": together(
                instead(mended_folder, "mended_files", _unmended), _UNCHECKED
            ),
            "the original is changed": instead(HERE, "write_mended", _spoiling),
            "leaves litter": instead(HERE, "write_mended", _littering),
            "writes files": instead(HERE, "write_mended", _half),
            "KeyError": instead(HERE, "repairs_of", lambda before: fail_inside),
        },
    ),
    Attack(
        "repairs-stages",
        make_stages,
        run_stages,
        seconds=60.0,
        planted={
            "a stage that was mended differs": instead(HERE, "write_mended", _one_stage_less),
            "KeyError": instead(HERE, "stage_repairs", lambda before: fail_inside),
        },
    ),
    Attack(
        "repairs-gguf",
        make_gguf,
        run_gguf,
        planted={
            "the tensors change": instead(HERE, "mended_gguf", _shifted),
            "KeyError": instead(HERE, "mended_gguf", lambda before: fail_inside),
        },
    ),
]
