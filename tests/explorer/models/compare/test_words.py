"""The words of a text: by white space, and by ICU's dictionaries in scripts that put none between words."""

from __future__ import annotations

import pytest

from tokenarium.models.compare import words
from tokenarium.models.compare.words import unspaced_characters, word_spans
from tokenarium.resources.parallel_index import load_translations

SENTENCES = {one.language: one.sentences() for one in load_translations()}

with_dictionaries = pytest.mark.skipif(not words.DICTIONARIES, reason="ICU is not installed")


def words_of(text: str) -> list[str]:
    utf8 = text.encode("utf-8", "surrogatepass")
    starts, ends = word_spans(text, utf8)
    return [
        utf8[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


@with_dictionaries
@pytest.mark.parametrize(
    ("language", "line", "first"),
    [
        ("th", 0, ["รถไฟ", "เที่ยว", "เช้า", "ออก", "เจ็ด", "โมง"]),
        ("my", 0, ["မနက်", "ခင်း", "ရထား"]),
        ("km", 1, ["ជីដូន", "របស់ខ្ញុំ", "រក្សាទុក"]),
        ("ja", 0, ["朝", "の", "列車", "は", "七"]),
        ("zh", 0, ["早班", "火车", "七", "点", "开"]),
    ],
)
def test_words_of_scripts_without_spaces(language: str, line: int, first: list[str]) -> None:
    sentence = SENTENCES[language][line]
    found = words_of(sentence)
    assert found[: len(first)] == first
    assert all(any(character.isalnum() for character in word) for word in found)
    assert unspaced_characters(sentence) == 0


@with_dictionaries
def test_words_with_spaces_are_as_without_dictionaries(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(SENTENCES["am"] + SENTENCES["ko"] + SENTENCES["yo"] + SENTENCES["hi"])
    found = words_of(text)
    monkeypatch.setattr(words, "DICTIONARIES", False)
    assert found == words_of(text)
    assert found[:3] == ["በጠዋት", "የሚሄደው", "ባቡር"]


@with_dictionaries
def test_a_word_of_two_scripts_is_divided_alone() -> None:
    text = "😀 (Tokyo), 東京はiPhone、x\ud800東京 end."
    assert words_of(text)[:2] == ["😀", "(Tokyo),"]
    assert words_of(text)[-1] == "end."
    assert {"東京", "iPhone"} < set(words_of(text))


@pytest.mark.usefixtures("words_by_spaces")
def test_words_by_spaces() -> None:
    sentence = SENTENCES["th"][0]
    assert words_of(f"one {sentence}\u200btwo") == ["one", sentence, "two"]
    assert unspaced_characters(f"one {sentence}") == len(sentence)
