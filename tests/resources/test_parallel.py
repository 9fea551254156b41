"""The parallel sentences: the same number in each language, in its own script, and all of them different."""

from __future__ import annotations

from importlib.resources import files

import pytest

from tokenarium.resources.parallel_index import Translation, load_translations
from tokenarium_core.unicode.codepoints import script_of

SCRIPTS = {
    "ru": "Cyrl", "uk": "Cyrl", "el": "Grek", "ar": "Arab", "he": "Hebr", "fa": "Arab", "hi": "Deva", "bn": "Beng",
    "ta": "Taml", "th": "Thai", "am": "Ethi", "km": "Khmr", "my": "Mymr", "zh": "Hani", "ja": "Hira", "ko": "Hang",
}  # fmt: skip


@pytest.mark.parametrize("translation", load_translations(), ids=lambda one: one.language)
def test_a_translation_is_whole(translation: Translation) -> None:
    sentences = translation.sentences()
    assert len(sentences) == len(load_translations()[0].sentences()) == 10
    assert all(sentence == sentence.strip() and len(sentence) > 8 for sentence in sentences)
    assert len(set(sentences)) == 10
    wanted = SCRIPTS.get(translation.language, "Latn")
    for sentence in sentences:
        assert wanted in {script_of(ord(character)) for character in sentence}
        assert "\ufffd" not in sentence


def test_every_file_is_listed_once() -> None:
    languages = [one.language for one in load_translations()]
    assert len(languages) == len(set(languages)) >= 20
    folder = files("tokenarium.resources") / "parallel"
    assert sorted(f"{language}.txt" for language in languages) == sorted(
        path.name for path in folder.iterdir()
    )
    assert len({"\n".join(one.sentences()) for one in load_translations()}) == len(languages)
