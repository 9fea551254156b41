"""Training from merged counts is training on the corpus; and what cannot be so is refused with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.formats.registry import files_of, fitting
from tokenarium_core.training import FAMILIES, counting_options
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.counts_file import CountsWriter
from tokenarium_core.training.word_counts import count, merge_files

WORDS = [
    "low", "lower", " lowest", "internationalization", " the", " cat", "\n", "\n\n", "  ", "\t", "12", "345", "'s", "नमस्ते",
    " 日本語", "ＡＢＣ", "é", "e\u0301", "🙂", "ab", "<end>", "\0", "\u2585", "▁", "Ünï", "Привет", ".", ", and", "aaaa",
]  # fmt: skip
DOCUMENTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=30).map("".join), min_size=1, max_size=6
)
PIECES = {"normalization": "identity"}
CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("bpe", 275, {}),
    ("bpe", 280, {"pattern": "o200k", "special_tokens": ["<end>", "ab"], "min_frequency": 1}),
    ("bpe", 275, {"pattern": r"[a-m]+|[^a-m]+", "strategy": "words"}),
    ("bpe", 270, {"pattern": r"(?s).+", "min_frequency": 1}),
    ("bpe", 275, {"pattern": "gpt2", "normalization": "nfkc"}),
    ("bpe", 270, {"pattern": "cl100k", "normalization": "nfc", "min_frequency": 3}),
    ("superbpe", 280, {"transition": 265, "min_frequency": 1}),
    ("superbpe", 275, {"transition": 258, "max_words": 0, "across_lines": True, "special_tokens": ["<end>"]}),
    ("superbpe", 280, {"pattern": "gpt2", "superword_pattern": r"[^o]+|o+", "across_punctuation": False}),
    ("superbpe", 280, {"transition": 256, "kept_apart": ".", "superword_pattern": r"(?s).+"}),
    ("sentencepiece-bpe", 60, PIECES),
    ("sentencepiece-bpe", 340, PIECES | {"byte_fallback": True, "character_coverage": 0.98}),
    ("sentencepiece-bpe", 70, PIECES | {"treat_whitespace_as_suffix": True, "split_digits": True, "min_frequency": 2}),
    ("sentencepiece-bpe", 70, PIECES | {"split_by_whitespace": False, "required_chars": "zq", "max_sentence_length": 40}),
    ("unigram", 60, PIECES),
    ("unigram", 70, PIECES | {"user_defined_symbols": ["ab", "low er"], "control_symbols": ["<end>"], "pad_id": 3}),
    ("unigram", 60, PIECES | {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "split_by_unicode_script": False}),
    ("unigram", 60, PIECES | {"allow_whitespace_only_pieces": True, "bos_id": -1, "max_sentencepiece_length": 4}),
    ("wordpiece", 70, {}),
    ("wordpiece", 70, {"lowercase": False, "scoring": "likelihood"}),
    ("wordpiece", 60, {"special_tokens": ["<?>", "low"], "unk_token": "<?>"}),
    ("wordpiece", 60, {"limit_alphabet": 12, "scoring": "ratio", "min_frequency": 1}),
]  # fmt: skip
EXAMPLES = 8 if tc.COMPILED else 3
IDS = [f"{name}-{place}" for place, (name, _, _) in enumerate(CASES)]


def counted_with(algorithm: str, options: dict[str, Any]) -> dict[str, Any]:
    """Returns those of the options that counting depends on."""
    return {name: options[name] for name in counting_options(algorithm) if name in options}


def outcome(algorithm: str, size: int, options: dict[str, Any], **source: Any) -> object:
    """Returns the tokenizer's files, the report and the numbers of tokens; or the sentence of an error."""
    try:
        trainer = make_trainer(algorithm, vocab_size=size, **source, **options)
        trainer.run()
    except tc.TokenariumError as error:
        return str(error)
    tokenizer = trainer.tokenizer("made")
    files = files_of(tokenizer, fitting(tokenizer)[0], "made")
    totals = (trainer.byte_count, trainer.pre_token_count, trainer.distinct_count)
    return files, trainer.report, list(trainer.token_counts), totals


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "size", "options"), CASES, ids=IDS)
@settings(max_examples=EXAMPLES, deadline=None)
@given(documents=DOCUMENTS, data=st.data())
def test_any_split_merged_in_any_order_is_the_corpus(
    algorithm: str, size: int, options: dict[str, Any], documents: list[str], data: st.DataObject
) -> None:
    parts = data.draw(st.integers(1, 4))
    places = [data.draw(st.integers(0, parts - 1)) for _ in documents]
    chosen = counted_with(algorithm, options)
    counts = [
        count(
            algorithm,
            [text for text, at in zip(documents, places, strict=True) if at == part],
            **chosen,
        )
        for part in data.draw(st.permutations(range(parts)))
    ]
    first = counts[0]
    for other in counts[1:]:
        first.merge(other)
    expected = outcome(algorithm, size, options, corpus=documents)
    assert outcome(algorithm, size, options, counts=first) == expected
    assert first.texts == len(documents)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", FAMILIES)
