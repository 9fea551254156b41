"""GGUF files give the ids of the library that owns the original, and those of llama.cpp where that is installed.

llama.cpp is llama-cpp-python, which is compiled when it is installed; without it those tests are skipped.
"""

from __future__ import annotations

import base64
import random
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import gguf_files
import pytest
import sentencepiece
import tiktoken
import tokenizers
from plamo_files import plamo_file, plamo_texts
from trace_law import ids_by_law

import tokenarium_core as tc
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium_core.formats.gguf.gguf_cuts import CUTS
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces
from tokenarium_core.pretokenizers.scanner_cl100k import LLAMA3, QWEN2
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.unicode.codepoints import spans_in
from tokenarium_core.unicode.llama_codepoints_data import NEWER

NAMES = list({id(cuts): name for name, cuts in CUTS.items() if not cuts.marks}.values())
"""A name for each way to cut in llama.cpp's table."""

OTHERWISE = {"Mc", "Me"}
BLANKS_OR_HANGUL = re.compile("[\x0b\x0c\x85\uac00-\ud7a3]")
SHIPPED = {shipped.id: shipped.path for shipped in SHIPPED_TOKENIZERS}
PARTS = [
    "a", "B", "é", "É", "ß", "ж", "Ж", "国", "の", "カ", "ट", "्", "ि", "ا", "1", "22", "3456", "٣", "½",
    " ", "  ", " " * 9, "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\u0085", "\v", "'s", "'S",
    "'re", "'LL", "’s", "'", '"', "!", "...", "-", "_", "$", "+", "=", "^", "`", "~", "|", "#", "/", "(",
    ")", "，", "。", "「", "…", "€", "😀", "\u200b", "\ufeff", "e\u0301", "Hello", " the", "ing",
    "HTTPServer", "camelCase", "don't", "123abc", "ﬁ", "Å", "ª", "ʰ", "µ", "中文",
]  # fmt: skip


def random_texts(count: int = 300) -> list[str]:
    chance = random.Random(26)
    return ["".join(chance.choices(PARTS, k=chance.randint(1, 14))) for _ in range(count)]


def samples() -> list[str]:
    return [sample.text() for sample in load_samples()]


