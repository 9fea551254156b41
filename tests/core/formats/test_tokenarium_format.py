"""Our own file: what only it holds, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_files import saved

import tokenarium_core as tc
from tokenarium_core.formats import registry
from tokenarium_core.formats.tokenarium_format import content_hash
from tokenarium_core.models import PickyBpe

TEXTS = ["abcd abcd abcd abcde xab cd cd q"]


def picky(**options: Any) -> tc.Tokenizer:
    return tc.train(
        "picky-bpe",
        TEXTS,
        vocab_size=263,
        pattern=r"\s?\S+",
        threshold=0.6,
        min_frequency=1,
        special_tokens=["<end>"],
        **options,
    )


def written(folder: Path, tokenizer: tc.Tokenizer) -> tuple[Path, dict[str, Any]]:
    path = saved(tokenizer, folder / "picky.json")
    return path, json.loads(path.read_text("utf-8"))


def test_events_are_saved_and_opened(tmp_path: Path) -> None:
    tokenizer = picky()
    path, file = written(tmp_path, tokenizer)
    assert file["version"] == 2
    events = file["tokenizer"]["events"]
    assert any(" " not in event for event in events)
    opened = tc.open(path)
    assert isinstance(opened.model, PickyBpe)
    assert opened.special_tokens == {"<end>": 262}
    assert len(opened.vocabulary) == 263
    for text in [*TEXTS, "xabcdab", "नमस्ते a", ""]:
        assert opened.encode_ids(text) == tokenizer.encode_ids(text)
        assert opened.decode(opened.encode_ids(text)) == text
    again = saved(opened, tmp_path / "again.json")
    assert json.loads(again.read_text("utf-8"))["tokenizer"]["events"] == events


@pytest.mark.parametrize("algorithm", ["bpe", "picky-bpe"])
@pytest.mark.parametrize("form", ["nfc", "nfkc"])
def test_normal_forms_are_saved(tmp_path: Path, algorithm: str, form: str) -> None:
    tokenizer = tc.train(algorithm, ["ﬁn é e\u0301"] * 3, vocab_size=262, normalization=form)
    path, file = written(tmp_path, tokenizer)
    assert (file["version"], file["tokenizer"]["normalizer"]) == (2, form.upper())
    assert tc.open(path).encode_ids("ﬁn e\u0301") == tokenizer.encode_ids("ﬁn e\u0301")


def test_what_older_programs_read_has_their_version(tmp_path: Path) -> None:
    _, file = written(tmp_path, tc.train("bpe", TEXTS, vocab_size=260))
    assert file["version"] == 1
    assert "normalizer" not in file["tokenizer"]


def test_other_formats_say_why_they_cannot_hold_it(tmp_path: Path) -> None:
    tokenizer = picky()
    assert registry.fitting(tokenizer) == ["tokenarium"]
    for format in ("huggingface", "tiktoken", "gpt2"):
        with pytest.raises(tc.ArgumentError, match="PickyBPE removes tokens"):
            tokenizer.save(tmp_path / "picky", format=format)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (None, "'events' is not a list"),
        ([3], "event 0, 3, is not one or two tokens"),
        (["a ñ☃"], "is not one or two tokens"),
        (["a b c"], "needs one or two tokens that earlier events made"),
        (["ab c"], "needs one or two tokens that earlier events made"),
        (["a"], "removes a byte, or a token that does not exist"),
        (["a b", "ab", "ab"], "event 2, 'ab', removes a byte, or a token that does not exist"),
        (["a b"], "is either an entry or what the events leave"),
        (["a a", *(f"{'a' * 2**k} {'a' * 2**k}" for k in range(1, 18))], "makes a token of more"),
    ],
)
def test_faulty_events(tmp_path: Path, events: object, message: str) -> None:
    path, file = written(tmp_path, picky())
    file["tokenizer"]["events"] = events
    file["sha256"] = content_hash(file["tokenizer"])
    path.write_text(json.dumps(file), "utf-8")
    with pytest.raises(tc.FormatError, match=message):
        tc.open(path)


def test_an_unknown_normalizer(tmp_path: Path) -> None:
    path, file = written(tmp_path, picky())
    file["tokenizer"]["normalizer"] = "NFD"
    file["sha256"] = content_hash(file["tokenizer"])
    path.write_text(json.dumps(file), "utf-8")
    with pytest.raises(tc.FormatError, match="'normalizer' is 'NFD'"):
        tc.open(path)