@settings(max_examples=EXAMPLES, deadline=None)
@given(documents=DOCUMENTS, data=st.data())
def test_files_merged_in_any_order_are_the_file_of_the_corpus(
    algorithm: str,
    documents: list[str],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("counts")
    options = PIECES if "normalization" in counting_options(algorithm) else {}
    whole = count(algorithm, documents, **options)
    whole.save(folder / "whole.counts")
    cut = data.draw(st.integers(0, len(documents)))
    parts = []
    for number, texts in enumerate((documents[cut:], documents[:cut], [])):
        parts.append(folder / f"{number}.counts")
        count(algorithm, texts, **options).save(parts[-1])
    merge_files(data.draw(st.permutations(parts)), folder / "merged.counts")
    expected = (folder / "whole.counts").read_bytes()
    assert (folder / "merged.counts").read_bytes() == expected
    loaded = tc.WordCounts.load(folder / "merged.counts")
    facts = (
        whole.total,
        len(whole),
        whole.byte_count,
        whole.region_count,
        whole.texts,
        whole.options,
    )
    assert facts == (
        loaded.total, len(loaded), loaded.byte_count, loaded.region_count, loaded.texts, loaded.options,
    )  # fmt: skip
    loaded.save(folder / "again.counts")
    assert (folder / "again.counts").read_bytes() == expected
    size = {"bpe": 265, "superbpe": 270}.get(algorithm, 70)
    assert outcome(algorithm, size, options, counts=loaded) == outcome(
        algorithm, size, options, corpus=documents
    )


def test_a_corpus_that_is_spilled_is_counted_whole(tmp_path: Path) -> None:
    texts = [f"word{n} and other{n * n} words\n" * 3 for n in range(40)]
    counts = tc.WordCounts("superbpe")
    job = counts.adding(texts)
    runs: list[Path] = []
    while not job.step(0).finished:
        if counts.total > 300:
            runs.append(tmp_path / f"{len(runs)}.counts")
            counts.spill(runs[-1])
            assert counts.total == 0
    counts.spill(tmp_path / "last.counts")
    assert len(runs) > 1
    merge_files([*runs, tmp_path / "last.counts"], tmp_path / "all.counts")
    count("superbpe", texts).save(tmp_path / "whole.counts")
    assert (tmp_path / "all.counts").read_bytes() == (tmp_path / "whole.counts").read_bytes()


def test_many_sizes_are_trained_from_one_count_which_grows_on() -> None:
    texts = ["low lower lowest slow slower slowest\n"] * 3
    counts = count("superbpe", texts)
    before = outcome("superbpe", 270, {}, counts=counts)
    trainer = make_trainer("bpe", vocab_size=262, counts=counts)
    assert not trainer.step(0).finished
    counts.add(["something else entirely"])  # a training that goes on keeps what it began with
    trainer.run()
    assert trainer.pre_token_count == count("bpe", texts).total
    assert before == outcome("superbpe", 270, {}, corpus=texts)
    assert outcome("bpe", 265, {}, counts=counts) == outcome(
        "bpe", 265, {}, corpus=[*texts, "something else entirely"]
    )


def test_a_file_that_is_loaded_is_read_in_steps_and_can_be_added_to(tmp_path: Path) -> None:
    count("bpe", ["low lower"]).save(tmp_path / "a.counts")
    loaded = tc.WordCounts.load(tmp_path / "a.counts")
    trainer = make_trainer("bpe", vocab_size=258, counts=loaded)
    assert trainer.progress.phase == "counting"
    assert trainer.progress.total == len(loaded) == 2
    trainer.run()
    loaded.merge(tc.WordCounts.load(tmp_path / "a.counts"))
    loaded.add(["low"])
    assert (loaded.total, loaded.texts) == (5, 3)
    assert loaded.listed().piece(0) == b"low"
    assert loaded.memory > 0
    assert "5 words, 2 different" in repr(loaded)


REFUSED: list[tuple[str, dict[str, Any], str, dict[str, Any], str]] = [
    ("bpe", {}, "bpe", {"pattern": "gpt2"}, "counted with pattern = 'cl100k', and the training has 'gpt2'"),
    ("bpe", {}, "unigram", {}, "of byte-level words, and 'unigram' needs sentencepiece words.*train bpe"),
    ("superbpe", {}, "bpe", {"normalization": "nfc"}, "normalization = 'identity', and .* 'nfc'"),
    ("bpe", {}, "superbpe", {}, "of byte-level words, and 'superbpe' needs superwords words"),
    ("bpe", {}, "bpe", {"strategy": "naive"}, "counts have no text"),
    ("bpe", {}, "bpe", {"strategy": "naive", "tie_break": "first seen"}, "tie break by the first occurrence"),
    ("bpe", {"special_tokens": ["<a>"]}, "bpe", {"special_tokens": []}, r"special_tokens = \['<a>'\], and"),
    ("superbpe", {}, "superbpe", {"sample": 3}, "sample = .* or more"),
    ("unigram", PIECES, "unigram", {"byte_fallback": True}, "byte_fallback = False, and the training has True"),
    ("unigram", PIECES, "unigram", {"bos_id": -1}, "bos_id = 1, and the training has -1"),
    ("unigram", PIECES, "unigram", {"input_sentence_size": 5}, "input_sentence_size = 5 .* by their positions"),
    ("wordpiece", {}, "wordpiece", {"lowercase": False}, "lowercase = True, and the training has False"),
    ("wordpiece", {}, "wordpiece", {"special_tokens": ["[UNK]"]}, r"special_tokens = \['\[PAD\]', .*has \['\[UNK\]'\]"),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "options", "other", "given_options", "why"), REFUSED)
