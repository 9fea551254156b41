"""Normalization rules of one's own compile to the bytes of sentencepiece's own trainer, and normalize as it does."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from running import run_whole
from sentencepiece import sentencepiece_model_pb2
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.command_values import option_values
from tokenarium_core.normalizers.rule_table import MOST_RULES, read_rules
from tokenarium_core.training import make_trainer
from tokenarium_core.training.sentencepiece.sentencepiece_bpe_trainer import SentencePieceBpeTrainer
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining

TABLE = "41\t61\nU+00DF\t73 0x73\t# a comment\n200B\t\n61 308\tE4\r\n\n20 20\t20\n1F600\t3A 29\n41\t62\n"
ALPHABET = ["a", "b", "A", " ", "é", "e\u0301", "ß", "\u0308", "人", "😀", "▁", "1", "\u200b"]
TEXTS = st.lists(st.sampled_from(ALPHABET), max_size=14).map("".join)
RULES = st.dictionaries(
    st.lists(st.sampled_from([*ALPHABET, "\n"]), min_size=1, max_size=3).map("".join), TEXTS, min_size=1, max_size=12
)  # fmt: skip


def theirs(lines: list[str], table: Path, size: int, **options: Any) -> Any:
    """Returns the model that sentencepiece's own trainer makes with a file of rules."""
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=writer,
        model_type="bpe",
        vocab_size=size,
        num_threads=1,
        hard_vocab_limit=False,
        normalization_rule_tsv=str(table),
        minloglevel=3,
        **options,
    )
    return sentencepiece_model_pb2.ModelProto.FromString(writer.getvalue())


def codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


def test_a_table_of_all_forms(tmp_path: Path, texts: dict[str, str]) -> None:
    path = write_file(
        tmp_path / "rules.tsv",
        "".join(line for line in TABLE.splitlines(keepends=True) if line.strip()),
    )
    lines = ["Aßa\u0308 😀 two  spaces A\u200bB", *texts["deu_1996"].split("\n")]
    trainer = run_whole(
        make_trainer("sentencepiece-bpe", lines, vocab_size=400, normalization_rule_tsv=TABLE)
    )
    assert isinstance(trainer, SentencePieceBpeTrainer)
    content = trainer.model_file()
    made = sentencepiece_model_pb2.ModelProto.FromString(content)
    wanted = theirs(lines, path, 400)
    assert made.normalizer_spec.precompiled_charsmap == wanted.normalizer_spec.precompiled_charsmap
    assert made.normalizer_spec.name == wanted.normalizer_spec.name == "user_defined"
    assert [(one.piece, one.score) for one in made.pieces] == [
        (one.piece, one.score) for one in wanted.pieces
    ]
    processor = sentencepiece.SentencePieceProcessor(model_proto=content)
    tokenizer = trainer.tokenizer("")
    for line in [*lines, "A", "  A  ", "\u200b"]:
        assert tokenizer.encode_ids(line) == processor.encode(line)


