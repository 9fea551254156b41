"""Each attack on lessons and handouts finds a fault that is planted for it, and without it finds none."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER)]

import handouts  # noqa: E402 - found by the path above
import lessons  # noqa: E402
from attack import Attack, chance_of  # noqa: E402

from tokenarium.app import lesson_list  # noqa: E402
from tokenarium.models.lessons import answers, handout, lesson, toml  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("qapp"),
    pytest.mark.skipif(sys.platform == "win32", reason="its cases have pipes"),
]

ATTACKS = {attack.name: attack for attack in (*lessons.ATTACKS, *handouts.ATTACKS)}
MOST_CASES = 60
"""In so many cases a planted fault is found."""

Plant = Callable[[pytest.MonkeyPatch], None]


def stop_at_the_first_fault(patch: pytest.MonkeyPatch) -> None:
    read = lesson_list.LessonReading._read

    def stopping(self: lesson_list.LessonReading) -> None:
        read(self)
        if self.faults:
            self._at = len(self._paths)

    patch.setattr(lesson_list.LessonReading, "_read", stopping)


PLANTS: dict[str, tuple[Plant, str]] = {
    "lessons-folder": (stop_at_the_first_fault, "a good lesson is not listed"),
    "lessons-toml": (
        lambda patch: patch.setattr(toml, "_refuse_values", lambda values: None),
        "a number is too large|a value is not one of JSON",
    ),
    "lessons-expressions": (
        lambda patch: patch.setattr(answers, "MOST_CHARACTERS", 10**6),
        "a value is too large|a text with values is too long",
    ),
    "lessons-checked": (
        lambda patch: patch.setattr(lesson, "MOST_EXPRESSIONS", 10**6),
        "it has too many expressions",
    ),
    "lessons-prose": (
        lambda patch: patch.setattr(Path, "is_relative_to", lambda self, other: True),
        "a picture from elsewhere is shown",
    ),
    "handouts-page": (
        lambda patch: patch.setattr(handout, "WEB", re.compile("")),
        "the page loads or runs",
    ),
    "handouts-pdf": (
        lambda patch: patch.setattr(handouts, "pdf_of", lambda found: b"%PDF /JavaScript"),
        "the PDF has a program in it",
    ),
}


def first_fault(attack: Attack, folder: Path, patch: pytest.MonkeyPatch) -> str:
    """Returns what the first of some cases that fails says; empty if none does."""
    for number in range(MOST_CASES):
        place = folder / str(number)
        place.mkdir()
        patch.chdir(place)
        patch.setenv("TOKENARIUM_DATA", str(place))
        try:
            attack.run(attack.make(chance_of(3, attack.name, number)))
        except AssertionError as error:
            return str(error)
    return ""


def test_each_attack_has_a_planted_fault() -> None:
    assert set(PLANTS) == set(ATTACKS)


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_fault_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, said = PLANTS[name]
    plant(monkeypatch)
    assert re.search(said, first_fault(ATTACKS[name], tmp_path, monkeypatch))