def test_tiktoken(tiktoken_cache: Path, texts: dict[str, str], tmp_path: Path) -> None:
    original = tc.open("gpt2")
    encoding = tiktoken.get_encoding("gpt2")
    tokenizer = tc.open(gguf_files.of_merges(tmp_path / "gpt2.gguf", original, "gpt-2"))
    for text in [*texts.values(), *random_texts()]:
        ids = tokenizer.encode_ids(text)
        assert ids == encoding.encode_ordinary(text)
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize(("pre", "pattern"), [("llama-bpe", LLAMA3), ("qwen2", QWEN2)])
def test_tiktoken_with_other_patterns(
    pre: str, pattern: str, tiktoken_cache: Path, texts: dict[str, str], tmp_path: Path
) -> None:
    original = tc.open("cl100k_base")
    ranks = tiktoken.get_encoding("cl100k_base")._mergeable_ranks
    encoding = tiktoken.Encoding(pre, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    tokenizer = tc.open(gguf_files.of_merges(tmp_path / "x.gguf", original, pre))
    for text in [*texts.values(), *random_texts()]:
        assert tokenizer.encode_ids(text) == encoding.encode_ordinary(text)


@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model"])
def test_sentencepiece(name: str, data: Path, texts: dict[str, str], tmp_path: Path) -> None:
    path = data / "tokenizers" / name
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokenizer = tc.open(gguf_files.of_sentencepiece(tmp_path / "x.gguf", path))
    for text in [*texts.values(), *random_texts()]:
        assert tokenizer.encode_ids(text) == model.encode(text)


def test_sentencepiece_unigram(tmp_path: Path) -> None:
    path = SHIPPED["unigram-8k"]
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokenizer = tc.open(gguf_files.of_sentencepiece(tmp_path / "x.gguf", path))
    unknown = model.unk_id()
    same = 0
    for text in "\n".join(samples()).split("\n"):
        expected = model.encode(text)
        if (
            text.strip(" ")
            and unknown not in expected
            and not any(model.is_byte(id) for id in expected)
        ):
            assert tokenizer.encode_ids(text) == expected
            same += 1
    assert same > 100


def test_tokenizers_wordpiece(tmp_path: Path) -> None:
    path = SHIPPED["wordpiece-8k"]
    original = tokenizers.Tokenizer.from_file(str(path))
    tokenizer = tc.open(gguf_files.of_wordpiece(tmp_path / "x.gguf", path, True))
    for text in [*samples(), *random_texts()]:
        # What llama.cpp does otherwise: long words, some blanks, spacing marks and Hangul syllables.
        if (
            max(map(len, text.split()), default=0) > 100
            or OTHERWISE & set(map(unicodedata.category, text))
            or BLANKS_OR_HANGUL.search(text)
        ):
            continue
        ids = original.encode(text).ids  # with [CLS] and [SEP]
        assert list(tokenizer.encode(text, special="all", template=True).ids) == ids


def entries_within(encoding: tiktoken.Encoding, texts: list[str], path: Path) -> tc.Tokenizer:
    """Returns an encoding with those of its entries only that a text holds: the others cannot come up in them."""
    whole = b"\0".join(text.encode() for text in texts)
    ranks = sorted((rank, piece) for piece, rank in encoding._mergeable_ranks.items())
    kept = [piece for _, piece in ranks if len(piece) == 1 or piece in whole]
    lines = [b"%s %d\n" % (base64.b64encode(piece), rank) for rank, piece in enumerate(kept)]
    path.write_bytes(b"".join(lines))
    return tc.open(path, pattern=encoding._pat_str)


def test_tokenizers_with_the_same_stages(tiktoken_cache: Path, tmp_path: Path) -> None:
    """What is written as `tokenizer.json` cuts in Hugging Face's library as here, for each name of llama.cpp's table."""
    texts = random_texts(60)
    encoding = tiktoken.get_encoding("cl100k_base")
    original = entries_within(encoding, texts, tmp_path / "within.tiktoken")
    whole = tc.open("cl100k_base")
    for text in texts:
        pieces = [whole.vocabulary.piece(id) for id in whole.encode_ids(text)]
        assert [original.vocabulary.piece(id) for id in original.encode_ids(text)] == pieces
    for pre in NAMES:
        path = gguf_files.of_merges(tmp_path / "x.gguf", original, pre)
        tokenizer = tc.open(path)
        assert tokenizer.normalizer is None  # the texts are what is cut
        tokenizer.save(tmp_path / "tokenizer.json", format="huggingface")
        library = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        for text in texts:
            expected = library.encode(text, add_special_tokens=False).ids
            assert tokenizer.encode_ids(text) == expected, (pre, text)


# Characters that llama.cpp's Unicode does not know, and all others.

AROUND = "a 1!\n'"


def of_cuts(path: Path, pre: str) -> Path:
    """Writes a file whose ids show where a text is cut: what is around a character is merged with its first and last byte."""
    letters = byte_alphabet.CHARACTERS
    around = [letters[ord(one)] for one in AROUND]
    first = [letters[byte] for byte in range(0xC2, 0xF5)]
    last = [letters[byte] for byte in range(0x80, 0xC0)]
    pairs = [(one, byte) for one in around for byte in first]
    pairs += [(byte, one) for one in around for byte in last]
    pairs += [(one, other) for one in around for other in around]
    pieces = [*letters, *[left + right for left, right in pairs]]

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(pieces)
        writer.add_token_types([gguf_files.NORMAL] * len(pieces))
        writer.add_token_merges([f"{left} {right}" for left, right in pairs])
        writer.add_add_bos_token(False)

    return gguf_files.write(path, fill)


def with_characters(characters: str) -> str:
    return "".join(f"a{one}a {one}1{one}! {one}\na {one}{one}a'\n" for one in characters)


def newer_characters() -> str:
    return "".join(
        chr(point) for first, last in spans_in(NEWER) for point in range(first, last + 1)
    )


@pytest.mark.parametrize("pre", ["gpt-2", "llama-bpe", "qwen2", "default", "deepseek-v3", "tekken"])
def test_characters_of_a_newer_unicode_are_not_assigned(pre: str, tmp_path: Path) -> None:
    """No pattern has them in a class: they are cut as a character is that no Unicode assigns."""
    tokenizer = tc.open(of_cuts(tmp_path / "x.gguf", pre))
    never = {3: "\uabff", 4: "\U0001fffe"}
    for newer in newer_characters()[::211]:
        text = with_characters(newer)
        other = with_characters(never[len(newer.encode())])
        assert tokenizer.decode(tokenizer.encode_ids(text)) == text
        for one, same in ((text, other), (text * 100, other * 100)):  # a long text is divided
            seen = tokenizer.encode(one).pre_tokens
            assert list(seen.ends) == list(tokenizer.encode(same).pre_tokens.ends)
            assert tokenizer.encode_ids(one) == list(tokenizer.encode(one).ids)


# llama.cpp itself.


@cache
def llama() -> Any:
    module = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")

    @module.llama_log_callback
    def quiet(level: int, text: bytes, data: object) -> None:
        return None

    module.llama_log_set(quiet, None)
    module.quiet = quiet  # which must live as long as the library
    return module


def llama_ids(path: Path) -> Callable[[str, bool], list[int]]:
    """Returns what gives llama.cpp's ids of a text, with special tokens and those around it or without both."""
    model = llama().Llama(model_path=str(path), vocab_only=True, verbose=False)

    def ids(text: str, special: bool) -> list[int]:
        found: list[int] = model.tokenize(text.encode(), add_bos=special, special=special)
        return found

    return ids


def compared(path: Path, texts: list[str]) -> tc.Tokenizer:
    tokenizer = tc.open(path)
    ids = llama_ids(path)
    for text in texts:
        assert tokenizer.encode_ids(text) == ids(text, False), text
        whole = list(tokenizer.encode(text, special="all", template=True).ids)
        assert whole == ids(text, True), text
    return tokenizer


@pytest.mark.parametrize("seed", range(3))
def test_plamo(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    plamo_file(tmp_path / "small.gguf", chance)
    compared(tmp_path / "small.gguf", plamo_texts(chance))


def of_words(path: Path, seed: int = 0, pre: str = "whitespace", bytes_: int = 256) -> Path:
    """Writes a file of the kind ``whitespace``, with merges of random characters."""
    chance = random.Random(seed)
    pieces = ["<unk>", "[CLS]", "</s>", *"abcé日本語ねжक1😀"]
    merges = []
    while len(merges) < 40:
        left, right = chance.choice(pieces[3:]), chance.choice(pieces[3:])
        if left + right not in pieces:
            merges.append(f"{left} {right}")
            pieces.append(left + right)
    normal = len(pieces) - 3
    pieces += [f"<0x{byte:02X}>" for byte in range(bytes_)]

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("whitespace")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(pieces)
        types = [gguf_files.UNKNOWN, gguf_files.SPECIAL, gguf_files.SPECIAL]
        types += [gguf_files.NORMAL] * normal
        writer.add_token_types(types + [gguf_files.BYTE] * bytes_)
        writer.add_token_merges(merges)
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_add_bos_token(True)
        writer.add_add_eos_token(True)

    return gguf_files.write(path, fill)


@pytest.mark.parametrize("seed", range(3))
def test_words(tmp_path: Path, seed: int) -> None:
    """The kind ``whitespace`` is a `tokenizer.json` without whitespace, which each copy is too."""
    tokenizer = tc.open(of_words(tmp_path / "x.gguf", seed))
    original = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            dict(tokenizer.get_vocab()),
            [tuple(line.split(" ")) for line in words_merges(tmp_path / "x.gguf")],
            byte_fallback=True,
        )
    )
    original.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(tmp_path / "copy.json", "tokenarium")
    copy = tc.open(tmp_path / "copy.json")
    for text in [*random_texts(), "a\u0085b\u1680c\u180e日\ufeff"]:
        ids = original.encode(text).ids
        assert tokenizer.encode_ids(text) == copy.encode_ids(text) == ids, text
    assert list(tokenizer.encode("a </s>", special="all", template=True).ids) == [1, 3, 2, 2]