@given(rules=RULES, lines=st.lists(TEXTS, min_size=1, max_size=6), squeeze=st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_rules(
    rules: dict[str, str], lines: list[str], squeeze: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assume(all(source != target for source, target in rules.items()))
    table = "".join(f"{codes(source)}\t{codes(target)}\n" for source, target in rules.items())
    assert read_rules(table) == rules
    path = write_file(tmp_path_factory.getbasetemp() / "rules.tsv", table)
    lines = [*lines, "a b"]
    options = {"remove_extra_whitespaces": squeeze, "character_coverage": 1.0}
    training = SentencePieceTraining(normalization_rule_tsv=table, **options)  # type: ignore[arg-type]
    try:
        reference = theirs(lines, path, 60, **options)
    except RuntimeError:  # such as where nothing is left of the lines
        assume(False)
    spec = reference.normalizer_spec
    processor = sentencepiece.SentencePieceProcessor(model_proto=reference.SerializeToString())
    for line in lines:
        made = training.normalizer.normalize_text(line)
        assert made.rstrip(b"\0").decode().replace(" ", "▁") == processor.normalize(line)
    # One merge at most: the order of equal ones is that of other tests.
    trainer = run_whole(SentencePieceBpeTrainer(training, 1000, ["\n".join(lines)]))
    made_model = sentencepiece_model_pb2.ModelProto.FromString(trainer.model_file())
    assert made_model.normalizer_spec.precompiled_charsmap == spec.precompiled_charsmap
    singles = [{one.piece for one in model.pieces if len(one.piece) == 1} for model in (made_model, reference)]  # fmt: skip
    assert singles[0] == singles[1]


@pytest.mark.parametrize("table", ["20\t5F\n", "20 20\t2D\n", "61 20\t\n"])
def test_rules_for_spaces(table: str, tmp_path: Path) -> None:
    path = write_file(tmp_path / "rules.tsv", table)
    lines = ["a b  a b", "ab a  b", " a b "]
    trainer = run_whole(
        make_trainer("sentencepiece-bpe", lines, vocab_size=9, normalization_rule_tsv=table)
    )
    assert isinstance(trainer, SentencePieceBpeTrainer)
    made = sentencepiece_model_pb2.ModelProto.FromString(trainer.model_file())
    pieces = [(one.piece, one.score) for one in theirs(lines, path, 9).pieces]
    assert [(one.piece, one.score) for one in made.pieces] == pieces


def test_the_rules_of_nfkc_are_read(tmp_path: Path) -> None:
    stage = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    pairs = stage.Decompile()
    rules = dict(pairs)
    table = "\n".join(f"{codes(source)}\t{codes(target)}" for source, target in rules.items())
    own = SentencePieceTraining(normalization_rule_tsv=table)
    named = SentencePieceTraining(normalization="nmt_nfkc")
    for text in ["ﬁne ｶﾞ １２ e\u0301", "a\tb\u00a0c", "①²㍿", "각"]:
        assert own.normalizer.normalize_text(text) == named.normalizer.normalize_text(text)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("41", "Line 1 of normalization_rule_tsv has no tab"),
        ("41\t61\n\t61", "Line 2 of .* has no code point before the tab"),
        ("41\t61\nA B\tC G", "Line 2 of .* has 'G', which is not a code point in hexadecimal"),
        ("a word\tanother", "has 'word', which is not a code point"),
        ("41,42\t61", "has '41,42'"),
        ("110000\t61", r"has U\+110000, which is not a character"),
        ("41\tD800", r"has U\+D800, which is not a character"),
        ("0\t61", r"has U\+0000, which is not a character"),
        ("41\t0", r"has U\+0000, which is not a character"),
        ("41\t41", "replaces a text by itself"),
        ("41\t" + "61 " * 300, "has more than 255 code points"),
        ("\n\n", "has no rules"),
        ("\n".join(f"{'61 ' * size}\t62" for size in range(1, 40)), "has 32 rules for 'a+' and what"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be(table: str, words: str) -> None:
    with pytest.raises(tc.FormatError, match=words) as caught:
        make_trainer("unigram", ["a"], vocab_size=40, normalization_rule_tsv=table)
    assert len(str(caught.value)) < 400


def test_more_rules_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_RULES > 200_000
    if tc.COMPILED:
        pytest.skip("a compiled bound cannot be lowered")
    monkeypatch.setattr("tokenarium_core.normalizers.rule_table.MOST_RULES", 2)
    with pytest.raises(tc.FormatError, match=r"Line 3 of .* is one rule more than the 2"):
        read_rules("41\t61\n42\t61\n43\t61")


def test_the_path_of_a_table_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text(TABLE, newline="")
    given = option_values("unigram", [f"normalization_rule_tsv={path}"])
    assert given["normalization_rule_tsv"] == TABLE
    assert option_values("unigram", [])["normalization_rule_tsv"] == ""
    for name, words in [("absent.tsv", "cannot be read: No such file"), (".", "cannot be read")]:
        with pytest.raises(tc.NotAvailable, match=words):
            option_values("unigram", [f"normalization_rule_tsv={tmp_path / name}"])
    path.write_bytes(b"41\t\xff")
    with pytest.raises(tc.FormatError, match="is not UTF-8"):
        option_values("unigram", [f"normalization_rule_tsv={path}"])


def test_counts_keep_the_rules(tmp_path: Path) -> None:
    counts = tc.WordCounts("unigram", normalization_rule_tsv="41\t61\n")
    counts.add(["A a AA"])
    counts.save(tmp_path / "made.counts")
    loaded = tc.WordCounts.load(tmp_path / "made.counts")
    assert loaded.options["normalization_rule_tsv"] == "41\t61\n"
    assert {loaded.listed().piece(number) for number in range(len(loaded))} == {b" a", b" aa"}
