"""Training gives the merges of the plainest algorithm: count all pairs again for each merge."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_bpe import join, merges_of, naive_merges, words_of
from running import run_whole

from tokenarium_core import COMPILED, Tokenizer
from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.explaining.merge_path import merges as merges_with_ids
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, pre_tokenizer
from tokenarium_core.training.algorithms import make_trainer, train
from tokenarium_core.training.bpe_trainer import INCREMENTAL, NAIVE, WORDS, BpeTrainer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.merge_trainer import MergeTrainer

PROSE = (
    "The first merge takes the most frequent pair; the next merge takes the next one, and so on. "
    "aaaa aaa aaaaaaa abababab ababa bababab aabbaabb 1234 12 1212 ... !!! ????\n\n  \n\tΑθήνα, "
    "Ελλάδα; 日本語の文章は空白で区切られない。日本語の単語は長い。東京都東京都東京都\r\nТо be, або не be."
)


def trained(
    texts: list[str],
    merges: int,
    name: str = "whitespace",
    min_frequency: int = 2,
    strategy: str = INCREMENTAL,
) -> BpeTrainer:
    """Returns a trainer that has run to its end."""
    return run_whole(
        BpeTrainer(
            pre_tokenizer(name), 256 + merges, texts, min_frequency=min_frequency, strategy=strategy
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_equals_naive_training(name: str) -> None:
    texts = [PROSE, PROSE[::-1], PROSE[40:200] * 3]
    trainer = trained(texts, 150, name)
    assert merges_of(trainer) == naive_merges(words_of(texts, name), 150)


@pytest.mark.parametrize("length", range(2, 20))
def test_runs_merge_from_the_left(length: int) -> None:
    texts = ["a" * length, "b" + "a" * (length + 1) + "b", "ab" * length]
    assert merges_of(trained(texts, 30)) == naive_merges(words_of(texts, "whitespace"), 30)


@pytest.mark.slow
@settings(max_examples=300 if COMPILED else 80)
@given(
    st.lists(st.text(st.sampled_from("aab "), max_size=40), max_size=5),
    st.integers(1, 5),
)
def test_equals_naive_training_on_small_alphabets(texts: list[str], min_frequency: int) -> None:
    trainer = trained(texts, 40, min_frequency=min_frequency)
    assert merges_of(trainer) == naive_merges(words_of(texts, "whitespace"), 40, min_frequency)


@settings(max_examples=100)
@given(
    st.lists(st.text(st.sampled_from("abcdé語文 \n1"), max_size=80), max_size=4),
    st.sampled_from(PRE_TOKENIZERS),
)
def test_equals_naive_training_on_any_text(texts: list[str], name: str) -> None:
    trainer = trained(texts, 60, name, min_frequency=1)
    assert merges_of(trainer) == naive_merges(words_of(texts, name), 60, 1)


STRATEGIES = [INCREMENTAL, WORDS, NAIVE]


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_every_strategy_gives_the_same_merges(name: str) -> None:
    texts = [PROSE, PROSE[::-1], PROSE[40:200] * 3]
    one, *others = [trained(texts, 150, name, strategy=strategy) for strategy in STRATEGIES]
    assert one.merges_made == (54 if name == "graphemes" else 150)  # few clusters have many bytes
    for other in others:
        assert merges_of(other) == merges_of(one)


@settings(max_examples=100 if COMPILED else 30)
@given(
    st.lists(st.text(st.sampled_from("aabcé語 \n1"), max_size=60), max_size=4),
    st.sampled_from(PRE_TOKENIZERS),
    st.integers(1, 3),
)
def test_every_strategy_gives_the_same_merges_on_any_text(
    texts: list[str], name: str, min_frequency: int
) -> None:
    one, *others = [trained(texts, 60, name, min_frequency, strategy) for strategy in STRATEGIES]
    for other in others:
        assert merges_of(other) == merges_of(one)
        assert other.report == one.report


@pytest.mark.slow
def test_every_strategy_gives_the_same_merges_on_real_texts(texts: dict[str, str]) -> None:
    some = [texts[name][: 1500 if COMPILED else 400] for name in sorted(texts)[::6]]
    one, *others = [trained(some, 60, "o200k", strategy=strategy) for strategy in STRATEGIES]
    for other in others:
        assert merges_of(other) == merges_of(one)


def test_the_plainer_strategies_look_at_more_the_longer_the_text() -> None:
    seen = {
        strategy: [trained([PROSE] * n, 60, "gpt2", strategy=strategy).visited for n in (1, 4)]
        for strategy in STRATEGIES
    }
    assert seen[NAIVE][1] > 3 * seen[NAIVE][0]
    assert seen[WORDS][1] < 2 * seen[WORDS][0]
    assert seen[NAIVE][1] > seen[WORDS][1] > seen[INCREMENTAL][1]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_takes_steps(strategy: str) -> None:
    texts = [PROSE] * 3
    trainer = BpeTrainer(pre_tokenizer("gpt2"), 256 + 60, texts, strategy=strategy)
    whole = merges_of(trained(texts, 60, "gpt2"))
    while not trainer.step(0).finished:
        assert merges_of(trainer) == whole[: trainer.merges_made]
    assert merges_of(trainer) == whole
    for _ in range(9):
        assert trainer.step(0).finished
    assert merges_of(trainer) == whole


def test_long_words_without_blanks() -> None:
    texts = ["日本語の文章は空白で区切られない" * 40 + "東京都に住む日本人" * 30]
    trainer = trained(texts, 80)
    assert trainer.distinct_count == 1
    assert merges_of(trainer) == naive_merges(words_of(texts, "whitespace"), 80)


def test_first_merges_by_hand() -> None:
    # aaabdaaabac, the example of Wikipedia's page on byte-pair encoding: aa 4 times (overlaps
    # count), then Za = aaa in "ZabdZabac" twice, ab twice: (97, 98) is the smaller pair.
    trainer = trained(["aaabdaaabac"], 3)
    assert merges_of(trainer) == [(97, 97, 4, 9), (97, 98, 2, 7), (256, 257, 2, 5)]


def test_order_of_texts_does_not_matter() -> None:
    texts = [PROSE[k : k + 60] for k in range(0, len(PROSE) - 60, 20)]
    assert merges_of(trained(texts, 90)) == merges_of(trained(texts[::-1], 90))


def test_tiny_steps_give_what_one_run_gives() -> None:
    texts = [PROSE] * 5 + [PROSE[::-1]] * 2
    trainer = BpeTrainer(pre_tokenizer("gpt2"), 256 + 120, texts)
    progress = trainer.step(0)
    phases = [progress.phase]
    while not progress.finished:
        progress = trainer.step(0)
        phases.append(progress.phase)
        assert progress.total == 0 or progress.done <= progress.total
    assert phases == sorted(phases)
    assert set(phases) == {"counting", "merging"}
    assert (progress.done, progress.total) == (trainer.merges_made, 120)
    assert merges_of(trainer) == merges_of(trained(texts, 120, "gpt2"))


def test_stopping_early_leaves_the_first_merges() -> None:
    generator = random.Random(7)
    words = [
        "".join(generator.choices("etaoinshrdlu", k=generator.randint(2, 9))) for _ in range(3000)
    ]
    texts = [" ".join(generator.choices(words, k=6000))]
    whole = merges_of(trained(texts, 2000, "gpt2"))
    trainer = BpeTrainer(pre_tokenizer("gpt2"), 256 + 2000, texts)
    assert merges_of(trainer) == []
    seen = set()
    while not trainer.step(0).finished:
        seen.add(trainer.merges_made)
        assert merges_of(trainer) == whole[: trainer.merges_made]
    assert len(seen) > 2


def test_smaller_vocabularies_come_for_free() -> None:
    texts = [PROSE, PROSE[::-1]]
    words = words_of(texts, "cl100k")
    trainer = trained(texts, 100, "cl100k")
    cut = [(list(word), weight) for word, weight in words.items()]
    for k, (left, right, _, tokens) in enumerate(merges_of(trainer)):
        cut = [(join(word, left, right, 256 + k), weight) for word, weight in cut]
        if k % 20 == 19:
            assert tokens == sum(len(word) * weight for word, weight in cut)
            assert merges_of(trained(texts, k + 1, "cl100k")) == merges_of(trainer)[: k + 1]
    assert trainer.byte_count == sum(len(text.encode()) for text in texts)
    assert trainer.pre_token_count == words.total()


def test_says_when_the_pairs_run_out() -> None:
    trainer = trained(["abab abab"], 1000)
    assert merges_of(trainer) == [(97, 98, 4, 5), (256, 256, 2, 3)]
    assert trainer.report == (
        "The corpus gave 2 of 1,000 merges: no other pair occurs in it 2 times or more."
    )
    assert trained(["abab abab"], 2).report == ""


@pytest.mark.parametrize("texts", [[], [""], ["a"], [" ", "", "x"]])
def test_a_corpus_without_pairs(texts: list[str]) -> None:
    trainer = trained(texts, 10)
    assert merges_of(trainer) == []
    assert trainer.step(1).finished


def test_special_tokens_take_room() -> None:
    trainer = run_whole(
        BpeTrainer(pre_tokenizer("gpt2"), 300, [PROSE], special_tokens=["<|a|>", "<|b|>"])
    )
    assert trainer.merge_count == trainer.merges_made == 42
    with pytest.raises(TokenariumError, match=r"too small: .* need 258"):
        BpeTrainer(pre_tokenizer("gpt2"), 257, [], special_tokens=["<|a|>", "<|b|>"])
    with pytest.raises(TokenariumError, match="named twice"):
        BpeTrainer(pre_tokenizer("gpt2"), 300, [], special_tokens=["<|a|>", "<|a|>"])
    with pytest.raises(TokenariumError, match="A special token is empty"):
        BpeTrainer(pre_tokenizer("gpt2"), 300, [], special_tokens=["<|a|>", ""])


def test_a_vocabulary_of_bytes_alone() -> None:
    assert merges_of(trained([PROSE], 0)) == []


def test_files_are_texts_of_their_own(tmp_path: Path) -> None:
    for name in "ab", "ba":
        (tmp_path / name).write_text(name)
    files = [str(tmp_path / "ab"), tmp_path / "ba", tmp_path / "ab"]
    trainer = run_whole(BpeTrainer(pre_tokenizer("gpt2"), 260, ["ab"], files))
    assert merges_of(trainer) == [(97, 98, 3, 5)]


def test_a_file_that_is_not_utf8_is_named_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("é".encode() * 100 + b"caf\xe9 au lait")
    with pytest.raises(FormatError, match=r"latin\.txt is not UTF-8: byte 203 \(0xE9\)"):
        BpeTrainer(pre_tokenizer("gpt2"), 300, files=[path]).run()


SYMBOLS = ["<|end|>", "<|end|>more", "<x>"]


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe"])
@pytest.mark.parametrize("from_file", [False, True])
def test_the_corpus_is_cut_at_special_tokens(
    algorithm: str, from_file: bool, tmp_path: Path
) -> None:
    parts = [PROSE[:60], PROSE[60:], "", "<|en", PROSE * 3, "|>"]
    text = "".join(part + SYMBOLS[number % len(SYMBOLS)] for number, part in enumerate(parts * 40))
    (tmp_path / "text").write_bytes(text.encode())
    files = [tmp_path / "text"] if from_file else []
    options = {"vocab_size": 256 + 120 + len(SYMBOLS), "special_tokens": SYMBOLS, "pattern": "gpt2"}
    trainer = run_whole(
        make_trainer(algorithm, [] if from_file else [text], files=files, **options)
    )
    expected = run_whole(make_trainer(algorithm, parts * 40, **options))
    assert isinstance(trainer, MergeTrainer)
    assert isinstance(expected, MergeTrainer)
    assert merges_of(trainer) == merges_of(expected)
    assert (
        trainer.byte_count == expected.byte_count == sum(len(part.encode()) for part in parts) * 40
    )


@given(
    st.text(st.sampled_from("ab <|x>é\n"), max_size=60),
    st.integers(1, 9),
)
def test_windows_do_not_matter_to_special_tokens(text: str, chunk: int) -> None:
    symbols = ["<|", "<|x>", "ab"]
    found = re.split(
        "|".join(re.escape(symbol) for symbol in sorted(symbols, key=len, reverse=True)), text
    )
    reader = CorpusReader([text, text], [], chunk, symbols)
    read = b""
    while reader.read():
        read += reader.data[reader.start : reader.limit]
        if reader.limit == reader.stop:
            read += b"|end|"
        reader.start = reader.limit
    kept = read.replace(b"|end|", b"")
    assert kept == "".join(found).encode() * 2


@pytest.mark.parametrize(("normalization", "form"), [("nfc", "NFC"), ("nfkc", "NFKC")])
def test_normal_forms(normalization: str, form: Literal["NFC", "NFKC"]) -> None:
    text = unicodedata.normalize("NFD", PROSE + "Ångström ﬁ é à ü " * 12_000)
    normal = unicodedata.normalize(form, text)
    options = {"vocab_size": 330, "pattern": "gpt2"}
    tokenizer = train("bpe", [text], normalization=normalization, **options)
    expected = train("bpe", [normal], **options)
    vocabularies = [
        [one.vocabulary.piece(token) for token in range(330)] for one in (tokenizer, expected)
    ]
    assert vocabularies[0] == vocabularies[1]
    assert tokenizer.encode_ids(text[:500]) == expected.encode_ids(
        unicodedata.normalize(form, text[:500])
    )


def textbook_merges(data: bytes, count: int) -> list[tuple[int, int]]:
    """The merges of the program that textbooks print: count the pairs, take ``max`` of them, join, again."""
    ids, found = list(data), []
    while len(found) < count:
        counts: dict[tuple[int, int], int] = {}
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=lambda pair: counts[pair])
        found.append(best)
        joined, at = [], 0
        while at < len(ids):
            if tuple(ids[at : at + 2]) == best:
                joined.append(255 + len(found))
                at += 2
            else:
                joined.append(ids[at])
                at += 1
        ids = joined
    return found


def first_seen(text: str, merges: int) -> Tokenizer:
    """Returns a tokenizer trained on a text that is not cut, ties broken by the first place."""
    options = {"strategy": "naive", "tie_break": "first seen", "min_frequency": 1}
    return train("bpe", [text], vocab_size=256 + merges, pattern="(?s).+", **options)


@given(st.text("ab é日", min_size=1, max_size=60))
def test_ties_broken_by_the_first_place_are_those_of_a_textbook(text: str) -> None:
    made = merges_with_ids(first_seen(text, 12))
    assert [(left, right) for left, right, _ in made] == textbook_merges(text.encode(), 12)
    assert [token for _, _, token in made] == list(range(256, 256 + len(made)))


def test_ties_are_broken_by_the_first_place_only_where_the_text_is_kept() -> None:
    with pytest.raises(TokenariumError, match="strategy 'naive'"):
        train("bpe", ["abab"], vocab_size=257, tie_break="first seen")


def test_the_notebook_comes_out_line_by_line(data: Path) -> None:
    """A published notebook prints 20 merges over the raw bytes of its text, and what they make of it."""
    source = data.parent / "sources" / "003_434367c2088108d1.txt"
    if not source.exists():
        pytest.skip("needs the notebook")
    printed = source.read_text(encoding="utf-8")
    cell = re.search(r'^text = "(A Programmer.*?)"$', printed, re.MULTILINE | re.DOTALL)
    assert cell is not None
    # The file was once read as Mac Roman.
    text = json.loads('"' + cell[1].replace("\n", "\\n") + '"').encode("mac_roman").decode()
    lines = re.findall(r"merging \((\d+), (\d+)\) into a new token (\d+)", printed)
    tokenizer = first_seen(text, 20)
    made = [(int(left), int(right), int(token)) for left, right, token in lines]
    assert merges_with_ids(tokenizer) == made
    assert len(made) == 20
    assert (len(text.encode()), len(tokenizer.encode_ids(text))) == (3797, 2947)
    assert tokenizer.encode_ids("Hello world!") == [
        72, 101, 108, 108, 111, 32, 119, 267, 108, 100, 33,
    ]  # fmt: skip