@pytest.mark.parametrize("seed", range(3))
def test_words_without_bytes(tmp_path: Path, seed: int) -> None:
    """What is not an entry is left out, as llama.cpp does it: its neighbours do not merge."""
    tokenizer = tc.open(of_words(tmp_path / "x.gguf", seed, bytes_=0))
    left, right = words_merges(tmp_path / "x.gguf")[0].split(" ")
    ids = tokenizer.get_vocab()
    assert tokenizer.encode_ids(f"{left}☃{right} {left}{right}") == [
        ids[left], ids[right], ids[left + right],
    ]  # fmt: skip
    tokenizer.save(tmp_path / "copy.json", "tokenarium")
    copy = tc.open(tmp_path / "copy.json")
    for text in random_texts():
        assert ids_by_law(tokenizer, text) == copy.encode_ids(text), text


def words_merges(path: Path) -> list[str]:
    import gguf

    field = gguf.GGUFReader(path).get_field("tokenizer.ggml.merges")
    assert field is not None
    lines: list[str] = field.contents()
    return lines


@pytest.mark.parametrize(
    ("pre", "bytes_", "said"),
    [("gpt-2", 256, "splits words by a pattern"), ("whitespace", 255, "255 of the 256 bytes")],
)
def test_words_that_are_not_read(tmp_path: Path, pre: str, bytes_: int, said: str) -> None:
    with pytest.raises(tc.FormatError, match=said):
        tc.open(of_words(tmp_path / "x.gguf", 0, pre, bytes_))


