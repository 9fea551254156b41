"""The differences of two tokenizers: each known one is found with its cause, and another form is no difference."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from differing_pairs import (
    FORMS,
    KNOWN,
    Edit,
    Fields,
    KnownPair,
    both,
    fields_of,
    form_pairs,
    grown,
    opened,
    option,
    put,
    replaced,
    without,
)
from hf_models import KINDS
from sentencepiece import sentencepiece_model_pb2 as model_pb2
from sentencepiece_models import trained
from small_vocabularies import rank_file

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.comparing.diff import DiffJob, TokenizerDiff
from tokenarium_core.comparing.parting_texts import TokenizerPair
from tokenarium_core.comparing.stage_differences import (
    CHANGES_IDS,
    CHANGES_TEXT,
    KEEPS_IDS,
    MAY_CHANGE_IDS,
    StageDifference,
    find_differences,
)
from tokenarium_core.normalizers.normalizer import Replace
from tokenarium_core.patterns.found_pattern import FoundString

SHORT = 20
"""A text that shows a difference has fewer characters."""


def known_diff(pair: KnownPair, folder: Path) -> tuple[tc.Tokenizer, tc.Tokenizer, TokenizerDiff]:
    """Returns both tokenizers of a pair, and their differences."""
    fields, changed = fields_of(pair.kind), fields_of(pair.kind)
    for one in (fields, changed):
        if pair.before is not None:
            pair.before(one)
    pair.edit(changed)
    a, b = opened(fields, folder / "a.json"), opened(changed, folder / "b.json")
    return a, b, tc.diff(a, b)


@pytest.mark.slow
@pytest.mark.parametrize("pair", KNOWN, ids=[pair.name for pair in KNOWN])
def test_a_known_difference_is_found_with_its_cause_and_a_short_text(
    pair: KnownPair, tmp_path: Path
) -> None:
    a, b, found = known_diff(pair, tmp_path)
    first = found.first
    assert first is not None
    assert len(first.text) < SHORT
    options = {"special": first.special, "template": first.template}
    assert a.encode_ids(first.text, **options) == first.ids_a
    assert b.encode_ids(first.text, **options) == first.ids_b
    assert first.ids_a != first.ids_b
    shown = [one for one in found.differences if pair.what in one.what]
    assert [(one.stage, one.effect) for one in shown] == [(pair.stage, CHANGES_IDS)]
    assert first.stage == pair.stage
    assert found.worst == CHANGES_IDS
    assert repr(first.text)[1:-1] in found.sentence
    assert first.stage in found.sentence


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(KINDS) if COMPILED else ["llama3", "llama2", "bert"])
def test_another_form_is_no_difference(kind: str, tmp_path: Path) -> None:
    names = [name for of, name in form_pairs() if of == kind]
    assert names
    original = opened(fields_of(kind), tmp_path / "a.json")
    for name in names:
        fields = fields_of(kind)
        FORMS[name](fields)
        found = tc.diff(original, opened(fields, tmp_path / "b.json"))
        assert (name, found.differences, found.first) == (name, [], None)
        assert found.worst == ""
        assert found.sentence.startswith(f"No difference found in {found.texts:,} texts (")


@pytest.mark.slow
def test_there_are_as_many_pairs_as_promised() -> None:
    assert len(KNOWN) >= 30
    assert len(form_pairs()) >= 200
    assert {name for _, name in form_pairs()} >= FORMS.keys() - {"a Replace for Metaspace"}


def test_each_difference_has_a_text_of_its_own_where_there_is_one(tmp_path: Path) -> None:
    fields, changed = fields_of("byte_level"), fields_of("byte_level")
    names = ["a missing entry", "ids of entries", "the order of merges"]
    for name in names:
        next(one for one in KNOWN if one.name == name).edit(changed)
    a, b = opened(fields, tmp_path / "a.json"), opened(changed, tmp_path / "b.json")
    shown = {one.what: (one.text, one.stage) for one in tc.diff(a, b).differences}
    missing = shown.pop("entries only in A")
    assert shown.pop("merges only in A")[0] == missing[0]  # the merge that makes it is missing too
    texts = [missing, *shown.values()]
    assert len({text for text, _ in texts}) == len(names)
    for text, stage in texts:
        assert text is not None
        assert stage in [one.stage for one in TokenizerPair(a, b).partings(text)]


def test_of_many_tokens_some_of_each_kind_are_tried(tmp_path: Path) -> None:
    pair = next(one for one in KNOWN if one.name == "normalized, of many tokens")
    a, b, _ = known_diff(pair, tmp_path)
    found: list[StageDifference] = []
    assert len(list(find_differences(a, b, found))) > 5  # between them, a caller may stop
    [one] = found
    assert {"▁▁▁", "<unused0>", " <s>"} <= set(one.probes)


def test_a_job_in_steps_gives_the_same(tmp_path: Path) -> None:
    pair = KNOWN[0]
    a, b, whole = known_diff(pair, tmp_path)
    job = DiffJob(a, b)
    steps = 1
    while not job.step(0).finished:
        steps += 1
    assert steps > 100
    assert repr(job.result.differences) == repr(whole.differences)
    assert repr(job.result.first) == repr(whole.first)
    assert job.result.tried == whole.tried


# Other formats.


def sentencepiece_pair(
    folder: Path, edit: Callable[[model_pb2.ModelProto], None], **options: object
) -> TokenizerDiff:
    """Returns the differences of a SentencePiece model and its edited copy."""
    model = trained(**options)
    changed = model_pb2.ModelProto.FromString(model)
    edit(changed)
    paths = [folder / "a.model", folder / "b.model"]
    for path, content in zip(paths, (model, changed.SerializeToString()), strict=True):
        path.write_bytes(content)
    return tc.diff(*map(tc.open, paths))


def no_prefix(model: model_pb2.ModelProto) -> None:
    model.normalizer_spec.add_dummy_prefix = False


def keeps_spaces(model: model_pb2.ModelProto) -> None:
    model.normalizer_spec.remove_extra_whitespaces = False


def no_rules(model: model_pb2.ModelProto) -> None:
    model.normalizer_spec.precompiled_charsmap = b""


def worse_piece(model: model_pb2.ModelProto) -> None:
    """Gives a piece of several letters a score so low that its parts are better."""
    next(
        one for one in model.pieces if len(one.piece) > 2 and one.piece.isascii() and one.type == 1
    ).score = -500.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "kind", "stage", "what"),
    [
        (no_prefix, "unigram", "normalizer", "a space before the text"),
        (keeps_spaces, "unigram", "normalizer", "extra spaces removed"),
        (no_rules, "bpe", "normalizer", "rules"),
        (worse_piece, "unigram", "scores", "the scores of 1 "),
    ],
)
def test_settings_of_sentencepiece_models(
    edit: Callable[[model_pb2.ModelProto], None], kind: str, stage: str, what: str, tmp_path: Path
) -> None:
    found = sentencepiece_pair(tmp_path, edit, kind=kind)
    assert found.first is not None
    assert found.first.stage == stage
    assert len(found.first.text) < SHORT
    shown = [
        (one.stage, what in one.what) for one in found.differences if one.effect == CHANGES_IDS
    ]
    assert shown == [(stage, True)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_training_settings_of_sentencepiece_models_are_no_difference(
    kind: str, tmp_path: Path
) -> None:
    def edit(model: model_pb2.ModelProto) -> None:
        model.trainer_spec.num_threads = 7
        model.trainer_spec.input_sentence_size = 99

    found = sentencepiece_pair(tmp_path, edit, kind=kind)
    assert (found.differences, found.first) == ([], None)


def rank_pair(a: Path, b: Path, other: list[bytes], **changed: object) -> TokenizerDiff:
    """Returns the differences of two files of ranks; ``changed``: how the other one is opened."""
    a.write_bytes(rank_file([b"lo", b"ow", b"low"]))
    b.write_bytes(rank_file(other))
    how = {"pattern": "gpt2", "special_tokens": {"<s>": 259}}
    return tc.diff(tc.open(a, **how), tc.open(b, **{**how, **changed}))


@pytest.mark.parametrize(
    ("pieces", "changed", "stage", "text"),
    [
        ([b"ow", b"lo", b"low"], {}, "vocabulary", "lo"),
        ([b"lo", b"ow", b"owl"], {}, "vocabulary", "low"),
        ([b"lo", b"ow", b"low"], {"special_tokens": {"<t>": 259}}, "added tokens", "<s>"),
    ],
)
def test_ranks_and_special_tokens_of_tiktoken_files(
    pieces: list[bytes], changed: dict[str, object], stage: str, text: str, tmp_path: Path
) -> None:
    found = rank_pair(tmp_path / "a.tiktoken", tmp_path / "b.tiktoken", pieces, **changed)
    assert found.first is not None
    assert (found.first.stage, found.first.text) == (stage, text)


def test_the_same_pattern_in_other_words_of_a_tiktoken_file(tmp_path: Path) -> None:
    same = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s+(?!\S)|\s+"
    paths = (tmp_path / "a.tiktoken", tmp_path / "b.tiktoken")
    found = rank_pair(*paths, [b"lo", b"ow", b"low"], pattern=same)
    assert (found.differences, found.first) == ([], None)


# What does not change ids.


def changed_diff(
    kind: str, folder: Path, *edits: Edit, texts: tuple[str, ...] = ()
) -> TokenizerDiff:
    """Returns the differences of a kind and an edited copy."""
    fields = fields_of(kind)
    for edit in edits:
        edit(fields)
    a, b = opened(fields_of(kind), folder / "a.json"), opened(fields, folder / "b.json")
    return tc.diff(a, b, texts)


def test_a_decoder_changes_text_and_no_ids(tmp_path: Path) -> None:
    found = changed_diff("llama2", tmp_path, without("decoder", "decoders", 3))
    assert found.first is None
    [one] = found.differences
    assert (one.stage, one.what, one.effect) == ("decoder", "the step Strip", CHANGES_TEXT)
    assert found.worst == CHANGES_TEXT
    assert one.text is not None
    assert one.ids_a == one.ids_b


def test_a_decoder_that_only_has_another_step_keeps_ids(tmp_path: Path) -> None:
    def twice(fields: Fields) -> None:
        fields["decoder"]["decoders"].append({"type": "Fuse"})

    [one] = changed_diff("llama2", tmp_path, twice).differences
    assert (one.what, one.effect, one.text) == ("the step Fuse", KEEPS_IDS, None)


def test_the_shortest_text_is_the_first(tmp_path: Path) -> None:
    """A difference of an earlier stage is found with a longer text."""
    longer = option("<|endoftext|>", "special", False)
    found = changed_diff("composed_bytes", tmp_path, longer, put(None, "normalizer"))
    assert found.differences[0].text == "<|endoftext|>"
    assert found.first is not None
    assert (len(found.first.text), found.first.stage) == (1, "normalizer")


def test_what_is_not_needed_within_a_text_is_removed(tmp_path: Path) -> None:
    tokenizers = []
    for pattern in ("a[^c]*c", "a[^c]*"):
        split = {
            "type": "Split",
            "pattern": {"Regex": pattern},
            "behavior": "Isolated",
            "invert": False,
        }
        model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "bc": 3}, "merges": [["b", "c"]]}
        fields = {"added_tokens": [], "pre_tokenizer": split, "model": model}
        tokenizers.append(opened(fields, tmp_path / f"{len(tokenizers)}.json"))
    pair = TokenizerPair(*tokenizers)
    stages = frozenset(["pre-tokenizer"])
    found = pair.parting("bababbbabbbcab", stages)
    assert found is not None
    assert pair.shrunk(found, stages).text == "abc"


@pytest.mark.slow
def test_a_rule_for_one_rare_character_is_found(tmp_path: Path) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text("A4D0\t61\n", encoding="utf-8")
    found = sentencepiece_pair(
        tmp_path, no_rules, kind="unigram", normalization_rule_tsv=str(rules)
    )
    assert found.first is not None
    assert (found.first.text, found.first.stage) == ("\ua4d0", "normalizer")


def test_a_stage_that_no_difference_explains_is_named(tmp_path: Path) -> None:
    """Normalizers that no file has are compared by their names."""
    one = opened(fields_of("byte_level"), tmp_path / "a.json")
    a, b = (
        tc.Tokenizer(
            "x",
            one.model,
            one.pre_tokenizer,
            one.added_tokens,
            Replace(FoundString("a"), content),
        )
        for content in ("b", "c")
    )
    found = tc.diff(a, b)
    assert found.first is not None
    assert (found.first.text, found.first.stage) == ("a", "normalizer")
    [difference] = found.differences
    assert (difference.stage, difference.text, difference.effect) == (
        "normalizer",
        "a",
        CHANGES_IDS,
    )


@pytest.mark.parametrize(
    "edit",
    [
        put("x", "padding"),
        put([1, {"a": 2}], "truncation"),
        put("x", "post_processor", "pair"),
        put([1, {}, {"Sequence": 3}], "post_processor", "pair"),
        without("post_processor", "pair"),
    ],
)
def test_fields_that_opening_does_not_read_may_have_any_value(edit: Edit, tmp_path: Path) -> None:
    found = changed_diff("llama2", tmp_path, edit)
    assert {one.effect for one in found.differences} == {KEEPS_IDS}
    assert found.first is None


@pytest.mark.parametrize(
    ("stage", "value"),
    [
        ("truncation", {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}),
        ("padding", {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"}),
    ],
)  # fmt: skip
def test_batches_keep_the_ids_of_a_text(stage: str, value: object, tmp_path: Path) -> None:
    found = changed_diff("llama2", tmp_path, put(value, stage))
    assert found.first is None
    assert {(one.stage, one.effect) for one in found.differences} == {(stage, KEEPS_IDS)}
    assert found.worst == KEEPS_IDS
    assert "batches" in found.sentence


def test_the_ids_around_two_texts(tmp_path: Path) -> None:
    found = changed_diff(
        "bert", tmp_path, put(0, "post_processor", "pair", 3, "Sequence", "type_id")
    )
    [one] = found.differences
    assert (one.stage, one.what, one.effect) == ("template", "the ids around two texts", KEEPS_IDS)
    assert (one.a.count(":1"), one.b.count(":1")) == (2, 1)


def test_chat_templates(tmp_path: Path) -> None:
    folders = []
    for name, source in (
        ("a", "{{ bos_token }}{{ messages }}"),
        ("b", "{{ bos_token }} {{ messages }}"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        opened(fields_of("llama2"), folder / "tokenizer.json")
        (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": source}))
        folders.append(folder)
    found = tc.diff(*map(tc.open, folders))
    [one] = found.differences
    assert (one.stage, one.effect, found.first) == ("chat template", KEEPS_IDS, None)
    assert one.a != one.b


def test_a_text_of_the_user_shows_what_no_other_text_does(tmp_path: Path) -> None:
    """Twelve digits or thirteen: nothing else has so many."""
    path = ("pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")
    before = both(grown(merges=(("2", "3"),)), replaced("{1,3}", "{1,12}", *path))
    fields, changed = fields_of("llama3"), fields_of("llama3")
    before(fields)
    before(changed)
    replaced("{1,12}", "{1,13}", *path)(changed)
    a, b = opened(fields, tmp_path / "a.json"), opened(changed, tmp_path / "b.json")
    alone = tc.diff(a, b)
    assert (alone.first, alone.worst) == (None, MAY_CHANGE_IDS)
    assert "texts of your own" in alone.not_tried
    found = tc.diff(a, b, ["nothing\nx 7777777777723 y\n", "never"])
    assert found.tried["your texts"] == 3
    assert "texts of your own" not in found.not_tried
    assert found.first is not None
    assert found.first.text == "7777777777723"
    [one] = found.differences
    assert (one.stage, one.effect, one.text) == ("pre-tokenizer", CHANGES_IDS, "7777777777723")


def test_a_long_line_is_searched_and_not_shown(tmp_path: Path) -> None:
    text = "x " * 3_000 + "7777777777723" + " y" * 30_000
    path = ("pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")
    before = both(grown(merges=(("2", "3"),)), replaced("{1,3}", "{1,12}", *path))
    fields, changed = fields_of("llama3"), fields_of("llama3")
    before(fields)
    before(changed)
    replaced("{1,12}", "{1,13}", *path)(changed)
    a, b = opened(fields, tmp_path / "a.json"), opened(changed, tmp_path / "b.json")
    pair = TokenizerPair(a, b)
    assert len(pair.near(text)) < 500
    assert pair.parts(pair.near(text))
    found = tc.diff(a, b, [text])
    assert found.first is not None
    assert found.first.text == "7777777777723"
