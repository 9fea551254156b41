"""The sample texts are what their manifest says: encoded, normalized, in the scripts declared."""

from __future__ import annotations

import ast
import json
import unicodedata
from importlib.resources import files

import pytest
from fontTools.unicodedata import script

from tokenarium.resources.samples_index import Sample, load_samples

SAMPLES = load_samples()
PROSE = [sample for sample in SAMPLES if sample.group == "Prose by language"]
HARD = [sample for sample in SAMPLES if sample.group == "Hard cases"]
GROUPS = [
    "Welcome", "Prose by language", "Code", "Numbers and symbols", "Emoji", "Mixed", "Hard cases",
]  # fmt: skip
NO_SCRIPT = {"Zyyy", "Zinh", "Zzzz"}  # common, inherited, unknown

each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
each_prose = pytest.mark.parametrize("sample", PROSE, ids=lambda sample: sample.id)


def letters(text: str) -> list[str]:
    return [c for c in text if unicodedata.category(c).startswith("L")]


def scripts_of(text: str) -> tuple[str, ...]:
    return tuple(sorted({script(c) for c in letters(text)} - NO_SCRIPT))


def by_id(name: str) -> Sample:
    return next(sample for sample in SAMPLES if sample.id == name)


def test_groups_are_in_the_order_of_the_menu() -> None:
    assert list(dict.fromkeys(sample.group for sample in SAMPLES)) == GROUPS
    assert SAMPLES[0].id == "welcome"


@pytest.mark.parametrize("group", GROUPS)
def test_samples_of_a_group_are_sorted_by_title(group: str) -> None:
    titles = [sample.title for sample in SAMPLES if sample.group == group]
    assert titles == sorted(titles)


def test_manifest_and_folder_name_the_same_files() -> None:
    folder = files("tokenarium.resources") / "samples"
    assert sorted(sample.file for sample in SAMPLES) == sorted(f.name for f in folder.iterdir())


def test_ids_are_unique_and_name_the_file() -> None:
    ids = [sample.id for sample in SAMPLES]
    assert len(set(ids)) == len(ids)
    assert [sample.file for sample in SAMPLES] == [f"{name}.txt" for name in ids]


@each
def test_text_ends_with_a_newline(sample: Sample) -> None:
    assert sample.text().endswith("\n")


@each
def test_declared_scripts_are_those_of_the_letters(sample: Sample) -> None:
    assert sample.scripts == scripts_of(sample.text())


@each
def test_direction_is_that_of_most_letters(sample: Sample) -> None:
    text = letters(sample.text())
    backwards = sum(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    assert sample.direction == ("rtl" if 2 * backwards > len(text) else "ltr")


@each
def test_about_is_one_line_without_a_full_stop(sample: Sample) -> None:
    assert sample.about.strip() == sample.about
    assert "\n" not in sample.about
    assert not sample.about.endswith(".")


@pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s not in HARD], ids=lambda sample: sample.id
)
def test_ordinary_text_is_composed_and_has_unix_line_ends(sample: Sample) -> None:
    text = sample.text()
    assert unicodedata.is_normalized("NFC", text)
    assert not set(text) & {"\r", "\ufeff", "\ufffd", "\x00"}


@each_prose
def test_prose_is_a_few_paragraphs_of_two_to_four_kilobytes(sample: Sample) -> None:
    text = sample.text()
    paragraphs = text.removesuffix("\n").split("\n\n")
    assert 1_900 <= len(text.encode()) <= 4_100
    assert len(paragraphs) >= 6  # a title, and five or more
    assert not any(line != line.strip() for line in text.split("\n"))
    assert "  " not in text


