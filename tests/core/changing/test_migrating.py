"""Two tokenizers beside each other: the ids that stay, that move, and the pieces of the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiktoken
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer
from tokenarium_core.changing.migrating import MOVED, NOTHING, PIECES, SAME, UNUSED_ID, Migration

OLD = of_pieces([b"lo", b"ow", b"low"], special_tokens={"<a>": 259, "<b>": 260, "<c>": 270})
NEW = of_pieces([b"ow", b"er", b"ower"], special_tokens={"<b>": 259, "<d>": 270})


def test_ids_stay_move_or_are_made_of_pieces() -> None:
    migration = tc.migrate(OLD, NEW)
    assert migration.fates[:256] == [SAME] * 256
    assert migration.fates[256:260] == [MOVED, PIECES, PIECES, MOVED]
    assert migration.sources[256:260] == [[257], [101, 114], [257, 101, 114], [260]]
    assert migration.fates[270] == NOTHING
    assert set(migration.fates[260:270]) == {UNUSED_ID}
    assert migration.dropped == [256, 258, 259, 270]
    assert migration.count(PIECES) == 2
    assert migration.costs("lower") == (3, 2)


def test_special_tokens_that_clash_are_named() -> None:
    found = [
        (one.old_name, one.old_id, one.new_name, one.new_id) for one in tc.migrate(OLD, NEW).clashes
    ]
    assert found == [("<b>", 260, "<b>", 259), ("<c>", 270, "<d>", 270)]


@pytest.mark.parametrize("special_id", [256, 259])
def test_a_name_that_is_special_in_one_of_them_keeps_its_row(special_id: int) -> None:
    """Best with the same id: the model has a row for the name, whatever the flag says."""
    plain = of_pieces([b"<x>", b"ow"], special_tokens={"<b>": 258})
    flagged = of_pieces(
        [b"<y>", b"ow"] if special_id == 259 else [], special_tokens={"<x>": special_id}
    )
    for old, new, old_id, new_id in (
        (plain, flagged, 256, special_id),
        (flagged, plain, special_id, 256),
    ):
        migration = tc.migrate(old, new)
        assert migration.sources[new_id] == [old_id]
        assert migration.fates[new_id] == (SAME if old_id == new_id else MOVED)
        assert old_id not in migration.dropped


@pytest.mark.compiled
@pytest.mark.parametrize("one", SHIPPED_TOKENIZERS, ids=lambda one: str(one.id))
def test_a_tokenizer_is_the_same_as_itself(one: ShippedTokenizer) -> None:
    tokenizer = tc.open(one.path)
    migration = Migration(tokenizer, tokenizer)
    assert set(migration.fates) <= {SAME, UNUSED_ID}
    assert migration.dropped == []
    assert migration.clashes == []


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("new", SHIPPED_TOKENIZERS, ids=lambda one: str(one.id))
@pytest.mark.parametrize("old", SHIPPED_TOKENIZERS, ids=lambda one: str(one.id))
def test_sources_have_the_bytes_of_the_entry(old: ShippedTokenizer, new: ShippedTokenizer) -> None:
    before, after = tc.open(old.path), tc.open(new.path)
    migration = Migration(before, after)
    for id, (fate, sources) in enumerate(zip(migration.fates, migration.sources, strict=True)):
        if fate in (SAME, MOVED, PIECES):
            joined = b"".join(before.vocabulary.piece(source) for source in sources)
            # SentencePiece spells a space by the three bytes of its mark where it falls back to bytes.
            assert joined.replace("▁".encode(), b" ") == after.vocabulary.piece(id)
        if fate in (SAME, MOVED):
            assert (fate == SAME) == (sources == [id])
        assert (fate in (NOTHING, UNUSED_ID)) == (not sources)


@pytest.mark.compiled
def test_pieces_are_those_of_tiktoken(tiktoken_cache: Path) -> None:
    migration = tc.migrate(tc.open("gpt2"), tc.open("cl100k_base"))
    reference = tiktoken.get_encoding("gpt2")
    new = migration.new.vocabulary
    wanted = [id for id, fate in enumerate(migration.fates) if fate == PIECES]
    assert len(wanted) > 50_000
    for id in wanted[::7]:
        assert migration.sources[id] == reference._encode_single_piece(new.piece(id))
    for id, fate in enumerate(migration.fates):
        if fate in (SAME, MOVED):
            special = {**reference._special_tokens}
            piece = new.piece(id)
            assert migration.sources[id] == [
                special.get(piece.decode("utf-8", "replace"), -1)
                if migration.new.added_tokens.with_id(id)
                else reference._mergeable_ranks[piece]
            ]


@pytest.mark.compiled
def test_a_changed_tokenizer_keeps_all_ids(tiktoken_cache: Path) -> None:
    old = tc.open("cl100k_base")
    migration = tc.migrate(old, tc.change_special_tokens(old, ["<|user|>"]))
    assert migration.fates[-1] == NOTHING
    assert set(migration.fates[:-1]) == {SAME, UNUSED_ID}
    assert migration.dropped == []
    assert migration.clashes == []


@pytest.mark.compiled
@pytest.mark.parametrize("special", [True, False])
def test_a_token_that_is_special_in_one_alone_keeps_its_row(special: bool, tmp_path: Path) -> None:
    """The files differ in the flag of one added token; a second one has moved as well."""
    pair = []
    for number, flags in enumerate([(special, not special), (not special, special)]):
        path = tmp_path / f"{number}.json"
        tc.train("bpe", [""], vocab_size=256).save(path, "huggingface")
        file = json.loads(path.read_text("utf-8"))
        places = dict(zip(["<turn>", "<end>"], (256, 257) if number else (257, 256), strict=True))
        places["<keep>"] = 258
        options = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        file["added_tokens"] = [
            {"id": id, "content": name, "special": flags[0] if name != "<end>" else True, **options}
            for name, id in sorted(places.items(), key=lambda one: one[1])
        ]
        path.write_text(json.dumps(file), "utf-8")
        pair.append(tc.open(path))
    migration = tc.migrate(*pair)
    assert migration.fates[256:] == [MOVED, MOVED, SAME]
    assert migration.sources[256:] == [[257], [256], [258]]
    assert migration.dropped == []
