"""Exported files, read by the libraries that own the formats: the same ids; and read again by us: the same tokenizer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from sentencepiece_models import SMALL, message
from tiktoken.load import load_tiktoken_bpe
from tokenizers import pre_tokenizers

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium_core.formats.registry import EXPORT_FORMATS, files_of, save
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_cutting

SAMPLES = ("mixed", "hard-blanks", "hard-unicode", "code-python", "prose-ar", "prose-ja", "numbers")
SUFFIXES = {name: kind.suffix for name, kind in EXPORT_FORMATS.items()}


def texts() -> list[str]:
    return ["", " ", "a", *map(sample_text, SAMPLES)]


def same(one: tc.Tokenizer, other: tc.Tokenizer) -> None:
    """Asserts that two tokenizers are the same: pieces, special tokens, ids and the way back."""
    pieces = [one.vocabulary.piece(token) for token in range(len(one.vocabulary))]
    assert [other.vocabulary.piece(token) for token in range(len(other.vocabulary))] == pieces
    assert other.special_tokens == one.special_tokens
    for text in texts():
        ids = one.encode_ids(text)
        assert other.encode_ids(text) == ids
        assert other.decode(ids) == one.decode(ids)


@pytest.fixture(scope="module")
def trained() -> tc.Tokenizer:
    corpus = [sample_text("prose-en"), sample_text("code-python"), sample_text("prose-ar")]
    return tc.train("bpe", corpus, vocab_size=900, special_tokens=["<|end|>", "<|pad|>"])


def exported(tokenizer: tc.Tokenizer, format: str, folder: Path) -> Path:
    """Returns the main file of an export, after it was read again and found to be the same."""
    target = folder if format == "gpt2" else folder / f"exported{SUFFIXES[format]}"
    path = save(tokenizer, target, format)[0]
    again = tc.open(path)
    same(tokenizer, again)
    again.name = tokenizer.name
    written = files_of(again, format, path.stem)
    assert written == {name: (path.parent / name).read_bytes() for name in written}
    return path


def in_tokenizers(path: Path) -> tokenizers.Tokenizer:
    found = tokenizers.Tokenizer.from_file(str(path))
    found.encode_special_tokens = True
    return found


def agree_with_tokenizers(tokenizer: tc.Tokenizer, path: Path, more: list[str]) -> None:
    reference = in_tokenizers(path)
    for text in [*texts(), *more]:
        ids = tokenizer.encode_ids(text)
        assert reference.encode(text, add_special_tokens=False).ids == ids
    for token, number in tokenizer.special_tokens.items():
        assert reference.token_to_id(token) == number


@pytest.mark.parametrize(
    "pattern",
    [
        *[name for name in PRE_TOKENIZERS if name != "graphemes"],
        r"\p{L}+|\P{L}",
        r"(?i:the|of)|[[:alpha:]]{2,5}?|\s+(?!\S)|[^\S]|\S",
        r"(?s).+",
        r"(?-s:.)+|(?s:.)",
        r"(?is)the[a-h]?|.",
        r"(?mu) ?\p{L}+|[\s\S]",
        "(?xs) \\p{L}+  # words\n | .",
    ],
)  # fmt: skip
def test_trained_bpe_in_tokenizers(tmp_path: Path, pattern: str) -> None:
    corpus = [sample_text("prose-en"), sample_text("prose-ja")]
    tokenizer = tc.train("bpe", corpus, vocab_size=700, pattern=pattern, special_tokens=["<|end|>"])
    agree_with_tokenizers(tokenizer, exported(tokenizer, "huggingface", tmp_path), [])


@pytest.mark.parametrize("form", ["nfc", "nfkc"])
def test_trained_bpe_with_a_normal_form_in_tokenizers(tmp_path: Path, form: str) -> None:
    texts = ["caf\u00e9 low lower \ufb01sh", "cafe\u0301 e\u0301"]
    tokenizer = tc.train(
        "bpe", texts * 4, vocab_size=280, normalization=form, special_tokens=["<|end|>"]
    )
    path = exported(tokenizer, "huggingface", tmp_path)
    reference, opened = tokenizers.Tokenizer.from_file(str(path)), tc.open(path)
    for text in (*texts, "e\u0301<|end|>\ufb01", "\u1112\u1161\u11ab \u2460 \u212b"):
        ids = reference.encode(text).ids
        assert list(tokenizer.encode(text, "all").ids) == ids
        assert list(opened.encode(text, "all").ids) == ids
    own = tmp_path / "own.json"
    tokenizer.save(own)
    assert [tc.open(own).encode_ids(text) for text in texts] == [
        tokenizer.encode_ids(text) for text in texts
    ]
    for other in ("tiktoken", "gpt2"):
        with pytest.raises(tc.ArgumentError, match="no normalizer"):
            tokenizer.save(tmp_path / "other.json", format=other)


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"\w+|\W+", r"\w"),
        (r"[\w']+|(?s:.)", r"\w"),
        (r"(?V1)a|[\s\S]", "cannot be run here"),
        (r"[\w']+|[\s\S]", r"\w"),
        (r"^a|[\s\S]", "^"),
        (r"a$|[\s\S]", "$"),
        (r"\p{N}{3}+|[\s\S]", "{3}+"),
        (r"\p{N}{2}?|[\s\S]", "{2}?"),
        (r"(?m:^a.)|[\s\S]", "^"),
        (r"a(?s)|.", "(?s) is not at its start"),
        ("(?x)a\u2028|[\\s\\S]", "(?x)"),
        (r"(?i)\p{Lu}|[\s\S]", r"\p{Lu} in any case"),
        (r"(?i)ß|[\s\S]", "in any case"),
        (r"(?i)[A-Z]|.|\n", "[A-Z] in any case"),
        (r"(?i)is|[\s\S]", "i in any case"),
        (r"(?i)ss|[\s\S]", "'ss' in any case"),
        (r"[^\S\s]|[\s\S]", "an inverted set"),
        (r"\xE9|[\s\S]", "a byte of a character"),
        (r"[[:punct:]]|[\s\S]", "[:punct:]"),
        (r"\p{Word}|[\s\S]", r"\p{Word}"),
        (r"[a-z&&b]|[\s\S]", "&&"),
        (r"[a[b]+|[\s\S]", "cannot be run here"),
        (r"\bthe|[\s\S]", r"\b"),
    ],
)
def test_a_pattern_that_means_something_else(pattern: str, part: str) -> None:
    """There, words end differently at a joiner of emoji or a superscript digit, ``$`` matches at each line, and so on."""
    tokenizer = tc.train("bpe", ["the"], vocab_size=256, pattern=pattern)
    refused = EXPORT_FORMATS["huggingface"].obstacle(tokenizer)
    assert part in refused
    assert "the engine that Hugging Face uses" in refused


def test_graphemes_are_kept_in_our_own_file_alone(tmp_path: Path) -> None:
    """Oniguruma's ``\\X`` has no conjuncts, and tiktoken has none."""
    tokenizer = tc.train("bpe", ["हिन्दी क्षि 👍🏽 e\u0301"] * 5, vocab_size=300, pattern="graphemes")
    assert len(tokenizer.vocabulary) > 256
    exported(tokenizer, "tokenarium", tmp_path)
    for format, said in (("huggingface", "pattern graphemes"), ("tiktoken", "no equivalent")):
        with pytest.raises(tc.TokenariumError, match=said):
            save(tokenizer, tmp_path / f"other{SUFFIXES[format]}", format)
    conjunct = "\u0915\u094d\u0937"
    theirs = pre_tokenizers.Split(tokenizers.Regex(r"\X"), "isolated")
    assert [piece for piece, _ in theirs.pre_tokenize_str(conjunct)] == [conjunct[:2], conjunct[2:]]
    with pytest.raises(tc.PatternError):
        tiktoken_cutting(r"\X")


