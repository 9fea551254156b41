"""Files of expected ids: what was written passes, and after an edit they are refused with a sentence, or differ where they should."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any, Literal

import mutations
import zoo
from attack import Attack, Case, check_sentence
from kills import run_command
from planting import fail_inside, instead

import tokenarium_core as tc
from tokenarium.models.release.expected_ids import (
    EXPECTED_EFFECTS,
    ExpectedCheck,
    check_expected,
    expected_lines,
)
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, CHANGES_TEXT
from tokenarium_core.errors import TokenariumError

FILE = Path("expected.jsonl")
_NUMBER = re.compile(rb"(?<=[ \[])-?\d+(?=[,\]}])")
_STRANGE = [
    b"-1", b"1.0", b"1e400", b"true", b"null", b"NaN", b'"1"', b"[]", b"{}", b"99999999999", b"-" + b"9" * 400,
    b"9" * 4000, b"9" * 5000, b"0x1",
]  # fmt: skip
_HEADS: list[dict[str, Any]] = [
    {"version": 2}, {"version": 10**30}, {"version": True}, {"version": "1"}, {"schema": "other"}, {"schema": None},
    {"special": True}, {"template": True}, {"special": 1}, {"files": ["x"]}, {"files": 7}, {"files": [[], {}]}, {"tokenizer": {}}, {"text": "a"},
]  # fmt: skip


# Edits of a file.


def _numbers(chance: Random, content: bytes) -> bytes:
    """Puts something else in place of a number."""
    found = [*_NUMBER.finditer(content)]
    if not found:
        return content
    one = chance.choice(found)
    return content[: one.start()] + chance.choice(_STRANGE) + content[one.end() :]


def _objects(chance: Random, content: bytes) -> bytes:
    """Puts a fault into the object of one line."""
    lines = content.split(b"\n")
    at = chance.randrange(len(lines))
    lines[at] = mutations.mutated_json(chance, lines[at]).replace(b"\n", b" ")
    return b"\n".join(lines)


def _fields(chance: Random, content: bytes) -> bytes:
    """Gives one line a field of another."""
    lines = [line for line in content.split(b"\n") if line]
    try:
        one, other = (json.loads(chance.choice(lines)) for _ in range(2))
        name = chance.choice([*other])
    except (ValueError, IndexError, TypeError, RecursionError):
        return content
    if not isinstance(one, dict) or not isinstance(other, dict):
        return content
    at = chance.randrange(len(lines))
    lines[at] = json.dumps({**one, name: other[name]}).encode()
    return b"\n".join(lines) + b"\n"


def _head(chance: Random, content: bytes) -> bytes:
    """Gives the first line another field."""
    first, _, rest = content.partition(b"\n")
    try:
        fields = json.loads(first)
    except ValueError:
        return content
    if not isinstance(fields, dict):
        return content
    return json.dumps({**fields, **chance.choice(_HEADS)}).encode() + b"\n" + rest


def _whole(chance: Random, content: bytes) -> bytes:
    """Writes the whole file in another way."""
    lines = content.splitlines(keepends=True)
    ways: list[Callable[[], bytes]] = [
        lambda: b"",
        lambda: b"\n \n",
        lambda: lines[0] if lines else b"",
        lambda: b"".join(lines[1:]),
        lambda: b"".join(reversed(lines)),
        lambda: content * 2,
        lambda: b"\n" + content,
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: b"\xef\xbb\xbf" + content,
        lambda: content.decode("latin-1").encode("utf-16"),
        lambda: b"[" + content.replace(b"\n", b",\n") + b"]",
        lambda: content.rstrip(b"\n"),
    ]
    return chance.choice(ways)()


EDITS: dict[str, Callable[[Random, bytes], bytes]] = {
    "bytes": mutations.mutated_bytes,
    "lines": mutations.mutated_lines,
    "numbers": _numbers,
    "objects": _objects,
    "fields": _fields,
    "head": _head,
    "whole": _whole,
}


def make_edited(chance: Random) -> Case:
    """Returns a tokenizer, texts, and how the file with their ids is edited; perhaps another tokenizer that checks it."""
    name = chance.choice(list(zoo.MAKERS))
    return {
        "tokenizer": name,
        "checked": name if chance.random() < 0.7 else chance.choice(list(zoo.MAKERS)),
        "texts": [zoo.text_of(chance) for _ in range(chance.randrange(1, 8))],
        "special": chance.random() < 0.5,
        "template": chance.random() < 0.5,
        "edits": [chance.choice(list(EDITS)) for _ in range(chance.choice([0, 1, 1, 1, 2, 4]))],
        "seed": chance.randrange(1 << 30),
    }


def _written(case: Case) -> None:
    """Writes the file, and checks that it passes before it is edited."""
    tokenizer = zoo.shared(case["tokenizer"])
    lines = expected_lines(tokenizer, case["texts"], case["special"], case["template"])
    FILE.write_text("".join(lines), "ascii", newline="")
    found = check_expected(FILE, tokenizer)
    assert found.texts == len(case["texts"]), "texts are not all written"
    assert not found.worst, f"what was just written differs: {found.differences}"
    content, chance = FILE.read_bytes(), Random(case["seed"])
    for edit in case["edits"]:
        content = EDITS[edit](chance, content)
    FILE.write_bytes(content)


def run_edited(case: Case) -> str:
    """Checks an edited file: it is refused with a sentence, or exactly the lines differ whose ids do."""
    _written(case)
    tokenizer = zoo.shared(case["checked"])
    try:
        found = check_expected(FILE, tokenizer)
    except TokenariumError as error:
        check_sentence(error)
        assert case["edits"], "what was not edited is refused"
        return "refused"
    json.dumps(asdict(found))
    _check(found, tokenizer)
    return found.worst or "the same"


def _check(found: ExpectedCheck, tokenizer: tc.Tokenizer) -> None:
    """Compares a result with the file, read here in the plain way."""
    assert found.sentence.endswith("."), f"is no sentence: {found.sentence}"
    assert found.texts, "a file without texts passes"
    expected = _differing(tokenizer)
    said = {one.line: one.effect for one in found.differences}
    assert said == expected, f"other lines differ: {said}, and not {expected}"
    assert found.different == len(expected), "differences are not counted"
    for one in found.differences:
        assert one.effect in EXPECTED_EFFECTS, f"no effect: {one}"
        assert one.stage, f"no stage: {one}"


def _differing(tokenizer: tc.Tokenizer) -> dict[int, str]:
    """Returns the effects of the lines that differ, by their numbers."""
    special: Literal["all", "none"] = "none"
    template, effects = False, {}
    for number, line in enumerate(FILE.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        value: dict[str, Any] = json.loads(line)
        if number == 1 and "text" not in value:
            special = "all" if value.get("special") is True else "none"
            template = value.get("template") is True
            continue
        text = value["text"]
        try:
            ids = tokenizer.encode_ids(text, special, template=template)
            refused = False
        except TokenariumError:
            ids, refused = [], True
        if (value.get("ids") or []) != ids or bool(value.get("refused")) != refused:
            effects[number] = CHANGES_IDS
        elif value.get("tokens") is not None and not refused:
            decoded = value.get("decoded")
            if (text if decoded is None else decoded) != tokenizer.decode(ids):
                effects[number] = CHANGES_TEXT
    return effects


# The commands.


def make_commanded(chance: Random) -> Case:
    """Returns such a file, and how a command checks it."""
    way = chance.choice([[], ["--json"], ["--markdown"], ["--most", "1"], ["--fail-on", "keeps-ids"]])  # fmt: skip
    return {**make_edited(chance), "options": way}


def run_commanded(case: Case) -> str:
    """Checks an edited file by its command, and writes its texts anew: with sentences, and the right exit codes."""
    _written(case)
    tokenizer = Path("tokenizer.tokenarium")
    zoo.shared(case["checked"]).save(tokenizer, "tokenarium")
    code, said = _commanded(["expect", "check", str(FILE), str(tokenizer), *case["options"]])
    assert code in (0, 1, 3), f"the exit code {code}: {said}"
    if code == 1:
        check_sentence(Exception(said))
    elif "--fail-on" not in case["options"]:
        expected = CHANGES_IDS in _differing(tc.open(tokenizer)).values()
        assert (code == 3) is expected, f"the exit code {code} where ids differ: {expected}"
    again = Path("again.jsonl")
    arguments = ["expect", "write", str(tokenizer), "--file", str(FILE), "--out", str(again)]
    if _commanded(arguments)[0] == 0:
        passed, said = _commanded(["expect", "check", str(again), str(tokenizer)])
        assert passed == 0, f"texts that were written anew differ: {said}"
    else:
        assert not again.exists(), "a refused command writes a file"
    return {0: "passes", 1: "refused", 3: "differs"}[code]


def _commanded(arguments: list[str]) -> tuple[int, str]:
    code, said = run_command(arguments)
    assert "Traceback" not in said, said
    assert "fault in Tokenarium" not in said, said
    return code, said


SEEDS = (zoo.make_all,)


# Faults.


def _blind(before: Any) -> Any:
    """Finds no differences."""

    def check(*given: Any) -> ExpectedCheck:
        found: ExpectedCheck = before(*given)
        found.differences, found.different, found.effects = [], 0, {}
        return found

    return check


def _unread(before: Any) -> Any:
    """Does not refuse a file without texts."""

    def check(*given: Any) -> ExpectedCheck:
        found: ExpectedCheck = before(*given)
        found.texts = 0
        return found

    return check


def _without_a_sentence(before: Any) -> Any:
    def check(*given: Any) -> Any:
        try:
            return before(*given)
        except TokenariumError as error:
            raise tc.FormatError("bad line") from error

    return check


def _passing(before: Any) -> Any:
    """Ends with 0 whatever it finds."""

    def run(arguments: list[str]) -> tuple[int, str]:
        code, said = before(arguments)
        return 0 if code == 3 else code, said

    return run


def _torn(before: Any) -> Any:
    """Says what a fault of the program would print."""
    return lambda arguments: (1, "This is a fault in Tokenarium (KeyError). Please report it.")


HERE = sys.modules[__name__]

ATTACKS = [
    Attack(
        "expected-edited",
        make_edited,
        run_edited,
        planted={
            "other lines differ": instead(HERE, "check_expected", _blind),
            "texts are not all written": instead(HERE, "check_expected", _unread),
            "is no sentence": instead(HERE, "check_expected", _without_a_sentence),
            "KeyError": instead(HERE, "expected_lines", lambda before: fail_inside),
        },
    ),
    Attack(
        "expected-commands",
        make_commanded,
        run_commanded,
        planted={
            "where ids differ": instead(HERE, "run_command", _passing),
            "fault in Tokenarium": instead(HERE, "run_command", _torn),
        },
    ),
]
