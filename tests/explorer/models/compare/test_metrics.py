"""The figures of a comparison, against formulas written out plainly."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from running import run_through
from small_files import write_file

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.compare.comparing import tally_sources
from tokenarium.models.compare.distribution_metrics import (
    average_rank,
    effective_vocabulary,
    efficiency,
    rank_frequency,
    renyi_entropy,
    shannon_entropy,
    zipf_fit,
)
from tokenarium.models.compare.intervals import bootstrap
from tokenarium.models.compare.metrics import (
    METRICS,
    figures_of,
    is_flattered,
    jaccard,
    premiums,
    quantile,
    words_mean_something,
)
from tokenarium.models.compare.parallel_texts import aligned, of_folder
from tokenarium.models.compare.tally import Tally, empty, line_tally, measured, tally
from tokenarium.models.compare.vocabulary_overlap import OverlapJob
from tokenarium.models.inequality import gini
from tokenarium.models.text.lost_text import lost_share
from tokenarium.models.training.corpus_files import CorpusSource

FIGURES = {metric.id: metric for metric in METRICS}
WORD = r"[^\p{White_Space}\u200b\u1361]+"
"""The same as the rule, as far as the samples have the characters."""

SAMPLES = ("prose-en", "prose-hi", "prose-ja", "emoji", "hard-blanks", "code-python", "numbers")


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.train("bpe", [sample_text("prose-en"), sample_text("prose-hi")], vocab_size=800)


def counted(tokenizer: tc.Tokenizer, text: str) -> Tally:
    return tally(tokenizer, measured(text))


def value(id: str, of: Tally) -> float:
    return there(FIGURES[id].value(of))


@pytest.mark.parametrize("sample", SAMPLES)
def test_counts_of_a_text(tokenizer: tc.Tokenizer, sample: str) -> None:
    text = sample_text(sample)
    ids = tokenizer.encode_ids(text)
    found = counted(tokenizer, text)
    assert found.tokens == len(ids)
    assert {token: int(n) for token, n in enumerate(found.uses) if n} == Counter(ids)
    assert found.byte_count == len(text.encode())
    assert found.characters == len(text)
    assert found.changed == 0
    assert value("bytes_per_token", found) == len(text.encode()) / len(ids)
    assert value("characters_per_token", found) == len(text) / len(ids)
    assert value("used", found) == pytest.approx(100 * len(set(ids)) / len(tokenizer.vocabulary))
    assert value("round_trip", found) == 100


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.usefixtures("words_by_spaces")
def test_fertility_word_by_word(tokenizer: tc.Tokenizer, sample: str) -> None:
    text = sample_text(sample)
    encoding = tokenizer.encode(text)
    spans = [encoding.span(token) for token in range(len(encoding))]
    counts = []
    for match in regex.finditer(WORD, text):
        word, place = match.group(), match.start()
        start = len(text[:place].encode())
        end = start + len(word.encode())
        counts.append(sum(first < end and after > start for first, after in spans))
    found = counted(tokenizer, text)
    assert found.word_count == len(counts)
    capped = [min(count, 64) for count in counts]
    by_itself = sorted(len(tokenizer.encode_ids(word)) for word in regex.findall(WORD, text))
    assert value("alone_median", found) == min(by_itself[math.ceil(len(by_itself) / 2) - 1], 64)
    assert value("alone_95", found) == min(by_itself[math.ceil(len(by_itself) * 0.95) - 1], 64)
    assert value("alone_whole", found) == pytest.approx(100 * by_itself.count(1) / len(by_itself))
    assert value("fertility", found) == pytest.approx(sum(counts) / len(counts))
    words = regex.findall(WORD, text)
    alone = sum(len(tokenizer.encode_ids(word)) for word in words)
    assert value("fertility_alone", found) == pytest.approx(alone / len(words))
    assert value("fertility_median", found) == sorted(capped)[math.ceil(len(counts) / 2) - 1]
    assert value("fertility_95", found) == sorted(capped)[math.ceil(len(counts) * 0.95) - 1]
    assert value("whole_words", found) == pytest.approx(100 * counts.count(1) / len(counts))
    assert value("whole_words", found) + value("continued", found) == pytest.approx(100)


def test_words_alone_and_in_context_differ_by_the_blank_before_them(
    tokenizer: tc.Tokenizer,
) -> None:
    found = counted(tokenizer, "the the the")
    spaced = len(tokenizer.encode_ids(" the"))
    first = len(tokenizer.encode_ids("the"))
    assert spaced < first
    assert value("fertility", found) == pytest.approx((first + 2 * spaced) / 3)
    assert value("fertility_alone", found) == first


def test_lines_are_counted_as_they_are_encoded(tokenizer: tc.Tokenizer) -> None:
    lines = ["one two", "", "चार पाँच", "六"]
    found, tokens = line_tally(tokenizer, measured(*lines))
    assert tokens == [len(tokenizer.encode_ids(line)) for line in lines]
    total = empty(tokenizer)
    for line in lines:
        total = total + counted(tokenizer, line)
    assert figures_of(found) == figures_of(total)


def test_counts_add_up(tokenizer: tc.Tokenizer) -> None:
    parts = ["one two three ", "चार पाँच ", "six"]
    total = empty(tokenizer)
    for part in parts:
        total = total + counted(tokenizer, part)
    assert total.texts == 3
    assert total.tokens == sum(len(tokenizer.encode_ids(part)) for part in parts)
    assert total.word_count == 6


def test_unknown_text_is_that_under_unknown_tokens(tmp_path: Path) -> None:
    file = write_file(tmp_path / "vocab.txt", "[UNK]\nab\n##c\n")
    lossy = tc.open(str(file))
    found = counted(lossy, "ab  abc жé ab\n") + counted(lossy, "xyz")
    # ab, ab, ##c, ab are known; ж and é are four bytes of one unknown token, xyz three of another.
    assert (found.tokens, found.unknown) == (6, 2)
    assert (found.unknown_bytes, found.covered_bytes) == (7, 14)
    assert value("unknown_text", found) == pytest.approx(50)
    # With them two blanks are lost: the second of two spaces, and the line end.
    assert lost_share(lossy, ["ab  abc жé ab\n", "xyz"]) == 9 / 19
    assert (found.lost_bytes, found.lost_share) == (9, 9 / 19)
    assert value("lost_text", found) == pytest.approx(900 / 19)
    assert is_flattered(FIGURES["tokens"], found)
    assert not is_flattered(FIGURES["used"], found)


def test_text_of_a_byte_level_vocabulary_is_never_unknown(tokenizer: tc.Tokenizer) -> None:
    found = counted(tokenizer, sample_text("emoji"))
    assert found.unknown_share == 0
    assert not any(is_flattered(metric, found) for metric in METRICS)


def test_nothing_has_no_figures(tokenizer: tc.Tokenizer) -> None:
    found = empty(tokenizer)
    for metric in METRICS:
        assert metric.value(found) in (None, 0.0)


@pytest.mark.usefixtures("words_by_spaces")
def test_byte_tokens_and_words_that_mean_nothing(tokenizer: tc.Tokenizer) -> None:
    japanese = counted(tokenizer, sample_text("prose-ja"))
    assert value("fallback", japanese) > 50
    assert not words_mean_something(japanese)
    english = counted(tokenizer, sample_text("prose-en"))
    assert value("fallback", english) < 1
    assert words_mean_something(english)
    assert words_mean_something(counted(tokenizer, sample_text("prose-hi")))


uses_of_ids = st.lists(st.integers(0, 1000), min_size=2, max_size=40).filter(any)


@given(uses_of_ids)
def test_entropies(uses: list[int]) -> None:
    shares = [use / sum(uses) for use in uses if use]
    shannon = shannon_entropy(np.array(uses))
    assert shannon == pytest.approx(-sum(p * math.log2(p) for p in shares), abs=1e-9)
    order_2 = renyi_entropy(np.array(uses), 2)
    assert order_2 == pytest.approx(-math.log2(sum(p * p for p in shares)), abs=1e-9)
    near_1 = renyi_entropy(np.array(uses), 1 + 1e-6)
    assert near_1 == pytest.approx(shannon, abs=1e-3)
    assert efficiency(shannon, len(uses)) == pytest.approx(shannon / math.log2(len(uses)))
    assert sorted(rank_frequency(np.array(uses)), reverse=True) == [
        use for use in sorted(uses, reverse=True) if use
    ]


@given(uses_of_ids)
def test_effective_vocabulary_and_ranks(uses: list[int]) -> None:
    tokens = [id for id, count in enumerate(uses) for _ in range(count)]
    counts = Counter(tokens)
    perplexity = math.prod((len(tokens) / counts[one]) ** (1 / len(tokens)) for one in tokens)
    assert effective_vocabulary(np.array(uses)) == pytest.approx(perplexity)
    ranks = {id: rank for rank, (id, _) in enumerate(counts.most_common(), 1)}
    mean = sum(ranks[one] for one in tokens) / len(tokens)
    assert average_rank(np.array(uses)) == pytest.approx(mean)
    logs = [(math.log(rank), math.log(counts[id])) for id, rank in ranks.items()]
    if len({y for _, y in logs}) < 2:
        assert zipf_fit(np.array(uses)) is None
        return
    slope, start = statistics.linear_regression(*zip(*logs, strict=True))
    exponent, fit = there(zipf_fit(np.array(uses)))
    assert exponent == pytest.approx(-slope)
    mean = statistics.fmean(y for _, y in logs)
    left = sum((y - start - slope * x) ** 2 for x, y in logs)
    assert fit == pytest.approx(1 - left / sum((y - mean) ** 2 for _, y in logs), abs=1e-9)


def test_zipf_of_the_law_itself() -> None:
    uses = np.array([round(1e9 / rank**1.2) for rank in range(1, 500)])
    assert zipf_fit(uses) == pytest.approx((1.2, 1), abs=1e-4)
    assert zipf_fit(np.array([3, 3, 0, 3])) is None
    assert zipf_fit(np.array([0, 7])) is None


def test_bits_of_a_model_of_frequencies(tokenizer: tc.Tokenizer) -> None:
    text = sample_text("prose-en")
    ids = tokenizer.encode_ids(text)
    bits = -sum(math.log2(count / len(ids)) * count for count in Counter(ids).values())
    assert value("unigram_bits", counted(tokenizer, text)) == pytest.approx(
        bits / len(text.encode())
    )


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=30).filter(lambda values: sum(values) > 1e-3)
)
def test_gini(values: list[float]) -> None:
    mean = sum(values) / len(values)
    differences = sum(abs(one - other) for one in values for other in values)
    assert gini(values) == pytest.approx(differences / (2 * len(values) ** 2 * mean), abs=1e-9)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=20).filter(any), st.floats(0.01, 1))
def test_quantiles(histogram: list[int], share: float) -> None:
    values = [value for value, count in enumerate(histogram) for _ in range(count)]
    expected = values[math.ceil(share * len(values)) - 1]
    assert quantile(np.array(histogram), share) == expected


def test_premiums_and_their_interval() -> None:
    assert premiums([100, 150, 80], 0) == [1.0, 1.5, 0.8]
    random = np.random.default_rng(3)
    counts = random.integers(5, 30, (40, 3)) * np.array([1, 2, 3])
    low, high = bootstrap(counts, lambda sums: sums / sums[:, :1])
    assert low[0] == high[0] == 1
    truth = counts.sum(axis=0) / counts[:, 0].sum()
    assert (low <= truth).all()
    assert (truth <= high).all()
    plain = []
    for _ in range(1000):
        rows = counts[random.integers(0, 40, 40)].sum(axis=0)
        plain.append(rows / rows[0])
    assert np.quantile(plain, 0.025, axis=0) == pytest.approx(low, rel=0.05)
    assert np.quantile(plain, 0.975, axis=0) == pytest.approx(high, rel=0.05)


def test_overlap_of_vocabularies(tokenizer: tc.Tokenizer) -> None:
    other = tc.train("bpe", [sample_text("prose-de")], vocab_size=500, special_tokens=["<|end|>"])
    job = OverlapJob({"one": tokenizer, "other": other}, {})
    run_through(job, 5)
    plain = [
        {one.vocabulary.piece(token) for token in range(size)}
        for one, size in (
            (tokenizer, len(tokenizer.vocabulary)),
            (other, len(other.vocabulary) - 1),
        )
    ]
    assert [set(one) for one in job.pieces.values()] == plain
    shared = job.shared["one", "other"]
    assert shared == len(plain[0] & plain[1])
    assert jaccard(shared, *map(len, plain)) == shared / len(plain[0] | plain[1])
    assert jaccard(0, 0, 0) is None


def test_every_figure_has_its_formula() -> None:
    ids = [metric.id for metric in METRICS]
    assert len(set(ids)) == len(ids)
    for metric, other in itertools.pairwise(METRICS):
        assert metric.formula != other.formula
        assert metric.title


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ሰላም፡ለዓለም፡ሁሉ።", ["ሰላም", "ለዓለም", "ሁሉ።"]),
        ("ሰላም ፡ ለዓለም", ["ሰላም", "ለዓለም"]),
        ("ខ្ញុំ\u200bចូល\u200bចិត្ត", ["ខ្ញុំ", "ចូល", "ចិត្ត"]),  # Khmer marks words so, where it does
        ("𐎠𐎭𐎶𐏐𐎭𐎠𐎼", ["𐎠𐎭𐎶", "𐎭𐎠𐎼"]),  # Old Persian
        ("𐤀𐤍𐤊𐤟𐤌𐤔𐤏", ["𐤀𐤍𐤊", "𐤌𐤔𐤏"]),  # Phoenician
        ("one\u00a0two\u3000three\u1680four", ["one", "two", "three", "four"]),
        ("don't semi-colon 3.14", ["don't", "semi-colon", "3.14"]),
        ("བཀྲ་ཤིས་བདེ་ལེགས།", ["བཀྲ་ཤིས་བདེ་ལེགས།"]),  # the tsheg is between syllables
    ],
)
def test_words_of_scripts_with_marks_between_them(
    tokenizer: tc.Tokenizer, text: str, words: list[str]
) -> None:
    document = measured(text)
    assert list(document.words) == words
    utf8 = text.encode()
    pairs = zip(document.starts.tolist(), document.ends.tolist(), strict=True)
    assert [utf8[start:end].decode() for start, end in pairs] == words
    assert value("fertility_alone", tally(tokenizer, document)) == pytest.approx(
        sum(len(tokenizer.encode_ids(word)) for word in words) / len(words)
    )


@pytest.mark.parametrize(
    "text", ["བཀྲ་ཤིས་བདེ་ལེགས།", "ꦱꦸꦒꦼꦁꦫꦮꦸꦃ", "ᬒᬁᬲ᭄ᬯᬲ᭄ᬢ᭄ᬬᬲ᭄ᬢᬸ", "ᥖᥭᥰᥖᥬᥲ", "ᨠᩣᩴᨾᩮᩬᩥᨦ", "สวัสดีชาวโลก", "你好世界"]
)
@pytest.mark.usefixtures("words_by_spaces")
def test_scripts_without_spaces_have_no_words(tokenizer: tc.Tokenizer, text: str) -> None:
    assert not words_mean_something(counted(tokenizer, text))
    assert words_mean_something(counted(tokenizer, "ሰላም፡ለዓለም hello мир"))


def test_words_in_amharic_take_as_many_tokens_as_their_letters() -> None:
    amharic = "የሰው፡ልጅ፡ሁሉ፡ሲወለድ፡ነጻና፡በክብርና፡በመብትም፡እኩልነት፡ያለው፡ነው።"
    byte_tokens = tc.train("bpe", [""], vocab_size=256)
    found = counted(byte_tokens, amharic)
    assert found.word_count == 10
    assert value("fertility", found) == (len(amharic) - 9) * 3 / 10


def test_a_whole_text_of_a_folder_is_the_text_of_its_file(
    tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    """As Compare counts it, with the line end; only lines that say the same are counted without."""
    for name, text in (("a.txt", "one two\n"), ("b.txt", "\nthree\x0cfour\u2028five\r\n\r\nsix\n")):
        (tmp_path / name).write_text(text, "utf-8", newline="")
    found, _ = of_folder(tmp_path)
    assert not aligned(found)
    assert [one.lines for one in found] == [("one two",), ("three\x0cfour\u2028five", "six")]
    for one, path in zip(found, sorted(tmp_path.iterdir()), strict=True):
        whole = tally_sources({"it": tokenizer}, [CorpusSource("file", str(path))])["it"]
        assert line_tally(tokenizer, measured(one.text))[0].tokens == whole.tokens