@pytest.mark.parametrize("bytes_", [0, 256])
def test_llama_words(tmp_path: Path, bytes_: int) -> None:
    path = of_words(tmp_path / "x.gguf", bytes_=bytes_)
    compared(path, [*random_texts(), "a</s>b", "<0x41> a\ufeff"])


@pytest.mark.slow
@pytest.mark.parametrize("pre", [*NAMES, None])
def test_llama_patterns(pre: str | None, tiktoken_cache: Path, tmp_path: Path) -> None:
    llama()
    original = tc.open("cl100k_base")

    def more(writer: Any) -> None:
        writer.add_bos_token_id(100257)
        writer.add_eos_token_id(100257)

    path = gguf_files.of_merges(tmp_path / "x.gguf", original, pre, more)
    compared(path, [*samples(), *random_texts()])


@pytest.mark.slow
@pytest.mark.parametrize("pre", NAMES)
def test_llama_characters(pre: str, tmp_path: Path) -> None:
    """Every code point, between letters, numbers, signs and blanks."""
    path = of_cuts(tmp_path / "x.gguf", pre)
    ids = llama_ids(path)
    tokenizer = tc.open(path)
    points = [point for point in range(0x80, 0x110000) if not 0xD800 <= point < 0xE000]
    for start in range(0, len(points), 512):
        characters = "".join(map(chr, points[start : start + 512]))
        text = with_characters(characters)
        if tokenizer.encode_ids(text) != ids(text, False):
            for one in characters:
                text = with_characters(one)
                assert tokenizer.encode_ids(text) == ids(text, False), (pre, one)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model"])
def test_llama_sentencepiece(name: str, data: Path, tmp_path: Path) -> None:
    llama()
    path = gguf_files.of_sentencepiece(tmp_path / "x.gguf", data / "tokenizers" / name)
    compared(path, [*samples(), *random_texts()])


@pytest.mark.slow
def test_llama_unigram(tmp_path: Path) -> None:
    llama()
    path = gguf_files.of_sentencepiece(tmp_path / "x.gguf", SHIPPED["unigram-8k"])
    compared(path, [*samples(), *random_texts(), "   ", " \t "])


@pytest.mark.slow
def test_llama_wordpiece(tmp_path: Path) -> None:
    llama()
    path = gguf_files.of_wordpiece(tmp_path / "x.gguf", SHIPPED["wordpiece-8k"], True)
    compared(path, [*samples(), *random_texts()])