def test_trained_bpe_in_tiktoken(trained: tc.Tokenizer, tmp_path: Path) -> None:
    path = exported(trained, "tiktoken", tmp_path)
    stored = json.loads((tmp_path / "exported.pattern.json").read_text("utf-8"))
    monkey = pytest.MonkeyPatch()
    monkey.setenv("TIKTOKEN_CACHE_DIR", "")
    with monkey.context():
        del stored["ranks_sha256"]  # which only this program reads
        reference = tiktoken.Encoding(**stored, mergeable_ranks=load_tiktoken_bpe(str(path)))
    monkey.undo()
    for text in texts():
        assert reference.encode_ordinary(text) == trained.encode_ids(text)
    assert reference.encode("<|end|>", allowed_special="all") == [898]


def test_trained_bpe_in_our_own_format(trained: tc.Tokenizer, tmp_path: Path) -> None:
    exported(trained, "tokenarium", tmp_path)


def test_gpt2_pair(tmp_path: Path) -> None:
    corpus = [sample_text("prose-en"), sample_text("code-python")]
    tokenizer = tc.train(
        "bpe", corpus, vocab_size=600, pattern="gpt2", special_tokens=["<|endoftext|>"]
    )
    path = exported(tokenizer, "gpt2", tmp_path)
    assert sorted(file.name for file in tmp_path.glob("*.*")) == ["encoder.json", "vocab.bpe"]
    reference = tokenizers.ByteLevelBPETokenizer(str(path), str(path.with_name("vocab.bpe")))
    for text in texts():
        assert reference.encode(text).ids == tokenizer.encode_ids(text)


