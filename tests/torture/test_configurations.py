"""The attacks of the family find a fault in each thing that they compare: `Attack.planted` has one or two of each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

pytest.importorskip("tokenizers")
pytest.importorskip("sentencepiece")

import configurations
from attack import Attack, chance_of

ATTACKS = {attack.name.removeprefix("configurations-"): attack for attack in configurations.ATTACKS}
CASES = 60
"""Within so many cases a fault has to be found."""


class Faulty:
    """A tokenizer of which one method is another, and which is itself for everything else."""

    def __init__(self, tokenizer: Any, method: str, other: Callable[..., Any]) -> None:
        self._tokenizer = tokenizer
        self._method = method
        self._other = other

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._tokenizer, name)
        if name != self._method:
            return found
        return lambda *given, **options: self._other(found, *given, **options)


class FaultyEncoding:
    """An encoding with other places, or other ids."""

    def __init__(self, encoding: Any, ids: list[int] | None = None, late: int = 0) -> None:
        self._encoding = encoding
        self._late = late
        self.ids = list(encoding.ids) if ids is None else ids

    def __len__(self) -> int:
        return len(self._encoding)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoding, name)

    def span(self, index: int) -> tuple[int, int]:
        """Returns where a token is, or a little later."""
        start, stop = self._encoding.span(index)
        return start + self._late, stop + self._late


def without_the_last(found: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Returns ids without the last of several."""
    ids = found(*given, **options)
    return ids[:-1] if len(ids) > 2 else ids


def with_special(found: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Returns an encoding that leaves special tokens plain text."""
    template = options.get("template", False)
    return found(*given, template=template)


def with_no_template(found: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Returns an encoding without its template."""
    options.pop("template", None)
    return found(*given, **options)


def with_late_places(found: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Returns an encoding whose tokens are one byte late."""
    return FaultyEncoding(found(*given, **options), late=1)


def in_upper_case(found: Callable[..., Any], *given: Any) -> Any:
    """Returns what is decoded in the other case."""
    return found(*given).swapcase()


def outcome(attack: Attack) -> str:
    """Runs cases of an attack up to the first that fails; returns what it says, empty if none does."""
    for number in range(CASES):
        case = attack.make(chance_of(3, attack.name, number))
        try:
            attack.run(case)
        except AssertionError as error:
            return str(error)
    return ""


TOKENIZERS = [
    ("huggingface", "encode_ids", without_the_last, "other ids than tokenizers: "),
    ("huggingface", "encode", with_special, "other ids than tokenizers with special tokens"),
    ("huggingface", "encode", with_no_template, "other ids than tokenizers in a template"),
    ("huggingface", "encode", with_late_places, "other places than tokenizers"),
    ("huggingface", "decode", in_upper_case, "other text than tokenizers"),
    ("sentencepiece", "encode_ids", without_the_last, "other ids than sentencepiece"),
    ("sentencepiece", "decode", in_upper_case, "other text than sentencepiece"),
    ("tiktoken", "decode_bytes", in_upper_case, "other bytes than tiktoken"),
]


@pytest.mark.parametrize(("name", "method", "other", "said"), TOKENIZERS)
def test_a_fault_is_found(
    name: str,
    method: str,
    other: Callable[..., Any],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = f"read_{name}"
    read = getattr(configurations, reader)
    monkeypatch.setattr(configurations, reader, lambda *given: Faulty(read(*given), method, other))
    if name != "tiktoken":  # whose ids are those of the law
        monkeypatch.setattr(configurations.zoo, "law", lambda *given: [])
    assert outcome(ATTACKS[name]).startswith(said)


def other_ids(law: Callable[..., list[int]], *given: Any) -> list[int]:
    """Returns the ids of a text without the last one."""
    return law(*given)[:-1]


def other_special(law: Callable[..., list[int]], *given: Any) -> list[int]:
    """Returns ids in which special tokens are plain text."""
    return law(*given[:2])


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (other_ids, "other ids than tiktoken: "),
        (other_special, "other ids than tiktoken with special tokens"),
    ],
)
def test_a_fault_in_ids_of_tiktoken_is_found(
    other: Callable[..., list[int]], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = configurations.zoo.law
    monkeypatch.setattr(configurations.zoo, "law", lambda *given: other(law, *given))
    assert outcome(ATTACKS["tiktoken"]).startswith(said)


def test_a_pattern_that_leaves_characters_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one is taken that tiktoken leaves characters out by."""
    make = ATTACKS["tiktoken"].make

    def leaving_out(chance: Random) -> dict[str, Any]:
        return make(chance) | {"pattern": r"\w+"}

    monkeypatch.setattr(configurations.zoo, "law", lambda tokenizer, text, special="none": [])
    attack = Attack("configurations-tiktoken", leaving_out, configurations.run_tiktoken)
    assert outcome(attack).startswith("a pattern that leaves characters out is taken")


@pytest.mark.parametrize("fault", ["another behavior", "not inverted", "another pattern"])
def test_a_fault_in_cuts_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    split, found = configurations.Split, configurations.FoundRegex

    def behaving(pattern: Any, behavior: str, invert: bool) -> Any:
        if fault == "another behavior":
            return split(pattern, "Isolated", invert)
        return split(pattern, behavior, invert and fault != "not inverted")

    monkeypatch.setattr(configurations, "Split", behaving)
    if fault == "another pattern":
        monkeypatch.setattr(configurations, "FoundRegex", lambda source: found(f"(?:{source})|b"))
    assert outcome(ATTACKS["patterns"]).startswith("other cuts than Oniguruma")


@pytest.mark.parametrize("name", ATTACKS)
def test_without_a_fault_nothing_is_found(name: str) -> None:
    attack = ATTACKS[name]
    words = {attack.run(attack.make(chance_of(3, attack.name, number))) for number in range(10)}
    assert "equal" in words
