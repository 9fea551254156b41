"""Merges as sets and as orders: they are no difference only where no text can show it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

from differing_pairs import opened
from sentencepiece import sentencepiece_model_pb2 as model_pb2
from sentencepiece_models import LINES, MODELS, trained

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.comparing.entry_differences import EntryDifference
from tokenarium_core.comparing.merge_differences import MergeLists
from tokenarium_core.comparing.parting_texts import TokenizerPair
from tokenarium_core.comparing.probe_texts import WORDS
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.models.bpe.character_bpe import CharacterBpe

LETTERS = "abcd"


def merger(merges: list[tuple[str, str]], path: Path) -> tc.Tokenizer:
    """Returns BPE of letters with these merges; the ids do not depend on their order."""
    entries = [*LETTERS, *sorted({left + right for left, right in merges})]
    model = {
        "type": "BPE",
        "vocab": {entry: id for id, entry in enumerate(entries)},
        "merges": [list(pair) for pair in merges],
    }
    return opened({"added_tokens": [], "model": model}, path)  # fmt: skip


def merge_differences(a: tc.Tokenizer, b: tc.Tokenizer) -> list[EntryDifference]:
    lists = MergeLists(a, b)
    for _ in lists.compare():
        pass
    return lists.found


def random_merges(rng: Random) -> list[tuple[str, str]]:
    """Returns merges whose parts are made before them."""
    symbols = list(LETTERS)
    merges: list[tuple[str, str]] = []
    for _ in range(rng.randrange(2, 7)):
        pair = (rng.choice(symbols), rng.choice(symbols))
        if pair not in merges and pair[0] + pair[1] not in symbols:
            merges.append(pair)
            symbols.append(pair[0] + pair[1])
    return merges


def test_an_order_that_is_no_difference_changes_nothing(tmp_path: Path) -> None:
    rng = Random(7)
    texts = ["".join(one) for size in range(2, 6) for one in product(LETTERS, repeat=size)]
    same = different = 0
    for _ in range(400 if COMPILED else 20):
        merges = random_merges(rng)
        moved = merges.copy()
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(len(moved))
            moved.insert(rng.randrange(len(moved)), moved.pop(at))
        if moved == merges:
            continue
        a, b = merger(merges, tmp_path / "a.json"), merger(moved, tmp_path / "b.json")
        if merge_differences(a, b):
            different += 1
            continue
        same += 1
        for text in texts:
            assert a.encode_ids(text) == b.encode_ids(text), (merges, moved, text)
    assert min(same, different) > (50 if COMPILED else 2)


def test_the_order_of_two_merges_that_compete_is_a_difference(tmp_path: Path) -> None:
    merges = [("a", "b"), ("b", "c"), ("c", "d")]
    a = merger(merges, tmp_path / "a.json")
    b = merger([merges[1], merges[0], merges[2]], tmp_path / "b.json")
    [(what, shown_a, shown_b, probes)] = merge_differences(a, b)
    assert what == "the order of 1 merge"
    assert (shown_a, shown_b) == ("'a b' at 0", "'a b' at 1")
    assert probes == ["abc"]
    found = tc.diff(a, b)
    assert found.first is not None
    assert (found.first.text, found.first.stage) == ("abc", "merges")
    assert "A merges 'a' and 'b', where B merges 'b' and 'c'" in found.sentence


# Of SentencePiece, whose model makes any two neighbours that are a piece together.


def pieces_of(content: bytes) -> list[tuple[str, int]]:
    """Returns the pieces of a model and their kinds, the best score first."""
    model = model_pb2.ModelProto.FromString(content)
    rows = sorted(model.pieces, key=lambda piece: -piece.score)
    return [(piece.piece, piece.type) for piece in rows]


def file_of(
    content: bytes, folder: Path, last_first: bool = False, without: tuple[str, ...] = ()
) -> tc.Tokenizer:
    """Returns a ``tokenizer.json`` with each pair that makes a piece of a model, in the order of the scores."""
    rows = pieces_of(content)
    model = model_pb2.ModelProto.FromString(content)
    ids = {piece.piece: id for id, piece in enumerate(model.pieces)}
    pairs = [
        [text[:at], text[at:]]
        for text, kind in rows
        for at in range(1, len(text))
        if kind in (NORMAL, USER_DEFINED) and {text[:at], text[at:]} <= ids.keys()
    ]
    if last_first:
        pairs.reverse()
    fields = {
        "added_tokens": [
            {"id": id, "content": text, "special": kind == CONTROL, "normalized": True,
             "lstrip": False, "rstrip": False, "single_word": False}
            for text, kind in rows if kind in (CONTROL, USER_DEFINED, UNKNOWN) for id in [ids[text]]
            if text not in without
        ],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "model": {"type": "BPE", "vocab": ids, "merges": pairs, "unk_token": "<unk>", "fuse_unk": True},
    }  # fmt: skip
    return opened(fields, folder / "file.json")


NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4
IDENTITY = trained(**MODELS["bpe, identity"])


def test_a_pair_that_is_never_merged_is_no_difference(tmp_path: Path) -> None:
    model = read_sentencepiece(IDENTITY, "a.model", "a")
    file = file_of(IDENTITY, tmp_path)
    assert isinstance(file.model, CharacterBpe)
    assert isinstance(model.model, CharacterBpe)
    made = [id for id in model.model.merges.table.results if id >= 0]
    assert len(file.model.merges.table) > len(made)
    for a, b, side in ((file, model, "A"), (model, file, "B")):
        [(what, *_)] = merge_differences(a, b)
        other = "B" if side == "A" else "A"
        assert what == f"merges only in {side}, of pieces that {other} finds before it merges"
    for text in [*LINES, *WORDS]:
        assert file.encode_ids(text) == model.encode_ids(text), text


def test_a_pair_that_is_never_merged_is_one_in_another_order(tmp_path: Path) -> None:
    model = read_sentencepiece(IDENTITY, "a.model", "a")
    found = merge_differences(file_of(IDENTITY, tmp_path, last_first=True), model)
    assert "merges only in A" in [what for what, *_ in found]


def of_other_ids(content: bytes) -> tc.Tokenizer:
    """Returns a model whose letters "a" and "e" have each other's ids."""
    model = model_pb2.ModelProto.FromString(content)
    one, other = (next(p for p in model.pieces if p.piece == letter) for letter in "ae")
    one.piece, other.piece = other.piece, one.piece
    return read_sentencepiece(model.SerializeToString(), "b.model", "b")


