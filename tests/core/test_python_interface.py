"""The public functions as people from other libraries call them: options, types, errors, copies in other processes."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.batches import Padding, Truncation
from tokenarium_core.errors import ArgumentTypeError, TokenError
from tokenarium_core.explaining.merge_path import MergePaths
from tokenarium_core.explaining.prompt_end import healing
from tokenarium_core.explaining.streaming import stream
from tokenarium_core.explaining.vocabulary_entries import is_superword
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.training import UnigramRecord, make_trainer

CHAT = of_pieces([b"lo", b"low"], special_tokens={"<s>": 258, "</s>": 259, "<x>": 261})
"""Its id 260 has no entry."""

PLAIN = CHAT.encode_ids("low<x>")

# Every function that encodes, as a list of ids.
WAYS: dict[str, Callable[..., list[int]]] = {
    "encode": lambda text, **options: list(CHAT.encode(text, **options)),
    "encode_batch": lambda text, **options: list(CHAT.encode_batch([text, text], **options)[1]),
    "encode_ids": CHAT.encode_ids,
    "encode_ids_batch": lambda text, **options: CHAT.encode_ids_batch((text, text), **options)[1],
    "encode_buffer": lambda text, **options: list(CHAT.encode_buffer(text, **options)),
    "encode_texts": lambda text, **options: list(CHAT.encode_texts([text], **options).ids),
    "encode_job": lambda text, **options: list(CHAT.encode_job(text, **options).whole()),
}


@pytest.mark.parametrize("way", WAYS)
def test_options(way: str) -> None:
    encode = WAYS[way]
    assert encode("low<x>") == PLAIN
    assert encode("low<x>", special="none") == PLAIN
    assert encode("low<x>", special="all") == [257, 261]
    assert encode("low<x>", special=["<x>"]) == [257, 261]
    assert encode("low<x>", special={"<s>"}) == PLAIN
    assert encode("low", add_bos=True) == [258, 257]
    assert encode("low", add_bos=True, add_eos=True) == [258, 257, 259]
    assert encode("low<x>", special="all", add_eos=True) == [257, 261, 259]
    assert encode("low<x>", template=True) == PLAIN  # it has none
    assert encode("low<x>", allowed_special="all") == [257, 261]
    assert encode("low<x>", allowed_special={"<x>", "what there is not"}) == [257, 261]
    assert encode("low<x>", disallowed_special=()) == PLAIN
    assert encode("low<x>", special={"<x>"}, disallowed_special="all") == [257, 261]
    for options in (
        {"disallowed_special": "all"},
        {"allowed_special": {"<s>"}},
        {"allowed_special": "all", "disallowed_special": {"<x>"}},
        {"disallowed_special": ["w<"]},
    ):
        with pytest.raises(tc.SpecialTokenError, match="disallowed here") as error:
            encode("low<x>", **options)
        assert isinstance(error.value, ValueError)
    for options in (
        {"special": "some"},
        {"special": {"<y>"}},
        {"allowed_special": "some"},
        {"disallowed_special": "none"},
        {"special": "all", "allowed_special": "all"},
    ):
        with pytest.raises(tc.ArgumentError, match=r"\.$"):
            encode("low<x>", **options)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_no_text(way: str) -> None:
    wrong = [None, 5, ["a"]] if way == "encode_job" else [None, 5, ["a"], b"low", bytearray(b"low")]
    for text in wrong:
        with pytest.raises(ArgumentTypeError, match=r"^A text must be a str, not .*\.$"):
            WAYS[way](text)
    assert issubclass(ArgumentTypeError, (tc.ArgumentError, TypeError))


@pytest.mark.parametrize("name", ["encode_batch", "encode_ids_batch", "encode_texts"])
def test_what_is_no_list_of_texts(name: str) -> None:
    for texts in ("low", b"low", 5, None):
        with pytest.raises(ArgumentTypeError, match=r"^Several texts must be a list of str"):
            getattr(CHAT, name)(texts)
    with pytest.raises(ArgumentTypeError, match="encode_bytes"):
        getattr(CHAT, name)(["low", b"low"])
    made = getattr(CHAT, name)(text for text in ("low", ""))
    assert len(made.lengths if name == "encode_texts" else made) == 2


def test_bytes_and_texts_in_the_place_of_each_other() -> None:
    for call in (LOWER.encode_bytes, LOWER.vocabulary.find):
        with pytest.raises(ArgumentTypeError, match=r"text\.encode\(\)"):
            call("low")
        assert call(memoryview(b"low")) is not None
    for call in (LOWER.token_to_id, LOWER.added_token_matches, LOWER.nested_cuts):
        with pytest.raises(ArgumentTypeError, match="bytes"):
            call(b"low")


class Tensor:
    """What arrays of other libraries have in common."""

    def __init__(self, values: object) -> None:
        self.values = values

    def tolist(self) -> object:
        return self.values


IDS = [258, 0, 260]


@pytest.mark.parametrize(
    "ids",
    [
        IDS,
        tuple(IDS),
        iter(IDS),
        np.array(IDS),
        np.array(IDS, np.uint16),
        [np.int32(id) for id in IDS],
        [IDS[0], *map(np.int64, IDS[1:])],
        (np.int64(id) for id in IDS),
        np.array(IDS, object),
        memoryview(np.array(IDS, np.int32)),
        Tensor(IDS),
    ],
    ids=range(11),
)
def test_integers_of_all_kinds_are_ids(ids: Any) -> None:
    assert LOWER.decode(ids) == "low\0lower"


def test_an_encoding_is_its_ids() -> None:
    encoding = LOWER.encode("lower low")
    assert LOWER.decode(encoding) == "lower low"
    assert LOWER.decode_batch([encoding, encoding.ids]) == ["lower low"] * 2
    assert LOWER.decode_batch(np.array([[258, 0], [260, 258]])) == ["low\0", "lowerlow"]
    assert LOWER.decode_batch([]) == []


@pytest.mark.parametrize(
    "ids", ["258", b"ab", 258, None, 2.5, [2.5], ["a"], [None], [[258]], np.array([2.5]), Tensor(3)]
)
def test_what_is_no_ids(ids: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"[Ii]ds? must be .*integers?.*, not \w+\.$"):
        LOWER.decode(ids)
    with pytest.raises(tc.ArgumentError, match=r"\.$"):
        LOWER.decode_batch(ids if isinstance(ids, str | bytes | int | float) else [ids])


def test_an_id_of_numpy() -> None:
    for id in (np.int8(97), np.uint64(97), np.int64(97)):
        assert LOWER.id_to_token(id) == "a"
        assert LOWER.vocabulary.piece(id) == b"a"
    texts = LOWER.encode_texts(["low"], before=np.array([1]), after=[np.int32(2)])
    assert list(texts.ids) == [1, 258, 2]
    with pytest.raises(ArgumentTypeError, match="An id must be an integer"):
        LOWER.id_to_token("a")


# Every public function that takes an id or a number of ids, called with one; its result is compared as text.
TAKES_IDS: dict[str, Callable[[Any], object]] = {
    "Tokenizer.id_to_token": LOWER.id_to_token,
    "Tokenizer.decode": lambda id: LOWER.decode([id]),
    "Tokenizer.decode_bytes": lambda id: LOWER.decode_bytes([id]),
    "Tokenizer.decode_batch": lambda id: LOWER.decode_batch([[id], [id]]),
    "Tokenizer.encode_texts": lambda id: list(
        LOWER.encode_texts(["low"], before=[id], after=[id]).ids
    ),
    "Vocabulary.piece": LOWER.vocabulary.piece,
    "Vocabulary.kind": LOWER.vocabulary.kind,
    "Vocabulary.surface": LOWER.vocabulary.surface,
    "Vocabulary.token": LOWER.vocabulary.token,
    "Vocabulary.check": LOWER.vocabulary.check,
    "Vocabulary.is_hole": LOWER.vocabulary.is_hole,
    "Model.merge_rank": lambda id: LOWER.model.merge_rank(id, id),
    "Model.merged": lambda id: LOWER.model.merged(id, id),
    "AddedToken": lambda id: AddedToken("<a>", id).id,
    "AddedTokens.with_id": lambda id: len(CHAT.added_tokens.with_id(id)),
    "Padding": lambda id: tc.batch(LOWER, ["low", ""], padding=Padding(id, id, id)).ids,
    "Truncation": lambda id: tc.batch(LOWER, ["low " * 200], Truncation(id, stride=1)).ids,
    "change_special_tokens": lambda id: (
        tc.change_special_tokens(LOWER, {"<a>": 5000 + id}).special_tokens
    ),
    "is_superword": lambda id: is_superword(LOWER.vocabulary, id),
    "healing": lambda id: healing(LOWER, [97, id], id // 97).prefix,
    "stream": lambda id: stream(LOWER, [id, id]).text,
    "MergePaths.paths": lambda id: len(MergePaths(LOWER.model).paths(id, 0)),
}


@pytest.mark.parametrize("name", TAKES_IDS)
def test_ids_are_integers_of_any_kind(name: str) -> None:
    function = TAKES_IDS[name]
    known = function(97)
    for kind in (np.int16, np.int32, np.int64, np.uint16, np.uint64, np.array):
        assert function(kind(97)) == known
    if name == "change_special_tokens" or not tc.COMPILED:
        return  # it is given a sum here; the interpreted core does not check all types
    for wrong in ("97", 97.5, None, b"a"):
        with pytest.raises(TypeError):
            function(wrong)


def test_what_has_an_id_keeps_it_as_an_integer_of_python() -> None:
    padding = Padding(np.int64(97), np.int64(4), np.int64(2))
    assert {type(one) for one in (padding.id, padding.length, padding.multiple)} == {int}
    assert type(AddedToken("<a>", np.int64(300)).id) is int


def test_the_bytes_of_several_texts_are_those_of_utf8() -> None:
    assert LOWER.encode_texts(["low", "é日", ""]).bytes == 3 + 5


def test_blanks_that_are_removed_are_no_words() -> None:
    bert = tc.train("wordpiece", ["low lower"] * 3, vocab_size=40)
    assert bert.encode("low lower low").word_ids == [0, 1, 2]


def test_an_id_that_there_is_not() -> None:
    vocabulary = LOWER.vocabulary
    for function in (vocabulary.piece, vocabulary.kind, vocabulary.token, vocabulary.is_hole):
        for id in (-1, len(vocabulary)):
            with pytest.raises(tc.IdError, match=f"There is no id {id}"):
                function(id)


def test_entries_by_their_names() -> None:
    assert LOWER.token_to_id("Ġlow") == 262
    assert LOWER.token_to_id(" low") is None
    assert LOWER.id_to_token(262) == "Ġlow"
    assert [LOWER.id_to_token(id) for id in (-1, 263, 10**30, -(10**30))] == [None] * 4
    assert CHAT.id_to_token(260) is None
    assert (CHAT.vocab_size, len(CHAT.vocabulary), len(CHAT.get_vocab())) == (261, 262, 261)
    assert CHAT.get_vocab()["<x>"] == 261
    assert CHAT.get_vocab()["low"] == 257


def test_a_vocabulary_is_a_mapping() -> None:
    vocabulary = CHAT.vocabulary
    assert dict(vocabulary) == CHAT.get_vocab() == dict(vocabulary.items())
    assert list(vocabulary) == list(vocabulary.keys())
    assert sorted(vocabulary.values()) == [*range(260), 261]
    assert (vocabulary["low"], vocabulary[b"low"], vocabulary["<x>"]) == (257, 257, 261)
    assert "low" in vocabulary
    assert b"lo" in vocabulary
    for other in ("lower", b"lower", 257, None):
        assert other not in vocabulary
    assert (vocabulary.get("lower"), vocabulary.get(b"lower", 7)) == (None, 7)
    for wanted in ("lower", b"lower"):
        with pytest.raises(TokenError, match=r"^There is no entry b?'lower' in this vocabulary\.$"):
            vocabulary[wanted]
    assert issubclass(TokenError, KeyError)


def test_a_table_for_pandas_and_arrow() -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    table = CHAT.vocabulary.table()
    frame = pandas.DataFrame(table)
    assert len(frame) == 261
    assert frame[frame["token"] == "low"].iloc[0].tolist() == [257, "low", b"low", "normal"]
    assert frame[frame["id"] == 261]["kind"].item() == "control"
    made = pyarrow.table(table)
    assert made.column_names == ["id", "token", "piece", "kind"]
    assert str(made.schema.field("piece").type) == "binary"


def test_what_an_encoding_says() -> None:
    text = "é<x>lower😀"
    encoding = CHAT.encode(text, special="all", add_bos=True, add_eos=True)
    assert list(encoding) == list(encoding.ids)
    assert encoding.tokens == ["<s>", "Ã", "©", "<x>", "low", "e", "r", "ð", "Ł", "ĺ", "Ģ", "</s>"]
    emoji = [(9, 10)] * 4
    places = [(0, 0), (0, 1), (0, 1), (1, 4), (4, 7), (7, 8), (8, 9), *emoji, (10, 10)]
    assert encoding.offsets == places
    assert encoding.word_ids == [None, 0, 0, 1, *[2] * 7, None]
    assert repr(encoding).startswith("<Encoding of 12 tokens: '<s>' 'Ã' '©' '<x>' ")
    assert repr(encoding).endswith(" 'ð' …>")
    assert repr(CHAT.encode("")) == "<Encoding of no tokens>"
    assert (np.asarray(encoding.ids) == list(encoding)).all()


def test_bytes_that_are_no_text_have_no_characters() -> None:
    encoding = LOWER.encode_bytes(b"low\xff")
    assert encoding.tokens == ["low", "ÿ"]
    with pytest.raises(tc.ArgumentError, match="not UTF-8"):
        print(encoding.offsets)


def test_errors_are_those_that_python_has_for_the_same(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"^There is no file .*\.$") as missing:
        tc.open(tmp_path / "none.json")
    assert isinstance(missing.value, tc.NotAvailable)
    (tmp_path / "wrong.json").write_text("{", "utf-8")
    with pytest.raises(ValueError, match=r"\.$") as wrong:
        tc.open(tmp_path / "wrong.json")
    assert isinstance(wrong.value, tc.FormatError)
    picky = tc.train("picky-bpe", ["low low"], vocab_size=258)
    with pytest.raises(ValueError, match=r"cannot be pruned: .*\.$") as unable:
        tc.prune(picky, ["low"], to_size=257)
    assert isinstance(unable.value, tc.UnsupportedError)
    assert not isinstance(unable.value, OSError)
    with pytest.raises(tc.ArgumentError, match=r"^'bqe' is not an algorithm to train: .*\.$"):
        tc.train("bqe", ["low"], vocab_size=257)
    with pytest.raises(tc.ArgumentError, match="The record of 'bpe' is a PairRecord"):
        make_trainer("bpe", ["low"], vocab_size=257, record=UnigramRecord())
    with pytest.raises(OSError, match=r"^.* cannot be written: .*\.$") as unwritten:
        LOWER.save(tmp_path / "none" / "out.json")
    assert isinstance(unwritten.value, tc.WriteError)
    with pytest.raises(ValueError, match="does not compile"):
        pattern("(")
    for error in (missing, wrong, unwritten):
        again = pickle.loads(pickle.dumps(error.value))
        assert str(again) == str(error.value) == error.value.args[0]
        assert type(again) is type(error.value)
    # A sentence of ours is not taken for one of Python's, and said twice.
    with pytest.raises(tc.WriteError, match=r"is a folder, not a file\. Choose another name\.$"):
        LOWER.save(tmp_path)


def test_the_name_of_a_file_says_its_format(tmp_path: Path) -> None:
    LOWER.save(tmp_path / "x.tiktoken")
    assert (tmp_path / "x.tiktoken").read_bytes().startswith(b"AA== 0\n")
    LOWER.save(tmp_path / "tokenizer.json")
    LOWER.save(tmp_path / "low.json")
    LOWER.save(tmp_path / "low-3.1")
    formats = [
        tc.open(tmp_path / name).source.format for name in ("tokenizer.json", "low.json", "low-3.1")
    ]
    assert formats == ["huggingface", "tokenarium", "tokenarium"]
    for name, why in {
        "x.model": "cannot be saved as SentencePiece",
        "vocab.txt": "cannot be saved as ",
        "x.gguf": "reads but does not write",
    }.items():
        with pytest.raises(tc.ArgumentError, match=why):
            LOWER.save(tmp_path / name)
        assert not (tmp_path / name).exists()


@pytest.mark.slow
@pytest.mark.parametrize("source", ["none", "file", "given"])
def test_a_tokenizer_in_another_process(source: str, tmp_path: Path) -> None:
    tokenizer = CHAT
    if source == "file":
        CHAT.save(tmp_path / "chat.json")
        tokenizer = tc.open(tmp_path / "chat.json")
    elif source == "given":
        LOWER.save(tmp_path / "low.tiktoken")
        (tmp_path / "low.pattern.json").unlink(missing_ok=True)
        for other in tmp_path.iterdir():
            if other.suffix == ".json":
                other.unlink()
        tokenizer = tc.open(
            tmp_path / "low.tiktoken", pattern="whitespace", special_tokens={"<y>": 300}
        )
    pickled = pickle.dumps(tokenizer)
    assert len(pickled) < (10_000 if source == "none" else 1000)
    copied = pickle.loads(pickled)
    for text in ("low lower<x><y>", "<s>é", ""):
        assert copied.encode_ids(text, "all") == tokenizer.encode_ids(text, "all")
    assert copied.name == tokenizer.name
    assert copied.get_vocab() == tokenizer.get_vocab()
    assert pickle.dumps(copied) == pickled
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned) as pool:
        texts = ["low lower", "é"]
        assert list(pool.map(tokenizer.encode_ids, texts)) == tokenizer.encode_ids_batch(texts)


def test_a_source_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "low.json"
    LOWER.save(path)
    tokenizer = tc.open(path)
    pickled = pickle.dumps(tokenizer)
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(tc.FormatError, match="has changed since"):
        pickle.loads(pickled)
    assert pickle.loads(pickle.dumps(tokenizer)).encode_ids("low") == [258]  # whole
    path.unlink()
    with pytest.raises(tc.NotAvailable):
        pickle.loads(pickled)


def test_copies() -> None:
    assert copy.copy(CHAT) is CHAT
    assert copy.deepcopy({"tokenizer": CHAT})["tokenizer"] is CHAT
    encoding = CHAT.encode("é<x>low", special="all")
    for other in (pickle.loads(pickle.dumps(encoding)), copy.deepcopy(encoding)):
        assert list(other) == list(encoding)
        assert list(other.spans) == list(encoding.spans)
        assert list(other.pre_tokens.rules) == list(encoding.pre_tokens.rules)
        assert (other.tokens, other.offsets) == (encoding.tokens, encoding.offsets)
        assert other.word_ids == encoding.word_ids
    many = pickle.loads(pickle.dumps(CHAT.encode_texts(["low", "lo"])))
    assert (list(many.ids), list(many.lengths)) == ([257, 256], [1, 1])


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_model_in_the_cache_of_hugging_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--org--some.model-1"
    for commit, pieces in (("aaa", [b"lo"]), ("bbb", [b"er"])):
        folder = repository / "snapshots" / commit
        folder.mkdir(parents=True)
        of_pieces(pieces).save(folder / "tokenizer.json", "huggingface")
    (repository / "refs").mkdir()
    for commit, piece in (("aaa", b"lo"), ("bbb", b"er")):
        (repository / "refs" / "main").write_text(commit, "utf-8")
        tokenizer = tc.open("org/some.model-1")
        assert tokenizer.vocabulary.find(piece) == 256
        assert commit in tokenizer.source.path
    for name in ("org/other", "some.model-1", "../org/some.model-1", "org--some.model-1"):
        with pytest.raises(tc.NotAvailable, match="There is no file"):
            tc.open(name)
    with pytest.raises(tc.NotAvailable, match="no model of it in"):
        tc.open("org/other")
