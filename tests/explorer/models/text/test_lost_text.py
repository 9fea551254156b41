"""What is lost of a text, beside what the reference libraries decode."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sentencepiece_models

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import TextLoss, blanks_of, loses, lost_share, text_loss

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def lost_in(tokenizer: tc.Tokenizer, text: str) -> list[str]:
    """Returns the parts of a text that are lost."""
    utf8, encoding = text.encode(), tokenizer.encode(text)
    spans = array_of(encoding.spans).reshape(-1, 2)
    found = text_loss(tokenizer).spans(utf8, array_of(encoding.ids), spans, 0, len(utf8))
    return [utf8[start:end].decode() for start, end in found.tolist()]


@pytest.fixture
def words(tmp_path: Path) -> tc.Tokenizer:
    """BERT's tokenizer, with a vocabulary of letters."""
    file = tmp_path / "vocab.txt"
    file.write_text("\n".join(["[UNK]", *LETTERS, *(f"##{c}" for c in LETTERS)]), "utf-8")
    return tc.open(str(file))


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("ab cd", []),  # WordPiece's decoder writes the blank
        ("ab\ncd", []),  # any blank counts for any other
        ("ab  cd", [" "]),
        ("ab\n\n\tcd", ["\n\t"]),
        (" ab ", [" ", " "]),
        ("ab ж", ["ж"]),
        ("ab жcd e", ["жcd"]),  # an unknown token is a whole word
        ("ab\u3000\u3000cd", ["\u3000"]),
        ("a\x00b", []),  # BERT's normalizer takes it away, and says so
        ("É", []),  # in lower case, with no accent
        ("", []),
    ],
)
def test_wordpiece_loses_unknown_words_and_all_but_one_blank(
    words: tc.Tokenizer, text: str, lost: list[str]
) -> None:
    assert lost_in(words, text) == lost


def test_unknown_pieces_of_a_folder_with_ids_by_name_are_lost(tmp_path: Path) -> None:
    """Marian's ``<unk>`` is a special token of the settings, and no entry of the SentencePiece model."""
    for name in ("source.spm", "target.spm"):
        (tmp_path / name).write_bytes(sentencepiece_models.trained("unigram"))
    ids = {entry: id for id, entry in enumerate(["</s>", "<unk>", "▁", *LETTERS, "<pad>"])}
    (tmp_path / "vocab.json").write_text(json.dumps(ids), "utf-8")
    (tmp_path / "config.json").write_text('{"model_type": "marian"}')
    (tmp_path / "tokenizer_config.json").write_text("{}")
    assert "".join(lost_in(tc.open(tmp_path), "ab ไทย")).strip() == "ไทย"


def test_unknown_characters_of_bpe_without_an_unknown_token_are_dropped(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    vocab = {c: n for n, c in enumerate(LETTERS)}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, []))
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = tc.open(path)
    text = "ab ☃cd"
    assert ours.encode_ids(text) == theirs.encode(text).ids
    # Their decoder writes a blank between any two tokens: it gives back the one that is dropped beside the sign.
    assert lost_in(ours, text) == ["☃"]
    assert lost_share(ours, [text]) == 3 / 8


@pytest.mark.parametrize("decoder", ["Fuse", ""])
def test_unigram_over_words_without_blanks_loses_them(tmp_path: Path, decoder: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    pieces = [("<unk>", 0.0), *((c, -2.0) for c in LETTERS)]
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, 0))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    if decoder:
        theirs.decoder = tokenizers.decoders.Fuse()
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = tc.open(path)
    text = "ab cd  ef"
    ids = theirs.encode(text).ids
    assert ours.encode_ids(text) == ids
    back = theirs.decode(ids)
    lost = lost_in(ours, text)
    if decoder:
        assert back == "abcdef"
        assert lost == [" ", "  "]
    else:
        assert back == "a b c d e f"
        assert lost == [" "]
    assert lost_in(ours, "ab é") == ([" ", "é"] if decoder else ["é"])


def test_blanks_that_the_decoder_leaves_out_are_lost(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    vocab = {c: n for n, c in enumerate([*LETTERS, " "])}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, []))
    theirs.decoder = tokenizers.decoders.Sequence(
        [tokenizers.decoders.Replace(" ", ""), tokenizers.decoders.Fuse()]
    )
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = tc.open(path)
    text = "ab cd e☃ f"
    ids = theirs.encode(text).ids
    assert ours.encode_ids(text) == ids
    assert blanks_of(theirs.decode(ids)) == 0
    assert lost_in(ours, text) == [" ", " ", "☃", " "]


def test_sentencepiece_loses_what_its_normalizer_takes_of_blanks() -> None:
    spm = tc.train("sentencepiece-bpe", ["ab cd ef"], vocab_size=50)
    for text, back, lost in (
        ("ab cd", "ab cd", []),
        ("ab   cd", "ab cd", ["  "]),  # in the token with the first of them
        ("\n ab\tcd  ", "ab cd", ["\n ", "  "]),
        ("ab  x", "ab  \u2047 ", [" ", "x"]),
    ):
        assert spm.decode(spm.encode_ids(text)) == back
        assert lost_in(spm, text) == lost
        assert lost_share(spm, [text]) == len("".join(lost)) / len(text)


@pytest.mark.parametrize("text", ["ab  cd\n\n", "жé☃ \u3000", "a\x00b", "e\u0301"])
def test_bytes_lose_nothing(text: str) -> None:
    assert lost_in(tc.train("bpe", ["ab cd"], vocab_size=300), text) == []


def test_parts_of_a_text_have_the_same_lost_places(words: tc.Tokenizer) -> None:
    text = " ab  ж cd\n\nef  жж g "
    utf8, encoding = text.encode(), words.encode(text)
    ids, spans = array_of(encoding.ids), array_of(encoding.spans).reshape(-1, 2)
    how = TextLoss(words)
    whole = how.spans(utf8, ids, spans, 0, len(utf8)).tolist()
    for cut in range(1, len(ids)):
        middle = int(spans[cut - 1, 1])
        first = how.spans(utf8, ids[:cut], spans[:cut], 0, middle)
        last = how.spans(utf8, ids[cut:], spans[cut:], middle, len(utf8))
        assert np.concatenate((first, last)).tolist() == whole


def test_tokens_of_a_longer_text_lose_nothing_of_this_one(words: tc.Tokenizer) -> None:
    """As they are painted for a moment where a text was replaced."""
    utf8 = b"low  xyz " * 9
    encoding = words.encode(utf8.decode())
    spans = np.array([encoding.span(index) for index in range(len(encoding.ids))], np.int32)
    ids = array_of(encoding.ids)
    assert len(text_loss(words).spans(utf8, ids, spans, 0, len(utf8)))
    for size in (0, 1, 20):
        assert not len(text_loss(words).spans(utf8[:size], ids, spans, 0, size))


def test_what_is_said() -> None:
    assert loses(0.04) == "loses 4.0% of the text"
    assert loses(0) == ""