# WordPiece in llama.cpp.


def of_pieces(
    path: Path,
    pieces: list[str],
    more: Callable[[Any], None] = lambda writer: None,
    types: dict[str, int] | None = None,
) -> Path:
    """Writes a WordPiece file of these pieces, after [UNK], [CLS] and [SEP]."""
    special = ["[UNK]", "[CLS]", "[SEP]"]
    kinds = dict.fromkeys(special, gguf_files.SPECIAL) | (types or {})

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("bert")
        writer.add_token_list([*special, *pieces])
        writer.add_token_types([kinds.get(text, gguf_files.NORMAL) for text in [*special, *pieces]])
        writer.add_unk_token_id(0)
        writer.add_bos_token_id(1)
        writer.add_sep_token_id(2)
        more(writer)

    return gguf_files.write(path, fill)


def becoming(characters: str) -> set[str]:
    """Returns what the characters may become in WordPiece, and themselves."""
    found = set(characters)
    for one in characters:
        found.add(unicodedata.normalize("NFD", one)[0])
    return found | {one.lower()[0] for one in found}


@pytest.mark.slow
@pytest.mark.parametrize("options", [(True, None), (False, None), (True, False), (False, True)])
def test_llama_wordpiece_characters(options: tuple[bool, bool | None], tmp_path: Path) -> None:
    """Every code point: in a word, alone, between blanks and between signs."""
    llama()
    lowercase, strips = options

    def more(writer: Any) -> None:
        writer.add_bool("tokenizer.ggml.normalizer.lowercase", lowercase)
        if strips is not None:
            writer.add_bool("tokenizer.ggml.normalizer.strip_accents", strips)

    points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for start in range(0, len(points), 0x10000):
        characters = "".join(map(chr, points[start : start + 0x10000]))
        pieces = sorted(becoming(characters + "a!\u2581") - {"\0", "\u2581"})
        pieces += [f"\u2581{piece}" for piece in pieces]
        path = of_pieces(tmp_path / "x.gguf", pieces, more)
        ids = llama_ids(path)
        tokenizer = tc.open(path)
        for first in range(0, len(characters), 4096):
            lines = [f"a{one}a {one} a{one}!\n" for one in characters[first : first + 4096]]
            if tokenizer.encode_ids("".join(lines)) != ids("".join(lines), False):
                for line in lines:
                    assert tokenizer.encode_ids(line) == ids(line, False), line


def test_llama_wordpiece_marks(tmp_path: Path) -> None:
    """Any entry may continue a word, also with U+2581; one of it alone begins what no other does."""
    llama()
    chance = random.Random(7)
    choices = ["a", "b", "ab", "\u2581", "\u2581a", "\u2581ab", "a\u2581b", "\u2581\u2581", "\u2581\u2581b", "x"]  # fmt: skip
    types = {"ab": gguf_files.USER_DEFINED, "x": gguf_files.SPECIAL}
    for number in range(40):
        pieces = chance.sample(choices, chance.randint(2, len(choices)))
        path = of_pieces(tmp_path / f"{number}.gguf", pieces, types=types if number % 2 else None)
        texts = [
            "".join(chance.choices("abABx\u2581 !", k=chance.randint(1, 9))) for _ in range(60)
        ]
        tokenizer = compared(path, texts)
        for text in texts:
            encoding = tokenizer.encode(text)
            spans = [encoding.span(index) for index in range(len(encoding.ids))]
            assert spans == sorted(spans)
            assert all(0 <= first <= last <= len(text.encode()) for first, last in spans)


# Added tokens in llama.cpp.


def of_added(path: Path, added: dict[str, int], name: str = "x") -> Path:
    """Writes letters and blanks as byte-level BPE, and added tokens with their types."""
    letters = list(byte_alphabet.CHARACTERS)

    def fill(writer: Any) -> None:
        writer.add_name(name)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list([*letters, "aa", *added])
        writer.add_token_types([gguf_files.NORMAL] * 257 + list(added.values()))
        writer.add_token_merges(["a a"])

    return gguf_files.write(path, fill)