@pytest.mark.parametrize("special", ["é", "Ġ", '"', "1", "ab", "<a>"])
def test_a_special_token_that_is_spelled_as_an_entry(special: str, tmp_path: Path) -> None:
    """Files that have ids by spelling cannot hold both; the ranks of tiktoken can."""
    corpus = ["ab <a> ab <a> éé ab <a>"] * 9
    pattern = "gpt2" if special == "<a>" else r"(?s).+"
    trained = tc.train(
        "bpe", corpus, vocab_size=274, pattern=pattern
    )  # a training keeps them apart
    ranks = save(trained, tmp_path / "ranks.tiktoken", "tiktoken")[0]
    tokenizer = tc.open(ranks, special_tokens={special: len(trained.vocabulary)})
    clashes = special != "<a>" or tokenizer.vocabulary.find(b"<a>") >= 0
    for format in ("huggingface", "gpt2"):
        if clashes and (format == "huggingface" or special == "<a>"):
            assert "is spelled like the entry" in EXPORT_FORMATS[format].obstacle(tokenizer)
    again = tc.open(save(tokenizer, tmp_path / "x.tiktoken", "tiktoken")[0])
    for text in ["é鰀 ab 1", *corpus]:
        assert again.encode_ids(text) == tokenizer.encode_ids(text)


def test_unigram_entries_that_are_spelled_alike() -> None:
    """SentencePiece lets a control piece of Unigram be spelled as another piece; a `tokenizer.json` has one of them."""
    content = message([*SMALL, ("a", 0.0, 3)]).SerializeToString()
    tokenizer = read_sentencepiece(content, "x.model", "x")
    assert "Two of its entries are 'a'" in EXPORT_FORMATS["huggingface"].obstacle(tokenizer)
    without = read_sentencepiece(message([*SMALL]).SerializeToString(), "x.model", "x")
    assert EXPORT_FORMATS["huggingface"].obstacle(without) == ""


@pytest.mark.parametrize(
    "options", [{"control_symbols": ["a b"]}, {"user_defined_symbols": ["a b"]}]
)
@pytest.mark.parametrize("algorithm", ["unigram", "fsp-unigram", "sentencepiece-bpe"])
def test_a_symbol_with_a_space_keeps_its_name(
    algorithm: str, options: dict[str, list[str]], tmp_path: Path
) -> None:
    """Its space is none of the marks, and where it is user-defined all entries are as the file spells them."""
    corpus = [sample_text("prose-en")]
    tokenizer = tc.train(algorithm, corpus, vocab_size=400, byte_fallback=True, **options)
    path = exported(tokenizer, "sentencepiece", tmp_path)
    reference = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert reference.id_to_piece(3) == tokenizer.vocabulary.surface(3) == "a b"
    assert reference.id_to_piece(4) == tokenizer.vocabulary.surface(4) == "<0x00>"


