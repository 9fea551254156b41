"""Which word of a text is played: words as Unicode defines them, in scripts with and without spaces."""

from __future__ import annotations

import pytest

from tokenarium.models.merges.played_span import LONGEST_WORD, played_span, words_of
from tokenarium.models.text.text_map import TextMap


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  \n. ", []),
        ("don't pay 3.14, x_y-z", ["don't", "pay", "3.14", "x_y", "z"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("ภาษาไทย a漢字b", ["ภาษาไทย", "a", "漢字", "b"]),
        ("こんにちは、世界 カタカナ", ["こんにちは、世界", "カタカナ"]),
        ("ok 👩\u200d👩\u200d👧 #\ufe0f\u20e3", ["ok", "👩\u200d👩\u200d👧", "#\ufe0f\u20e3"]),
    ],
)
def test_words_are_those_of_unicode(text: str, words: list[str]) -> None:
    utf8 = text.encode()
    assert [utf8[start:end].decode() for start, end in words_of(utf8, LONGEST_WORD)] == words


def test_the_longest_word_is_played_if_nothing_is_selected() -> None:
    text = TextMap("An unbelievable day")
    assert played_span(text, None) == (3, 15)
    assert played_span(text, (0, 2)) == (0, 2)