def test_llama_added_tokens_that_overlap(tmp_path: Path) -> None:
    """The longest of the text is found first, then the longest of what is left; special ones only where they are wanted."""
    chance = random.Random(11)
    for number in range(120):
        added: dict[str, int] = {}
        for _ in range(chance.randint(1, 12)):  # so few are sorted in order by every std::sort
            text = "".join(chance.choices("abc ", k=chance.randint(2, 5)))
            added[text] = chance.choice([gguf_files.USER_DEFINED, gguf_files.SPECIAL])
        added.pop("aa", None)
        name = "x"
        if number % 3 == 0:
            name = "Phi-3"  # the tokens take the blanks after them
            added |= dict.fromkeys(("<unk>", "<s>", "</s>", "<|endoftext|>"), gguf_files.SPECIAL)
        texts = [
            "".join(chance.choices("aabbc \n\u3000", k=chance.randint(1, 40))) for _ in range(30)
        ]
        tokenizer = compared(of_added(tmp_path / f"{number}.gguf", added, name), texts)
        for text in texts:
            assert tokenizer.decode(tokenizer.encode_ids(text)) == text or name == "Phi-3"


# Unigram in llama.cpp.


def of_unigram(
    path: Path, pieces: dict[str, tuple[float, int]], prefix: bool, squeeze: bool, rules: bytes
) -> Path:
    """Writes a Unigram file of these pieces, their scores and types, after <unk>."""
    texts = ["<unk>", *pieces]

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("t5")
        writer.add_token_list(texts)
        writer.add_token_scores([0.0, *[score for score, _ in pieces.values()]])
        writer.add_token_types([gguf_files.UNKNOWN, *[kind for _, kind in pieces.values()]])
        writer.add_add_space_prefix(prefix)
        writer.add_remove_extra_whitespaces(squeeze)
        if rules:
            writer.add_precompiled_charsmap(rules)
        writer.add_unk_token_id(0)
        writer.add_add_eos_token(False)

    return gguf_files.write(path, fill)


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("squeeze", [True, False])
@pytest.mark.parametrize("prefix", [True, False])
def test_llama_unigram_blanks(prefix: bool, squeeze: bool, mapped: bool, tmp_path: Path) -> None:
    """NUL, U+2581, and blanks of all kinds, with entries of each type."""
    llama()
    rules = b""
    if mapped:
        model = sentencepiece.SentencePieceProcessor(model_file=str(SHIPPED["unigram-8k"]))
        _, _, settings = raw_pieces(model.serialized_model_proto(), "x")
        rules = settings.precompiled_charsmap
    chance = random.Random(5)
    entries = ["a", "b", "ab", "\u2581", "\u2581a", "\u2581\u2581", "b\u2581", "\0", "\u2028", "é", "\n", "x y", "u", "a b", " <x>"]  # fmt: skip
    texts = ["", "\0", "\u2581", " ", "\u2581 ", " \u2581a"]
    texts += [
        "".join(
            chance.choices(
                [
                    *"abxyu \0\u2581\u2028\u3000\n",
                    "é",
                    "e\u0301",
                    "  ",
                    "x y",
                    "a\u0301",
                    "<\u0338",
                    " <x>",
                ],
                k=size,
            )
        )
        for size in range(1, 9)
        for _ in range(40)
    ]
    for number in range(12):
        chosen = chance.sample(entries, chance.randint(3, len(entries)))
        pieces = {
            text: (
                -chance.randint(1, 9) - chance.random(),
                chance.choice(
                    [gguf_files.NORMAL] * 4
                    + [gguf_files.USER_DEFINED if text.isascii() else gguf_files.NORMAL]
                    + [gguf_files.NOT_USED]
                ),
            )
            for text in chosen
        }
        pieces["q"] = (
            -11.0,
            gguf_files.NORMAL,
        )  # the lowest score, which decides about unknown ones
        path = of_unigram(tmp_path / f"{number}.gguf", pieces, prefix, squeeze, rules)
        compared(path, texts)