def test_prose_covers_many_languages_and_scripts() -> None:
    assert len({sample.language for sample in PROSE}) == len(PROSE) >= 24
    assert len({name for sample in PROSE for name in scripts_of(sample.text())}) >= 14


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", "äöüß»"),
        ("fr", "éèêœ\u00a0"),
        ("es", "ñ¿¡áí"),
        ("pt", "ãõçê"),
        ("pl", "ąćęłńóśźż"),
        ("tr", "ıİğşç"),
        ("fi", "äö"),
        ("vi", "ạếữđơ"),
        ("uk", "іїєґ"),
        ("ru", "ыэъё"),
        ("el", "ςσά·"),
        ("he", "\u05b7\u05f3\u05f4"),
        ("ar", "\u0651\u064bىة"),
        ("fa", "\u200cپچگکی"),
        ("hi", "\u094d\u093c।"),
        ("bn", "\u09cd\u09bc।"),
        ("am", "።፤፣"),
        ("hy", "։՞՝"),
    ],
)
def test_letters_that_make_a_language_occur(language: str, expected: str) -> None:
    text = by_id(f"prose-{language}").text()
    assert [c for c in expected if c not in text] == []


def test_welcome_fits_on_one_screen_and_shows_a_bit_of_everything() -> None:
    text = by_id("welcome").text()
    assert 1_000 <= len(text) <= 1_300
    assert {"Arab", "Deva", "Hira", "Latn"} <= set(scripts_of(text))
    assert all(piece in text for piece in ("\u200d", "    return", "1999", "n't"))


@pytest.mark.parametrize(
    ("emoji", "size"),
    [("🙂", 4), ("❤\ufe0f", 6), ("👩🏽\u200d🚀", 15)],
    ids=["smile", "heart", "astronaut"],
)
def test_welcome_counts_the_bytes_of_its_emoji_right(emoji: str, size: int) -> None:
    assert emoji in by_id("welcome").text()
    assert len(emoji.encode()) == size


def test_code_is_indented_as_said_and_parses() -> None:
    assert "\n\t\t" in by_id("code-c").text()
    assert "\n    " not in by_id("code-c").text()
    assert "\t" not in by_id("code-python").text()
    assert ast.parse(by_id("code-python").text()).body
    assert json.loads(by_id("code-json").text())["messages"]["path"] == r"C:\data\tides\2026\03"


def test_numbers_hold_all_ten_digits_of_many_scripts() -> None:
    text = by_id("numbers").text()
    zeros = [c for c in dict.fromkeys(text) if unicodedata.digit(c, -1) == 0 and c.isdecimal()]
    whole = [c for c in zeros if all(chr(ord(c) + i) in text for i in range(10))]
    assert len(whole) >= 15


def test_emoji_hold_tones_joiners_flags_and_keycaps() -> None:
    text = by_id("emoji").text()
    assert all(chr(tone) in text for tone in range(0x1F3FB, 0x1F400))
    assert "👨\u200d👩\u200d👧\u200d👦" in text
    assert "🇯🇵" in text
    assert "7\ufe0f\u20e3" in text
    assert "\U000e007f" in text  # the end of a flag made of tag characters


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hard-blanks", ["\ufeff", "\t\n", "   \n", "\r\n", "Macintosh\r", "\u00a0", "\u3000", "\x00"]),
        ("hard-blanks", ["\u200b", "\u200c", "\u200d", "\u2028", "\u2029", "\x85", "\x0b", "\x0c"]),
        ("hard-unicode", ["cafe\u0301", "caf\u00e9", "\u202e", "\ufffd", "\U00010414", "𝐓", "\uffff"]),
        ("hard-strings", ["<|endoftext|>", "SolidGoldMagikarp", "it'\u017f", "\u2581word", "9.11"]),
        ("hard-long", ["a" * 100, "0" * 60, "https://", "😂😂😂", "base64,"]),
    ],
)  # fmt: skip
def test_hard_cases_hold_what_breaks_tokenizers(name: str, expected: list[str]) -> None:
    text = by_id(name).text()
    assert [piece for piece in expected if piece not in text] == []


def test_direction_overrides_are_closed_on_their_own_line() -> None:
    for line in by_id("hard-unicode").text().split("\n"):
        opened = sum(line.count(c) for c in "\u202a\u202b\u202d\u202e")
        isolated = sum(line.count(c) for c in "\u2066\u2067\u2068")
        assert (line.count("\u202c"), line.count("\u2069")) == (opened, isolated)


def test_byte_order_mark_and_mixed_line_ends_survive_reading() -> None:
    text = by_id("hard-blanks").text()
    assert text.startswith("\ufeff")
    assert text.count("\r\n") >= 4
    assert text.count("\r") > text.count("\r\n")
