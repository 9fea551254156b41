"""Whether a GGUF file gives the ids of the tokenizer that its model was trained with, where that is on this computer."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level
from tokenarium.models.text.piece import counted
from tokenarium.models.tokenizers.local_tokenizers import HUB, LocalTokenizer, in_hub
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium.resources.samples_index import load_samples
from tokenarium_core.formats.opening import tokenizers_in

MOST_OPENED = 12
"""Most tokenizers that are opened to find the one of the same model."""

DEFAULT = "default"
"""The name of the pattern that a converter writes where it knows no better, and llama.cpp takes where there is none."""

LEAST_EQUAL = 0.98
"""The least share of the entries that the same model's tokenizer has in common, id by id."""

AROUND = 40
"""Characters that are shown before the first difference, and half of those after it."""

_NAMES = ("name", "basename", "base_model.0.name", "base_model.0.repo_url", "source.repo_url")
_SIGNS = re.compile(r"[^a-z0-9]+")
_ID, _TITLE = "same_model", "The model's own tokenizer"
_METHOD = (
    "It is looked for beside the file and in the Hugging Face cache, by the names in the file, and known by its entries:"
    f" at least {LEAST_EQUAL:.0%} must be the same, id by id. Both encode the samples of this program."
)


def same_model(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Compares the ids of a GGUF file with those of the file of the same model in another format."""
    if tokenizer.source.format != "gguf":
        return Diagnosis(
            _ID,
            _TITLE,
            Level.UNKNOWN,
            "Only a GGUF file can have a different pattern from its model.",
            _METHOD,
        )
    found = other_file(tokenizer)
    if found is None:
        return Diagnosis(
            _ID,
            _TITLE,
            Level.UNKNOWN,
            "No other file of the same model is beside this one or in the Hugging Face cache. Get the model's repository in"
            " “Find tokenizers” to compare them.",
            _METHOD,
        )
    other, name = found
    cases: list[Evidence] = []
    here = there = texts = 0
    for sample in load_samples():
        text = sample.text()
        ours, theirs = tokenizer.encode_ids(text), other.encode_ids(text)
        here, there, texts = here + len(ours), there + len(theirs), texts + 1
        if ours != theirs:
            difference = _first_difference(tokenizer, other, text)
            cases.append(
                Evidence(
                    f"{sample.title}: {_more(len(ours), len(theirs))} ({len(ours):,} and {len(theirs):,})",
                    text=difference,
                )
            )
    if not cases:
        sentence = f"All {counted(texts, 'sample has', 'samples have')} the ids of {name}."
        return Diagnosis(_ID, _TITLE, Level.FINE, sentence, _METHOD)
    return Diagnosis(
        _ID,
        _TITLE,
        Level.WRONG_IDS,
        f"{counted(len(cases), 'sample has', 'samples have')} different ids with {name}:"
        f" {_more(here, there)} over all {texts}. {_cut_by(tokenizer)}",
        _METHOD,
        len(cases),
        tuple(cases[:SHOWN]),
    )


def _cut_by(tokenizer: tc.Tokenizer) -> str:
    """Returns which pattern the file names."""
    named = next((detail.value for detail in tokenizer.details if detail.name == "pre"), "")
    if not named:
        return "Files of this kind name no pattern."
    if named == DEFAULT or named.startswith("none"):
        return "The pattern in the file is llama.cpp's default, not the model's."
    return f"The pattern in the file is the one that llama.cpp has for “{named}”."


def _more(here: int, there: int) -> str:
    """Returns how many more or fewer tokens there are.

    >>> _more(108, 100), _more(99, 100), _more(100, 100)
    ('8.0 % more tokens', '1.0 % fewer tokens', 'as many tokens')
    """
    if here == there:
        return "as many tokens"
    share = abs(here - there) / max(there, 1)
    return f"{share * 100:.1f} % {'more' if here > there else 'fewer'} tokens"


def _first_difference(tokenizer: tc.Tokenizer, other: tc.Tokenizer, text: str) -> str:
    """Returns the text around the first token that the other tokenizer does not have."""
    ours, theirs = tokenizer.encode(text), other.encode(text)
    pairs = zip(ours.ids, theirs.ids, strict=False)
    index = next((at for at, (id, their) in enumerate(pairs) if id != their), 0)
    data = text.encode()
    at = int(ours.spans[index * 2])
    before = data[:at].decode("utf-8", "ignore")
    behind = data[at:].decode("utf-8", "ignore")
    return before[-AROUND:] + behind[: 2 * AROUND]


def other_file(tokenizer: tc.Tokenizer) -> tuple[tc.Tokenizer, str] | None:
    """Returns the tokenizer of the same model in another format, and its name; None if none is here."""
    names = _plain_names(tokenizer)
    candidates = sorted(
        _candidates(Path(tokenizer.source.path)), key=lambda one: -_likeness(one[0], names)
    )
    for name, source in candidates[:MOST_OPENED]:
        try:
            other = tc.open(source)
        except tc.TokenariumError:
            continue
        if _is_same(tokenizer.vocabulary, other.vocabulary):
            return other, name
    return None


def _candidates(path: Path) -> Iterator[tuple[str, Path]]:
    """Yields the names and sources of tokenizers in other formats: those beside a file, and those in the cache."""
    try:
        beside = tokenizers_in(path.parent, sorted(os.listdir(path.parent)))
    except OSError:
        beside = []
    for file in beside:
        if file.format.name != "gguf":
            yield name_of(file.path), file.source
    for tokenizer in in_hub():
        if (
            isinstance(tokenizer, LocalTokenizer)
            and tokenizer.place == HUB
            and tokenizer.format != "GGUF"
        ):
            yield tokenizer.name, Path(tokenizer.source)


def _plain_names(tokenizer: tc.Tokenizer) -> list[str]:
    """Returns the names that a file has for its model, in lower case and digits alone."""
    names = [
        detail.value.rstrip("/").rsplit("/", 1)[-1]
        for detail in tokenizer.details
        if detail.group == "general" and detail.name in _NAMES
    ]
    return [plain for name in [*names, tokenizer.name] if (plain := _SIGNS.sub("", name.lower()))]


def _likeness(name: str, wanted: list[str]) -> int:
    """Returns 2 for a repository of one of these names, 1 for one whose name is a part of one of them, or has one."""
    plain = _SIGNS.sub("", name.rsplit("/", 1)[-1].lower())
    if plain in wanted:
        return 2
    return int(any(plain in name or name in plain for name in wanted)) if plain else 0


def _is_same(ours: tc.Vocabulary, theirs: tc.Vocabulary) -> bool:
    """Returns whether two vocabularies have nearly the same entries; the larger may have some padding at its end."""
    both = min(len(ours), len(theirs))
    if both < LEAST_EQUAL * max(len(ours), len(theirs)):
        return False
    unlike = 0
    most = (1 - LEAST_EQUAL) * both
    for token in range(both):
        if ours.piece(token) != theirs.piece(token):
            unlike += 1
            if unlike > most:
                return False
    return True
