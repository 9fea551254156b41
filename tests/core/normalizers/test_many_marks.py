"""Marks in a row, more than there is room to order."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokenarium_core as tc
from tokenarium_core.errors import RoomError
from tokenarium_core.normalizers.character_normalizers import MOST_MARKS, opening_characters


@pytest.mark.skipif(not tc.COMPILED, reason="takes long where it is interpreted")
def test_they_are_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##a\n", encoding="utf-8")
    bert = tc.open(path)
    assert bert.encode("a" + "\u0301" * 1_000).ids == bert.encode("a").ids
    with pytest.raises(RoomError, match="marks follow the first character"):
        bert.encode("a" + "\u0301" * (MOST_MARKS + 2))


def test_as_many_as_there_is_room_for_are_ordered() -> None:
    assert opening_characters("NFC", "a\u0323\u0302", 1) == ["\u1ead"]
    with pytest.raises(RoomError):
        opening_characters("NFC", "a" + "b" * (MOST_MARKS + 1), 1)
