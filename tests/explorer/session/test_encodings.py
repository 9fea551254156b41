"""Encodings of larger texts: the tokenizer in front comes first, and an edit takes over what was made before."""

from __future__ import annotations

import pytest
from narrowed import there
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.samples_index import load_samples
from tokenarium.session import catalogue, encodings
from tokenarium.session.session import Session

ON = ("shipped:tokenarium-8k", "shipped:bpe-gpt2-8k", "shipped:wordpiece-8k")


@pytest.fixture
def several(qtbot: QtBot) -> Session:
    session = Session()
    session.fill_library(catalogue.offered(ON, [], []))
    qtbot.waitUntil(lambda: not session.opening)
    return session


@pytest.fixture(scope="module")
def text() -> str:
    text = "".join(sample.text() for sample in load_samples())
    while len(text.encode()) <= 2 * encodings.SMALL_TEXT:
        text += text
    return text


def whole(session: Session) -> bool:
    found = [session.encoded(item.key) for item in session.chosen()]
    return all(one is not None and one.complete for one in found)


def check(session: Session) -> None:
    """Compares what the session has with what each tokenizer gives for the text."""
    for item in session.chosen():
        found = there(session.encoded(item.key))
        assert found.encoding is not None
        assert item.tokenizer is not None
        expected = item.tokenizer.encode(session.text, special=session.special)
        assert list(found.encoding.ids) == list(expected.ids)
        assert list(found.encoding.spans) == list(expected.spans)


def test_the_one_before_comes_back_when_the_current_tokenizer_goes(several: Session) -> None:
    several.set_current(ON[1])
    several.set_current(ON[2])
    several.edits.turn_on(ON[2], False)
    assert several.current is several.library.item(ON[1])
    several.edits.undo_stack.undo()
    assert several.current is several.library.item(ON[2])


def test_the_tokenizer_in_front_is_whole_at_once_after_an_edit(
    several: Session, qtbot: QtBot, text: str
) -> None:
    several.set_text(text)
    qtbot.waitUntil(lambda: whole(several))
    several.set_current(ON[1])
    half = len(text) // 2
    several.set_text(text[:half] + "x" + text[half:], edited=True)
    front = there(several.encoded(ON[1]))
    assert front.complete
    assert several.encoded(ON[0]) is None
    qtbot.waitUntil(lambda: whole(several))
    check(several)


def test_edits_that_come_before_all_are_ready_add_up(
    several: Session, qtbot: QtBot, text: str
) -> None:
    several.set_text(text)
    qtbot.waitUntil(lambda: whole(several))
    half = len(text) // 2
    for typed in ("a", "ab", "ab ", "ab 1"):
        several.set_text(text[:half] + typed + text[half:], edited=True)
    several.set_text(text[:half] + "ab 1" + text[half : -len("end")], edited=True)
    qtbot.waitUntil(lambda: whole(several))
    check(several)


def test_nothing_is_taken_over_where_special_tokens_count(
    several: Session, qtbot: QtBot, text: str
) -> None:
    several.set_text(text)
    qtbot.waitUntil(lambda: whole(several))
    several.set_special("all")
    half = len(text) // 2
    several.set_text(text[:half] + "<|endoftext|>" + text[half:], edited=True)
    qtbot.waitUntil(lambda: whole(several))
    check(several)
    ids = there(several.encoded(ON[0]))
    assert 7999 in list(there(ids.encoding).ids)
    several.set_special("none")
    several.set_text(text[:half] + "<|endoftext|>." + text[half:], edited=True)
    qtbot.waitUntil(lambda: whole(several))
    check(several)


def test_one_encoding_is_finished_after_the_other(
    several: Session, qtbot: QtBot, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.work.jobs.SLICE_MS", 0.1)
    finished: list[str] = []

    def note(key: str) -> None:
        found = several.encoded(key)
        if found is not None and found.complete:
            finished.append(key)

    several.encoding_changed.connect(note)
    several.set_current(ON[2])
    several.set_text(text)
    qtbot.waitUntil(lambda: whole(several))
    assert list(dict.fromkeys(finished)) == [ON[2], ON[0], ON[1]]


def test_another_text_takes_over_nothing(
    several: Session, qtbot: QtBot, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []

    def note(
        tokenizer: tc.Tokenizer, old: TextMap, before: ChunkedEncoding, new: TextMap
    ) -> ChunkedEncoding | None:
        taken.append(tokenizer)
        return None

    monkeypatch.setattr(encodings, "edited_encoding", note)
    several.set_text(text)
    qtbot.waitUntil(lambda: whole(several))
    several.set_text(text + text)
    qtbot.waitUntil(lambda: whole(several))
    assert not taken
    several.set_text(text + text + "x", edited=True)
    qtbot.waitUntil(lambda: whole(several))
    assert len(taken) == 3
    check(several)


@pytest.mark.parametrize("size", [1, 20])
def test_the_ends_of_a_text(several: Session, text: str, size: int, qtbot: QtBot) -> None:
    text = text[: size * 20_000]
    several.set_text(text)
    several.set_ends(True, True)
    qtbot.waitUntil(lambda: whole(several))
    for item in several.chosen():
        found = several.encoded(item.key)
        assert item.tokenizer is not None
        assert found is not None
        assert found.encoding is not None
        ends, plain = item.tokenizer.ends, item.tokenizer.encode_ids(text)
        assert list(found.encoding.ids) == [*ends.bos, *plain, *ends.eos]
    several.set_text(f"{text} more", edited=True)
    qtbot.waitUntil(lambda: whole(several))
    found = there(several.encoded(ON[-1]))
    assert found.encoding is not None
    tokenizer = there(several.chosen()[-1].tokenizer)
    expected = tokenizer.encode(several.text, add_bos=True, add_eos=True)
    assert list(found.encoding.ids) == list(expected.ids)
    assert list(found.encoding.spans) == list(expected.spans)
    several.set_ends(False, False)
    qtbot.waitUntil(lambda: whole(several))
    check(several)