def test_a_training_that_contradicts_the_counts_is_refused(
    algorithm: str, options: dict[str, Any], other: str, given_options: dict[str, Any], why: str
) -> None:
    counts = count(algorithm, ["low lower lowest\n"] * 3, **options)
    with pytest.raises(tc.TokenariumError, match=why):
        tc.train(other, counts=counts, vocab_size=300, **given_options)


def test_options_that_counts_do_not_depend_on_are_free() -> None:
    texts = ["low lower lowest\n"] * 3
    counts = count("unigram", texts, **PIECES, user_defined_symbols=["b", "a"])
    options = {"bos_id": 5, "user_defined_symbols": ["a", "b"], "character_coverage": 1.0}
    for algorithm in ("unigram", "sentencepiece-bpe"):
        assert outcome(algorithm, 20, options, counts=counts) == outcome(
            algorithm, 20, PIECES | options, corpus=texts
        )


def test_older_counts_of_wordpiece_have_berts_special_tokens(tmp_path: Path) -> None:
    counts = count("wordpiece", ["low lower lowest [SEP]"] * 3)
    header = counts._header()
    del header["options"]["special_tokens"]
    writer = CountsWriter(tmp_path / "older.counts", header)
    writer.add_all(counts._words)
    writer.end_section()
    writer.finish()
    older = tc.WordCounts.load(tmp_path / "older.counts")
    again = count("wordpiece", ["low lower lowest [SEP]"] * 3)
    assert older.options == again.options
    assert outcome("wordpiece", 40, {}, counts=older) == outcome("wordpiece", 40, {}, counts=again)


