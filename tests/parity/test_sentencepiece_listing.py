"""SentencePiece's .vocab listings against the models that sentencepiece writes with them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from other_files import FILES
from sentencepiece_models import LINES, SMALL, listing, message, reference, trained
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.formats.format import TokenizerFile
from tokenarium_core.formats.opening import is_tokenizer, tokenizers_in
from tokenarium_core.formats.sentencepiece.sentencepiece_listing_format import read_listing

NOT_NORMALIZED: dict[str, Any] = {"normalization_rule_name": "identity"}
WAYS: dict[str, dict[str, Any]] = {
    "plain": {"character_coverage": 0.98},
    "bytes": {"byte_fallback": True, "character_coverage": 0.98, "size": 450},
    "pieces": {"pieces": ("=/=", "the lazy", "\n", "\t"), "control_symbols": "<cls>,[SEP]"},
}
SIGNS = [*"abeéfox日本 \t\n", "the ", "the lazy", "=/=", "<cls>", "[SEP]", "<s>", "<unk>", "<0x41>", "☃", "  "]  # fmt: skip


def check(tokenizer: tc.Tokenizer, model: bytes, seed: int = 0, count: int = 150) -> None:
    processor = reference(model)
    chance = random.Random(seed)
    made = ["".join(chance.choices(SIGNS, k=20)) for _ in range(count)]
    for text in [*LINES, *made, "", " "]:
        assert tokenizer.encode_ids(text) == processor.encode(text), text
    ids = processor.encode(LINES[0])
    assert tokenizer.decode(ids) == processor.decode(ids)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char", "word"])
@pytest.mark.parametrize("way", WAYS)
def test_the_ids_are_those_of_the_model(tmp_path: Path, kind: str, way: str) -> None:
    model = trained(kind, **NOT_NORMALIZED, **WAYS[way])
    path = write_file(tmp_path / "m.vocab", listing(model))
    assert is_tokenizer(path)
    tokenizer = tc.open(path)
    assert (tokenizer.name, tokenizer.source.format) == ("m", "sentencepiece-listing")
    check(tokenizer, model)
    told = {detail.name: detail.value for detail in tokenizer.details}
    assert told["model_type"].startswith(f"{kind.upper()}, ")
    assert told["byte_fallback"] == ("yes" if way == "bytes" else "no")
    assert "the listing does not have it" in told["normalization"]


def test_sentencepiece_writes_such_a_listing(tmp_path: Path) -> None:
    for kind in ("unigram", "bpe"):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES * 4),
            model_prefix=str(tmp_path / "m"),
            model_type=kind,
            vocab_size=400,
            hard_vocab_limit=False,
            num_threads=1,
            minloglevel=2,
        )
        model = (tmp_path / "m.model").read_bytes()
        assert (tmp_path / "m.vocab").read_bytes() == listing(model)


def test_it_is_refused_beside_its_model(tmp_path: Path) -> None:
    model = trained("unigram", **NOT_NORMALIZED)
    (tmp_path / "m.vocab").write_bytes(listing(model))
    (tmp_path / "m.model").write_bytes(model)
    with pytest.raises(tc.FormatError, match=r"lies beside it .* open m\.model\.$"):
        tc.open(tmp_path / "m.vocab")
    found = tokenizers_in(tmp_path, ["m.model", "m.vocab"])
    assert [one.path.name for one in found] == ["m.model"]
    check(tc.open(tmp_path), model)


@pytest.mark.parametrize("format", ["sentencepiece", "tokenarium"])
def test_a_copy_is_the_same(tmp_path: Path, format: str) -> None:
    model = trained("unigram", **NOT_NORMALIZED, **WAYS["bytes"])
    suffix = ".model" if format == "sentencepiece" else ".json"
    read_listing(listing(model), "m.vocab").save(tmp_path / f"copy{suffix}", format)
    check(tc.open(tmp_path / f"copy{suffix}"), model)


def test_lines_may_end_as_in_windows() -> None:
    content = listing(message(SMALL).SerializeToString()).replace(b"\n", b"\r\n")
    tokenizer = read_listing(content, "m.vocab")
    assert [tokenizer.vocabulary.surface(id) for id in tokenizer.encode_ids("ab")] == ["▁ab"]


@pytest.mark.parametrize(
    ("line", "with_", "said"),
    [
        (5, "a", "Line 5 of m.vocab is not a piece, a tab and a score"),
        (5, "", "Line 5 of m.vocab is not a piece, a tab and a score"),
        (5, "\t-1", "Line 5 of m.vocab is not a piece, a tab and a score"),
        (5, "a\t3", "Line 5 of m.vocab is not a piece, a tab and a score"),
        (5, "a\t-1e9999", "Line 5 of m.vocab is not a piece, a tab and a score"),
        (5, "a\tnan", "Line 5 of m.vocab is not a piece, a tab and a score"),
        (7, "a\t-1", "Line 7 of m.vocab has the piece 'a', which line 6 already has"),
        (1, "unk\t0", "m.vocab has none of <unk>, [UNK], <UNK>"),
        (5, "z" * 9000 + "\t-1", "Piece 4 of m.vocab has 9,000 bytes"),
        (5, "z\t-inf", "Piece 4 of m.vocab has the score -inf"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(line: int, with_: str, said: str) -> None:
    lines = listing(message(SMALL).SerializeToString()).decode().splitlines()
    lines[line - 1] = with_
    with pytest.raises(tc.FormatError) as refused:
        read_listing("\n".join(lines).encode(), "m.vocab")
    assert said in str(refused.value)


def test_a_listing_that_is_cut_off_or_damaged_is_refused_or_read(tmp_path: Path) -> None:
    name, content = FILES["sentencepiece-listing"]
    whole = content()
    chance = random.Random(3)
    for size in chance.sample(range(1, len(whole)), 60):
        damaged = bytearray(whole[:size])
        damaged[chance.randrange(size)] = chance.randrange(256)
        path = write_file(tmp_path / name, damaged)
        try:
            tokenizer = tc.open(path)
        except tc.FormatError as error:
            said = str(error)
        else:
            said = f"{tokenizer.decode(tokenizer.encode_ids('the low'))}."
        assert said.endswith(".")


def test_bytes_that_are_not_utf_8_are_named() -> None:
    file = TokenizerFile(Path("m.vocab"), b"<unk>\t0\n<s>\t0\n\xff\t-1\n", "m")
    with pytest.raises(tc.FormatError, match=r"Line 3 of m\.vocab is not UTF-8"):
        read_listing(file.content, "m.vocab")
