"""Links from strangers: scenes with faults, letters that were changed on the way, bombs, and files that they name."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from random import Random

import session_window as shown
import zoo
from attack import Attack, Case, check_sentence
from planting import no_sentence, patched
from small_vocabularies import of_pieces

from tokenarium.models.scene import (
    LINK,
    MOST_LINKED_VALUES,
    Scene,
    SceneError,
    SceneText,
    read_link,
    scene_link,
)


def link_of(data: bytes) -> str:
    """Returns a link to what some bytes are as JSON."""
    return LINK + base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


def _open(link: str) -> str:
    """Opens a link in the window, and shows what it has besides files of this computer."""
    made = shown.window()
    shown.begin_again(made)
    with shown.looked_at(made):
        made.files.open_link(link)
        boxes = shown.questions(made)
        assert len(boxes) <= 1, "several questions are asked of one link"
        if boxes:
            assert shown.state(made)[0] == shown.BASE, (
                "a link is shown before the user has answered"
            )
            assert len(boxes[0].informativeText()) < 3000, "a question lists too much"
            next(one for one in boxes[0].buttons() if one.text() == "Show the rest").click()
        shown.rest(made)
        files = shown.state(made)[2]
        shows = shown.state(made)[0] == SECRET
        assert not shows, "a link shows a file that no one was asked about"
        assert not files, f"a link opens a file that no one was asked about: {files[0][:200]}"
    return "asked" if boxes else "shown"


def make_values(chance: Random) -> Case:
    """Returns a link to a scene with faults, some of which name files."""
    scene = shown.scene_of(chance)
    if chance.random() < 0.5:
        scene["tokenizers"] = [{"key": f"file:{chance.choice(FILES)}"} for _ in range(3)]
    if chance.random() < 0.3:
        scene["text"] = {chance.choice(["file", "beside"]): chance.choice(FILES)}
    return {"json": shown.written(scene)}


FILES = [
    *("@tokenizer@", "@tokenizer@", "@text@", "@text@", "/etc/hostname", "/dev/null", "/etc", "~"),
    *("../a", "a.txt", "/nowhere/a\u202eb", "/a\0b", "/\ud800"),
]
SECRET = "what no link is to show"


def run_values(case: Case) -> str:
    """Opens it in a window: files only once the user agrees, and all of it can be undone."""
    tokenizer, text = Path("a.json").absolute(), Path("a.txt").absolute()
    of_pieces(zoo.PIECES).save(tokenizer, "huggingface")
    text.write_text(SECRET)
    data = case["json"].replace(b"@tokenizer@", str(tokenizer).encode())
    return _open(link_of(data.replace(b"@text@", str(text).encode())))


def make_letters(chance: Random) -> Case:
    """Returns a link of which letters were changed, lost or added."""
    text = SceneText(zoo.text_of(chance, 40))
    link = list(scene_link(Scene(text=text, workspace="merges", pages={"merges": {"step": 3}})))
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(link))
        link[at : at + chance.randrange(3)] = chance.choice(
            ["", "A", "=", "-", "%41", "/", "\n ", "é", "\ud800", "\0", "?#", "//"]
        )
    return {"link": "".join(link)}


def run_letters(case: Case) -> str:
    """Reads it: a scene or a sentence."""
    try:
        found = read_link(case["link"])
    except SceneError as error:
        check_sentence(error)
        return "refused"
    shown.check_bounded(found.scene, MOST_LINKED_VALUES)
    return "read"


def run_bulk(case: Case) -> str:
    """Opens a link with much of one thing, or a bomb: little is unpacked, and a few lines are said of it."""
    link = link_of(shown.bulk_text(case["kind"], case["count"]).encode())
    try:
        found = read_link(link)
    except SceneError as error:
        check_sentence(error)
        return "refused"
    shown.check_bounded(found.scene, MOST_LINKED_VALUES)
    return _open(link)


ATTACKS = [
    Attack(
        "links-values",
        make_values,
        run_values,
        seconds=40.0,
        patience=120.0,
        planted={
            "no one was asked about": patched(
                "tokenarium.app.scene_commands.named_files", lambda scene: []
            )
        },
    ),
    Attack(
        "links-letters",
        make_letters,
        run_letters,
        planted={"is no sentence": patched("tokenarium.models.scene.read_json", no_sentence)},
    ),
    Attack(
        "links-bulk",
        shown.case_of_bulk,
        run_bulk,
        seconds=40.0,
        patience=120.0,
        planted={"too much was read": shown.UNBOUNDED},
    ),
]