def test_counting_takes_only_its_own_options() -> None:
    with pytest.raises(
        tc.TokenariumError, match="no option 'min_frequency': choose it when you train"
    ):
        count("bpe", ["a"], min_frequency=3)
    with pytest.raises(
        tc.TokenariumError,
        match="no option 'input_sentence_size': it chooses lines by their positions",
    ):
        count("unigram", ["a"], input_sentence_size=3)
    with pytest.raises(tc.TokenariumError, match="no option 'magic': leave it out"):
        count("bpe", ["a"], magic=3)
    with pytest.raises(ValueError, match="'magic' is not an algorithm"):
        count("magic", ["a"])
    with pytest.raises(tc.TokenariumError, match="named twice"):
        count("unigram", ["a"], control_symbols=["x", "x"])


def test_counts_that_were_made_differently_are_not_merged(tmp_path: Path) -> None:
    one, other = count("bpe", ["a"]), count("bpe", ["a"], pattern="gpt2")
    with pytest.raises(
        ValueError, match="pattern = 'cl100k' and with pattern = 'gpt2' cannot be merged"
    ):
        one.merge(other)
    with pytest.raises(ValueError, match="byte-level words and of wordpiece words"):
        one.merge(count("wordpiece", ["a"]))
    one.save(tmp_path / "one.counts")
    other.save(tmp_path / "other.counts")
    with pytest.raises(ValueError, match=r"other\.counts"):
        merge_files([tmp_path / "one.counts", tmp_path / "other.counts"], tmp_path / "out")
    with pytest.raises(ValueError, match="no counts to merge"):
        merge_files([], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_counting_that_was_not_finished_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"good " * 10 + b"\xff")
    counts = tc.WordCounts("bpe")
    with pytest.raises(tc.FormatError, match="is not UTF-8"):
        counts.add(files=[tmp_path / "bad.txt"])
    for use in (
        lambda: counts.save(tmp_path / "x.counts"),
        lambda: counts.add(["a"]),
        lambda: count("bpe", ["a"]).merge(counts),
        lambda: tc.train("bpe", counts=counts, vocab_size=300),
    ):
        with pytest.raises(tc.TokenariumError, match="was not finished"):
            use()
    with pytest.raises(tc.NotAvailable, match="cannot be read"):
        count("bpe", files=[tmp_path / "absent.txt"])


def test_counts_or_a_corpus_but_not_both() -> None:
    counts = count("bpe", ["a"])
    with pytest.raises(ValueError, match="counts or a corpus, not both"):
        tc.train("bpe", ["a"], counts=counts, vocab_size=300)


def test_a_training_leaves_the_words_in_their_file(tmp_path: Path) -> None:
    texts = ["".join(WORDS) * 3, " ".join(WORDS), "x" * 40, " the" * 70_000]
    counts = count("bpe", texts, pattern="gpt2")
    counts.save(tmp_path / "a.counts")
    loaded = tc.WordCounts.load(tmp_path / "a.counts")
    empty = loaded.memory
    wanted = make_trainer("bpe", vocab_size=290, counts=counts, min_frequency=1)
    trainers = [
        make_trainer(algorithm, vocab_size=290, counts=loaded, min_frequency=1, **options)
        for algorithm, options in (("bpe", {}), ("bpe", {"strategy": "words"}), ("picky-bpe", {}))
    ]
    wanted.run()
    working = list(trainers)  # in turns, since they read the same file
    while working:
        working = [trainer for trainer in working if not trainer.step(0).finished]
    assert loaded.memory == empty
    for trainer in trainers[:2]:
        for name in ("left", "right", "pair_counts", "token_counts"):
            assert list(getattr(trainer, name)) == list(getattr(wanted, name)), name
    words, others = trainers[0].pre_tokens, wanted.pre_tokens
    assert {words.piece(k): words.counts[k] for k in range(len(words))} == {
        others.piece(k): others.counts[k] for k in range(len(others))
    }
    assert sorted(words.counts, reverse=True) == list(words.counts)
    loaded.add(["more words"])
    for trainer in trainers:
        totals = (trainer.byte_count, trainer.pre_token_count, trainer.distinct_count)
        assert totals == (wanted.byte_count, wanted.pre_token_count, wanted.distinct_count)
    assert loaded.total == counts.total + 2
    for algorithm in ("bpe", "picky-bpe"):
        picky = make_trainer(algorithm, vocab_size=290, counts=counts, min_frequency=1)
        picky.run()
        other = trainers[0] if algorithm == "bpe" else trainers[2]
        assert list(picky.token_counts) == list(other.token_counts)