@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("algorithm", ["unigram", "fsp-unigram", "sentencepiece-bpe"])
def test_marks_in_the_text_itself(algorithm: str, prefix: bool, tmp_path: Path) -> None:
    tokenizer = tc.train(
        algorithm,
        [sample_text("prose-en")],
        vocab_size=400,
        normalization="identity",
        add_dummy_prefix=prefix,
    )
    path = exported(tokenizer, "sentencepiece", tmp_path)
    sentences = sentencepiece.SentencePieceProcessor(model_file=str(path))
    again = tc.open(save(tokenizer, tmp_path / "x.json", "huggingface", allow_differences=True)[0])
    reference = in_tokenizers(tmp_path / "x.json")
    for text in ("▁", "▁ ▁", "the ▁", "▁the▁▁ ", " ▁ the▁a", "the ▁a  ▁"):
        ids = sentences.encode(text)
        assert tokenizer.encode_ids(text) == ids
        assert again.encode_ids(text) == ids
        assert reference.encode(text, add_special_tokens=False).ids == ids


@pytest.mark.parametrize(
    ("symbol", "normalization"), [("\r", "nmt_nfkc"), ("ﬁ", "nfkc"), ("a▁", "identity")]
)
def test_a_symbol_that_would_be_normalized(symbol: str, normalization: str) -> None:
    """A carriage return becomes nothing, which tokenizers would find everywhere, until the memory is full."""
    tokenizer = tc.train(
        "unigram",
        [sample_text("prose-en")],
        vocab_size=400,
        normalization=normalization,
        add_dummy_prefix=False,
        user_defined_symbols=["<b>", symbol],
    )
    assert "in its normalized form" in EXPORT_FORMATS["huggingface"].obstacle(tokenizer)


def test_a_model_that_stores_no_settings_of_its_normalizer(tmp_path: Path) -> None:
    model = message([*SMALL[:3], *SMALL[4:]])
    model.ClearField("normalizer_spec")
    tokenizer = read_sentencepiece(model.SerializeToString(), "x.model", "x")
    again = tc.open(save(tokenizer, tmp_path / "x.json", "huggingface", allow_differences=True)[0])
    assert again.encode_ids(" ab  a ") == tokenizer.encode_ids(" ab  a ") == [7, 3, 4]


def test_merges_of_characters_that_are_no_entries() -> None:
    pieces = [("▁", -2.0, 1), ("a", -3.0, 1), ("ab", -1.0, 1)]
    content = message([*SMALL[:3], *pieces], kind=2).SerializeToString()
    tokenizer = read_sentencepiece(content, "x.model", "x")
    assert tokenizer.encode_ids("ab")[-1] == 5
    assert "characters that are not entries" in EXPORT_FORMATS["huggingface"].obstacle(tokenizer)


def test_scores_stay_as_they_are_read(tmp_path: Path) -> None:
    """Written as Python does, about one in ten is read as its neighbour."""
    tokenizer = tc.train("unigram", [sample_text("prose-en")], vocab_size=600)
    first = tc.open(
        save(tokenizer, tmp_path / "first.json", "huggingface", allow_differences=True)[0]
    )
    second = tc.open(
        save(first, tmp_path / "second.json", "huggingface", allow_differences=True)[0]
    )
    assert list(second.vocabulary.scores) == list(first.vocabulary.scores)
    assert files_of(second, "huggingface", "x") == files_of(first, "huggingface", "x")


@pytest.mark.parametrize("kind", [1, 2])
@pytest.mark.parametrize("unused", ["bb", "\0"])
def test_unused_entries(kind: int, unused: str) -> None:
    model = message([*SMALL[:3], *SMALL[4:7], (unused, -0.1, 5), *SMALL[7:]], kind)
    tokenizer = read_sentencepiece(model.SerializeToString(), "x.model", "x")
    assert "unused entries" in EXPORT_FORMATS["huggingface"].obstacle(tokenizer)


