"""Which characters count as digits for each rule, against the libraries: the table in docs/measures.md."""

from __future__ import annotations

import io
import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from small_vocabularies import of_pieces

from tokenarium.models.compare.boundaries import boundary_places
from tokenarium.models.text.digit_cuts import DIGIT_RULES, DigitCuts
from tokenarium_core.unicode.codepoints import CATEGORIES, CATEGORY_TABLE

tokenizers = pytest.importorskip("tokenizers")
pre_tokenizers = tokenizers.pre_tokenizers

PAGE = Path(__file__).resolve().parents[2] / "docs" / "measures.md"
CLASSES = ["7", "７", "٣३", "²½Ⅷ", "五"]
"""The columns of the table."""


def cut(splitter: object, text: str) -> list[str]:
    return [part for part, _ in splitter.pre_tokenize_str(text)]  # type: ignore[attr-defined]


def splits(splitter: object) -> Callable[[str], bool]:
    """Returns what tells whether a pre-tokenizer splits two of a character from letters and from each other."""

    def found(character: str) -> bool:
        parts = cut(splitter, f"a{character * 2}b")
        assert parts in (["a", character, character, "b"], [f"a{character * 2}b"])
        return len(parts) > 1

    return found


def at(pattern: str) -> object:
    return pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")


def joined(character: str, times: int) -> list[bytes]:
    """Returns the entries that make up to so many of a character a single token."""
    utf8 = character.encode() * times
    return [utf8[:size] for size in range(2, len(utf8) + 1)]


def by_tiktoken(character: str) -> bool:
    """Returns whether four of a character are a group of three and another."""
    entries = [*(bytes([byte]) for byte in range(256)), *joined(character, 4)]
    ranks = {entry: rank for rank, entry in enumerate(entries)}
    encoding = tiktoken.Encoding("small", pat_str=r"\p{N}{1,3}|\P{N}+", mergeable_ranks=ranks, special_tokens={})  # fmt: skip
    sizes = [len(encoding.decode([token])) for token in encoding.encode_ordinary(character * 4)]
    assert sizes in ([3, 1], [4])
    return len(sizes) == 2


@cache
def trained_pieces() -> tuple[str, ...]:
    line = " ".join(f"x{character * times}" for character in "".join(CLASSES) for times in (1, 2, 3))  # fmt: skip
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line] * 30),
        model_writer=model,
        model_type="bpe",
        vocab_size=100,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        split_by_number=False,
        split_digits=True,
        num_threads=1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return tuple(processor.id_to_piece(token) for token in range(len(processor)))


def by_sentencepiece(character: str) -> bool:
    """Returns whether no piece has a character beside another one."""
    pieces = [piece for piece in trained_pieces() if character in piece]
    assert character in pieces
    return pieces == [character]


def by_the_page(character: str) -> bool:
    """Returns whether the rules of *Digits* split the character; all of them have the same digits."""
    found = set()
    for rule in DIGIT_RULES:
        pieces = of_pieces(joined(character, 4), r"[\s\S]+")
        ids = DigitCuts(pieces, rule).encode_ids(character * 4)
        found.add(len(ids) > 1)
    (one,) = found
    return one


RULES: dict[str, list[Callable[[str], bool]]] = {
    "tokenizers: `Digits`": [splits(pre_tokenizers.Digits(individual_digits=True))],
    r"tokenizers: `Split` at `\p{N}`": [splits(at(r"\p{N}"))],
    r"tokenizers: `Split` at `\d` or `\p{Nd}`": [splits(at(r"\d")), splits(at(r"\p{Nd}"))],
    "tokenizers: `Split` at `[0-9]`": [splits(at("[0-9]"))],
    r"tiktoken: `\p{N}{1,3}`": [by_tiktoken],
    "SentencePiece: `split_digits`": [by_sentencepiece],
    "the rules of *Digits*": [by_the_page],
    "the measures of numbers": [
        lambda character: bool(len(boundary_places(character, character.encode()).numbers))
    ],
}


def test_the_table_has_a_row_for_each_rule() -> None:
    assert [row for row in table() if row in RULES] == list(RULES)


def table() -> dict[str, list[str]]:
    """Returns the cells of the rows of the page by their first."""
    rows = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    return {cells[0]: cells[1:] for cells in rows}


@pytest.mark.parametrize("rule", RULES)
def test_a_row_of_the_table_is_what_the_library_does(rule: str) -> None:
    cells = table()
    assert cells["rule"] == [" ".join(f"`{one}`" for one in characters) for characters in CLASSES]
    for covers in RULES[rule]:
        found = [{covers(one) for one in characters} for characters in CLASSES]
        assert found == [{cell == "yes"} for cell in cells[rule]]
    assert set(cells[rule]) <= {"yes", "no"}


def numbers(category: str) -> list[str]:
    """Returns the characters of a category that Python's Unicode and that of the core's tables have."""
    known = [name.startswith(category) for name in CATEGORIES]
    every = (chr(code) for code in range(sys.maxunicode + 1) if known[CATEGORY_TABLE[code]])
    return [one for one in every if unicodedata.category(one).startswith(category)]


def test_every_decimal_digit_of_every_script_is_split() -> None:
    """The page's single digits, `Digits`, and `Split`, on each of them: in Unicode 14 there are 660."""
    digits = numbers("Nd")
    assert len(digits) >= 660
    text = "a".join(one * 2 for one in digits)
    wanted = [part for one in digits for part in (one, one, "a")][:-1]
    for splitter in (at(r"\p{Nd}"), at(r"\p{N}"), pre_tokenizers.Digits(individual_digits=True)):
        assert cut(splitter, text) == wanted
    assert len(boundary_places(text, text.encode()).numbers) == len(digits)
    for one in digits:
        assert by_the_page(one), f"U+{ord(one):04X}"


def test_every_number_is_split_by_digits() -> None:
    text = "a".join(numbers("N"))
    wanted = [part for one in numbers("N") for part in (one, "a")][:-1]
    assert cut(pre_tokenizers.Digits(individual_digits=True), text) == wanted
    assert cut(at(r"\p{N}"), text) == wanted