def test_a_user_defined_piece_is_a_cause_as_an_added_token_is(tmp_path: Path) -> None:
    model = read_sentencepiece(IDENTITY, "a.model", "a")
    pair = TokenizerPair(file_of(IDENTITY, tmp_path, without=("<mask>", "▁▁")), model)
    found = pair.partings("a<mask>")[0]
    assert found.stage == "added tokens"
    id = model.vocabulary.ids["<mask>"]
    assert found.because == f"A finds no added token, B finds '<mask>' ({id}) at 1:7."

    # The file makes another piece by a merge, so what only the model finds is no cause.
    assert not pair.parts("  ")
    other = TokenizerPair(file_of(IDENTITY, tmp_path, without=("▁▁",)), of_other_ids(IDENTITY))
    assert {one.stage for one in other.partings("  a")} == {"vocabulary"}


# Of PickyBPE and BoundlessBPE, which know what happened in their training.

TEXT = "lowest lowest lowest low lower newest newest new abcdabcd abcdabcd cd cdx xcd "


def learned(algorithm: str, text: str = TEXT, **options: object) -> tc.Tokenizer:
    own = {"threshold": 0.7} if algorithm == "picky-bpe" else {}
    wanted = {"vocab_size": 266, "pattern": r"\s?\S+|\s+", "min_frequency": 1, **own, **options}
    return tc.train(algorithm, [text * 3], **wanted)


def test_what_happened_in_trainings() -> None:
    a = learned("picky-bpe")
    assert merge_differences(a, learned("picky-bpe")) == []
    b = learned("picky-bpe", threshold=0.95)
    for one, other, side in ((a, b, 0), (b, a, 1)):
        [(what, *values, _)] = merge_differences(one, other)
        assert what == f"events only in {'AB'[side]}"
        assert " removed'" in values[side]
        assert values[1 - side] == "0"
    whole = tc.diff(a, b)
    assert [one.effect for one in whole.differences if one.stage == "merges"] == ["changes-ids"]


def test_the_order_of_what_happened() -> None:
    a = learned("picky-bpe", "ab ab ab bc bc ", vocab_size=258, pattern=r"\S+|\s+")
    b = learned("picky-bpe", "ab ab bc bc bc ", vocab_size=258, pattern=r"\S+|\s+")
    [(what, one, other, _)] = merge_differences(a, b)
    assert (what, one, other) == ("the order of the events", "'a b' at 0", "'b c' at 0")
    causes = [
        (text, one.stage) for text in ("abc", "ab") for one in TokenizerPair(a, b).partings(text)
    ]
    assert causes == [("abc", "merges"), ("ab", "vocabulary")]
    assert "abc" in [one.text for one in tc.diff(a, b).differences if one.stage == "merges"]


def test_supermerges() -> None:
    a = learned("boundless-bpe")
    assert merge_differences(a, learned("boundless-bpe")) == []
    found = merge_differences(a, learned("boundless-bpe", "new low new low abcd "))
    assert "supermerges only in B" in [what for what, *_ in found]