def test_a_byte_without_an_entry(tmp_path: Path) -> None:
    """Hugging Face's files may leave some out."""
    tokenizer = tc.train("bpe", [], vocab_size=256, pattern="gpt2")
    path = save(tokenizer, tmp_path / "bytes.json", "huggingface")[0]
    stored = json.loads(path.read_text("utf-8"))
    del stored["model"]["vocab"]["ý"]
    path.write_text(json.dumps(stored), "utf-8")
    for format in ("tiktoken", "gpt2"):
        assert "0xFD has none" in EXPORT_FORMATS[format].obstacle(tc.open(path))
    exported(tc.open(path), "huggingface", tmp_path)


@pytest.mark.parametrize(
    ("merges", "tiktoken_too"),
    [
        ([["a", "b"], ["ab", "c"], ["b", "c"]], True),
        ([["a", "b"], ["ab", "c"]], False),  # nothing makes bc
        ([["a", "b"], ["a", "bc"], ["b", "c"]], False),  # nothing leads to abc
    ],
)
def test_entries_that_no_merges_lead_to(
    merges: list[list[str]], tiktoken_too: bool, tmp_path: Path
) -> None:
    tokenizer = tc.train("bpe", [], vocab_size=256, pattern="gpt2")
    path = save(tokenizer, tmp_path / "bytes.json", "huggingface")[0]
    stored = json.loads(path.read_text("utf-8"))
    stored["model"]["vocab"].update({"ab": 256, "abc": 257, "bc": 258})
    stored["model"]["merges"] = merges
    path.write_text(json.dumps(stored), "utf-8")
    made = tc.open(path)
    assert ("tiktoken merges" in EXPORT_FORMATS["tiktoken"].obstacle(made).lower()) != tiktoken_too
    refused = EXPORT_FORMATS["gpt2"].obstacle(made)
    assert refused == "" if len(merges) == 3 else "is made by a merge, and b'bc' is not" in refused
    if tiktoken_too:
        exported(made, "gpt2", tmp_path)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_encodings_of_openai(
    name: str, tiktoken_cache: Path, texts: dict[str, str], tmp_path: Path
) -> None:
    tokenizer = tc.open(name)
    some = [texts[language] for language in ("eng", "deu_1996", "jpn", "hin") if language in texts]
    agree_with_tokenizers(tokenizer, exported(tokenizer, "huggingface", tmp_path), some)
    exported(tokenizer, "tiktoken", tmp_path)


@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model"])
def test_sentencepiece_models(
    name: str, real: Callable[[str], tc.Tokenizer], texts: dict[str, str], tmp_path: Path
) -> None:
    tokenizer = real(name)
    path = exported(tokenizer, "sentencepiece", tmp_path)
    reference = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in texts.values():
        assert reference.encode(text[:4000]) == tokenizer.encode_ids(text[:4000])


def test_gemma_in_tokenizers(
    real: Callable[[str], tc.Tokenizer], texts: dict[str, str], tmp_path: Path
) -> None:
    tokenizer = real("gemma3.model")
    path = save(tokenizer, tmp_path / "gemma.json", "huggingface", allow_differences=True)[0]
    reference = in_tokenizers(path)
    again = tc.open(path)
    for text in [*texts.values(), *map(sample_text, SAMPLES)]:
        ids = tokenizer.encode_ids(text[:4000])
        assert again.encode_ids(text[:4000]) == ids
        assert reference.encode(text[:4000], add_special_tokens=False).ids == ids


def test_a_file_of_hugging_face_is_written_again(data: Path, tmp_path: Path) -> None:
    source = data / "tokenizers" / "gemma3-tokenizer.json"
    tokenizer = tc.open(source)
    path = exported(tokenizer, "huggingface", tmp_path)
    stored, written = (json.loads(file.read_text("utf-8")) for file in (source, path))
    assert written.keys() == stored.keys()
    assert {key: stored[key] for key in stored if key != "model"} == {
        key: written[key] for key in written if key != "model"
    }
    assert written["model"]["vocab"] == stored["model"]["vocab"]
    assert written["model"]["merges"] == stored["model"]["merges"]
