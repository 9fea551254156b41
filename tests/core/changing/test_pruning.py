"""Entries that go: which ones, what texts cost without them, and that the rest is as before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from library_copies import as_tokenizers
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer
from tokenarium_core.changing.pruning import Pruned, Pruning, prune_curve, pruned
from tokenarium_core.changing.residues import Residue, residues
from tokenarium_core.changing.special_tokens import CHANGES
from tokenarium_core.changing.token_usage import TokenUsage, usage_of
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.formats.registry import save
from tokenarium_core.training.word_counts import count

TEXTS = ["low lower lowest\nlow", "lo lo owl", "er"]
TEXT = "Hello, wörld 123 Привет, мир! \n\n日本語 \U0001f600 def f(x):\n    return x\n" * 3
SAMPLES = [sample.text()[:4000] for sample in load_samples() if sample.id != "hard-strings"]
"""All but the one with special tokens as plain text, which libraries take differently."""

TRAINED = {
    "bpe": tc.train("bpe", [TEXT, *TEXTS], vocab_size=330),
    "sentencepiece-bpe": tc.train("sentencepiece-bpe", [TEXT, *TEXTS], vocab_size=110),
    "fallback": tc.train("sentencepiece-bpe", [TEXT, *TEXTS], vocab_size=360, byte_fallback=True),
    "unigram": tc.train("unigram", [TEXT, *TEXTS], vocab_size=90),
    "wordpiece": tc.train("wordpiece", [TEXT, *TEXTS], vocab_size=150),
    "superbpe": tc.train("superbpe", [TEXT * 2, *TEXTS], vocab_size=340, transition=310),
}


def cost(tokenizer: tc.Tokenizer, texts: list[str]) -> int:
    return sum(len(ids) for ids in tokenizer.encode_ids_batch(texts))


def test_an_entry_goes_when_no_other_one_needs_it() -> None:
    curve = prune_curve(LOWER, TEXTS)
    pieces = [LOWER.vocabulary.piece(id) for id in curve.removed]
    assert list(zip(pieces, curve.uses, strict=True)) == [
        (b" low", 0),
        (b" l", 0),
        (b"lower", 1),
        (b"ow", 1),
        (b"er", 2),
        (b"low", 4),
        (b"lo", 6),
    ]
    assert curve.tokens == [17, 17, 17, 18, 19, 21, 25, 31]
    found = tc.prune(LOWER, TEXTS, to_size=259)
    assert (found.tokens_before, found.tokens) == (17, 19)
    assert cost(found.tokenizer, TEXTS) == 19


def test_never_used_entries_go_and_steps_to_used_ones_stay() -> None:
    found = tc.prune(LOWER, ["lower"], never_used=True)
    assert {LOWER.vocabulary.piece(id) for id in found.removed} == {b"ow", b" l", b" low"}
    assert found.reasons == ["never used"] * 3
    assert found.tokens == found.tokens_before == 1
    said = [(one.name, one.value) for one in found.tokenizer.details if one.group == CHANGES]
    assert said == [("pruned", "3 of 263 entries; 260 are left")]
    again = tc.change_special_tokens(found.tokenizer, ["<x>"])
    assert len([one for one in again.details if one.group == CHANGES]) == 2


def test_ids_follow_one_another_or_stay() -> None:
    old = of_pieces([b"ab", b"cd", b"ef"], special_tokens={"<a>": 300})
    moved = tc.prune(old, ["ab ef"], never_used=True)
    assert moved.ids[256:260] == [256, -1, 257, -1]
    assert moved.ids[300] == 258 == moved.tokenizer.special_tokens["<a>"]
    assert len(moved.tokenizer.vocabulary) == 259
    held = tc.prune(old, ["ab ef"], never_used=True, keep_ids=True)
    assert [old_id for old_id, id in enumerate(held.ids) if id not in (old_id, -1)] == []
    assert held.tokenizer.vocabulary.kind(257) == "unused"
    assert held.tokenizer.encode_ids("ef cd") == [258, 32, 99, 100]


@pytest.mark.parametrize("name", TRAINED)
def test_each_entry_is_the_one_that_is_used_least(name: str) -> None:
    tokenizer = TRAINED[name]
    texts = [TEXT, *TEXTS]
    text = "lower 日本 xyz"
    curve = prune_curve(tokenizer, texts, text)
    assert curve.finished
    assert curve.smallest == curve.entries - len(curve.removed)
    assert isinstance(curve, Pruning)
    before = tokenizer
    for steps in range(1, len(curve.removed) + 1, 7):
        found = pruned(curve, to_size=curve.entries - steps)
        made = found.tokenizer
        assert len(made.vocabulary) <= len(before.vocabulary)
        assert curve.tokens_at(curve.entries - steps) == cost(made, texts) == found.tokens
        assert curve.text_tokens_at(curve.entries - steps) == cost(made, [text])
        if steps < len(curve.removed):
            uses = usage_of(made, texts).uses
            going = curve.removed[steps:]
            taken = merged_parts(made)
            leaves = [id for id in going if found.ids[id] not in taken]
            least = min(uses[found.ids[id]] for id in leaves)
            assert curve.uses[steps] == uses[found.ids[going[0]]] == least
        before = made


def merged_parts(tokenizer: tc.Tokenizer) -> set[int]:
    try:
        return {part for left, right, _ in merges(tokenizer) for part in (left, right)}
    except tc.ArgumentError:
        return set()


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINED)
@given(text=st.text("lower stPриве日,1 \n", max_size=30), share=st.integers(1, 9))
def test_a_text_without_what_went_keeps_its_pieces(name: str, text: str, share: int) -> None:
    tokenizer = TRAINED[name]
    curve = CURVES.get(name)
    if curve is None:
        curve = CURVES[name] = prune_curve(tokenizer, [TEXT, *TEXTS])
    found = MADE.get((name, share))
    if found is None:
        size = curve.entries - len(curve.removed) * share // 10
        found = MADE[name, share] = pruned(curve, to_size=size)
    ids = tokenizer.encode_ids(text)
    unknown = tokenizer.vocabulary.find(b"[UNK]")
    if all(found.ids[id] >= 0 for id in ids) and unknown not in ids:
        special = set(tokenizer.special_tokens.values())
        if name != "wordpiece" or not special.intersection(ids):
            assert found.tokenizer.encode_ids(text) == [found.ids[id] for id in ids]
    if name not in ("sentencepiece-bpe", "unigram", "wordpiece"):
        assert found.tokenizer.decode(found.tokenizer.encode_ids(text)) == tokenizer.decode(ids)


CURVES: dict[str, Pruning] = {}
MADE: dict[tuple[str, int], Pruned] = {}


def test_entries_of_scripts_go() -> None:
    tokenizer = TRAINED["bpe"]
    found = tc.prune(tokenizer, scripts=["Cyrillic", "hani"])
    assert found.reasons == ["script"] * len(found.removed)
    pieces = [tokenizer.vocabulary.piece(id).decode("utf-8", "replace") for id in found.removed]
    assert pieces
    assert all(
        any("\u0400" <= one <= "\u04ff" or one in "日本語" for one in piece) for piece in pieces
    )
    left = [
        found.tokenizer.vocabulary.piece(id).decode("utf-8", "ignore")
        for id in range(len(found.tokenizer.vocabulary))
    ]
    assert not [piece for piece in left if any("\u0400" <= one <= "\u04ff" for one in piece)]
    marked = tc.prune(TRAINED["unigram"], scripts=["Cyrl"])
    assert marked.tokenizer.decode(marked.tokenizer.encode_ids("Привет")) == "Привет"


def test_sizes_are_multiples() -> None:
    tokenizer = TRAINED["bpe"]
    assert len(tokenizer.vocabulary) == 316
    assert len(tc.prune(tokenizer, multiple_of=32).tokenizer.vocabulary) == 288
    found = tc.prune(tokenizer, [TEXT], to_size=309, multiple_of=8)
    assert len(found.tokenizer.vocabulary) == 304
    both = tc.prune(tokenizer, ["low"], never_used=True, multiple_of=4)
    assert len(both.tokenizer.vocabulary) % 4 == 0
    assert both.reasons[0] == "never used"


def test_without_texts_the_last_merges_go() -> None:
    found = tc.prune(TRAINED["bpe"], to_size=306)
    assert sorted(found.removed) == list(range(306, 316))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "There is nothing to remove"),
        ({"to_size": 300}, "it cannot be pruned to 300"),
        ({"to_size": 10}, "256 have to stay"),
        ({"never_used": True}, "Only texts show"),
        ({"multiple_of": 0}, "cannot be a multiple of 0"),
        ({"scripts": ["Klingonese"]}, "is not a script"),
        ({"to_size": 263}, "has no such entries"),
        ({"multiple_of": 1000}, "cannot be pruned to 0"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(asked: dict[str, object], reason: str) -> None:
    with pytest.raises(tc.ArgumentError, match=reason):
        tc.prune(LOWER, **asked)  # type: ignore[arg-type]


def test_a_pruning_can_be_stepped_through() -> None:
    job = Pruning(LOWER, usage_of(LOWER, TEXTS), to_size=258)
    with pytest.raises(tc.ArgumentError, match="not finished"):
        pruned(job)
    seen = [job.step(0)]
    while not job.finished:
        seen.append(job.step(0))
    assert seen[0].phase == "encoding the words"
    assert seen[-1].finished
    assert len(job.removed) == 5
    with pytest.raises(tc.ArgumentError, match="The size is 257"):
        job.tokens_at(257)
    with pytest.raises(tc.ArgumentError, match="counted for"):
        Pruning(TRAINED["bpe"], usage_of(LOWER, TEXTS))


def test_models_of_whole_words_are_refused() -> None:
    folder = sentence_words()
    with pytest.raises(tc.UnsupportedError, match="looks up whole words"):
        tc.prune(folder, to_size=3)


def sentence_words() -> tc.Tokenizer:
    from tokenarium_core.formats.hf.hf_format import read_huggingface

    return read_huggingface(
        b'{"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2, "?": 3},'
        b' "unk_token": "?"}, "added_tokens": []}',
        "words",
    )


@pytest.mark.parametrize("name", TRAINED)
def test_uses_are_those_of_the_tokens(name: str, tmp_path: Path) -> None:
    tokenizer = TRAINED[name]
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8", newline="")
    usage = TokenUsage(tokenizer)
    usage.add(TEXTS, [path])
    ids = [id for text in [*TEXTS, TEXT] for id in tokenizer.encode_ids(text)]
    assert usage.tokens == len(ids)
    assert usage.uses == [ids.count(id) for id in range(len(tokenizer.vocabulary))]
    assert usage.texts == 4


def test_counts_of_words_are_as_good_as_the_texts() -> None:
    tokenizer = TRAINED["bpe"]
    counts = count("bpe", [TEXT, *TEXTS])
    ours = TokenUsage(tokenizer)
    ours.add_counts(counts)
    assert ours.uses == usage_of(tokenizer, [TEXT, *TEXTS]).uses
    assert (
        tc.prune(tokenizer, counts, to_size=300).removed
        == tc.prune(tokenizer, [TEXT, *TEXTS], to_size=300).removed
    )
    for other, reason in (
        (count("bpe", TEXTS, pattern="whitespace"), "with the pattern"),
        (count("unigram", TEXTS), "counts of sentencepiece words"),
        (count("bpe", TEXTS, normalization="nfc"), "normalizes"),
    ):
        with pytest.raises(tc.ArgumentError, match=reason):
            ours.add_counts(other)
    with pytest.raises(tc.ArgumentError, match="not byte-level BPE"):
        TokenUsage(TRAINED["unigram"]).add_counts(counts)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    usage = TokenUsage(LOWER)
    with pytest.raises(tc.NotAvailable, match="cannot be read"):
        usage.add(files=[tmp_path / "none.txt"])
    (tmp_path / "bad.txt").write_bytes(b"a\xff")
    with pytest.raises(tc.FormatError, match="not UTF-8"):
        usage.add(files=[tmp_path / "bad.txt"])


def test_residues_are_only_steps() -> None:
    usage = usage_of(LOWER, ["low lower low"] * 50)
    made = usage.made()
    assert made[LOWER.vocabulary.find(b"lo")] == 150
    found = [residues(usage), residues(usage, least=50)]
    assert [(one.id, one.made, one.used, one.parts_of) for one in found[0]] == [(256, 150, 0, 1)]
    assert [LOWER.vocabulary.piece(one.id) for one in found[1]] == [b"lo", b"er"]
    assert all(isinstance(one, Residue) for one in found[1])
    assert residues(usage, least=151) == []
    with pytest.raises(tc.ArgumentError, match="share"):
        residues(usage, share=1.0)
    with pytest.raises(tc.ArgumentError, match="least number"):
        residues(usage, least=0)
    with pytest.raises(tc.UnsupportedError, match="does not merge"):
        residues(usage_of(TRAINED["unigram"], TEXTS))


# Real vocabularies, beside the libraries that read them.


def check_law(old: tc.Tokenizer, found: Pruned, texts: list[str]) -> int:
    """Asserts that lines none of whose tokens went keep their pieces; returns how many lines that are."""
    same = 0
    for line in "\n".join(texts).splitlines(keepends=True):
        ids = [found.ids[id] for id in old.encode_ids(line)]
        if -1 not in ids and "[UNK]" not in old.decode(old.encode_ids(line)):
            assert found.tokenizer.encode_ids(line) == ids
            same += 1
    return same


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("one", SHIPPED_TOKENIZERS, ids=lambda one: str(one.id))
def test_every_kind_that_is_shipped_is_pruned(one: ShippedTokenizer, tmp_path: Path) -> None:
    old = tc.open(one.path)
    found = tc.prune(old, SAMPLES, to_size=5000, multiple_of=64)
    assert len(found.tokenizer.vocabulary) == 4992
    assert check_law(old, found, [TEXT, *SAMPLES]) > 5
    theirs = as_tokenizers(found.tokenizer, tmp_path)
    for text in [TEXT, *SAMPLES]:
        encoded = theirs.encode(text, add_special_tokens=False)
        assert found.tokenizer.encode_ids(text) == encoded.ids
    assert theirs.get_vocab_size() == 4992


@pytest.mark.compiled
def test_as_tiktoken(tiktoken_cache: Path) -> None:
    old = tc.open("cl100k_base")
    found = tc.prune(old, SAMPLES, to_size=64_000, scripts=["Cyrillic"])
    ours = found.tokenizer
    assert len(ours.vocabulary) == 64_000
    special = ours.special_tokens
    base = tiktoken.get_encoding("cl100k_base")
    taken = set(special.values())
    theirs = tiktoken.Encoding(
        "pruned",
        pat_str=base._pat_str,
        mergeable_ranks={
            ours.vocabulary.piece(id): id for id in range(len(ours.vocabulary)) if id not in taken
        },
        special_tokens=special,
    )
    for text in [TEXT, *SAMPLES]:
        assert ours.encode_ids(text) == theirs.encode(text, disallowed_special=())
    text = f"{TEXT}<|endoftext|>"
    assert list(ours.encode(text, special="all").ids) == theirs.encode(text, allowed_special="all")
    assert check_law(old, found, [TEXT, *SAMPLES]) > 100
    held = tc.prune(old, SAMPLES, to_size=90_000, keep_ids=True)
    assert held.tokenizer.special_tokens == old.special_tokens
    assert check_law(old, held, SAMPLES) > 100


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model"])
def test_as_sentencepiece(real: Callable[[str], tc.Tokenizer], tmp_path: Path, name: str) -> None:
    old = real(name)
    for keep_ids in (False, True):
        found = (
            tc.prune(old, SAMPLES, to_size=24_000, keep_ids=keep_ids)
            if "mistral" in name
            else (tc.prune(old, SAMPLES, to_size=128_000, keep_ids=keep_ids))
        )
        path = tmp_path / "pruned.model"
        save(found.tokenizer, path, "sentencepiece")
        theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
        assert theirs.vocab_size() == len(found.tokenizer.vocabulary)
        assert theirs.bos_id() == next(
            id for token, id in found.tokenizer.special_tokens.items() if token in ("<s>", "<bos>")
        )
        for text in [TEXT, *SAMPLES]:
            assert found.tokenizer.encode_ids(text) == theirs.encode(text)
        assert check_law(old, found, SAMPLES) > 100


@pytest.mark.compiled
def test_as_tokenizers_with_gemma(real: Callable[[str], tc.Tokenizer], tmp_path: Path) -> None:
    old = real("gemma3-tokenizer.json")
    found = tc.prune(old, SAMPLES, to_size=131_000, multiple_of=128)
    assert len(found.tokenizer.vocabulary) == 130_944
    theirs = as_tokenizers(found.tokenizer, tmp_path)
    for text in [TEXT, *SAMPLES]:
        encoded = theirs.encode(text, add_special_tokens=False)
        assert list(found.tokenizer.encode(text, special="all").ids) == encoded.ids
    assert theirs.token_to_id("<bos>") == found.tokenizer.special_tokens["<bos>"]
    assert list(found.tokenizer.encode("x", template=True).ids) == theirs.encode("x").ids
