"""Animations of the players: which pictures they have, and what is written of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from narrowed import of_kind
from PIL import Image, ImageSequence
from played_models import trained
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QTransform
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot
from running import run_through
from small_files import new_folder, write_file
from small_models import write_wordpiece
from windows import emitted, shown_in

from tokenarium.app.window import MainWindow
from tokenarium.pictures.gif_file import COLOURS, ColourCodes, GifFile, Palette
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.views.merges import MergesView
from tokenarium.views.workspace import Page
from tokenarium.widgets.players.animation import Animation, PlayerAnimation
from tokenarium.widgets.players.animation_dialog import KINDS
from tokenarium.widgets.players.animation_job import (
    LAST_MS,
    AnimationJob,
    Kind,
    Order,
    seconds,
    shots,
)
from tokenarium.widgets.players.merge_body import MergeBody

ORDER = Order("gif", Path("a.gif"), 2, 4, 500, True, True, 0, 640, 400, 1.0, False)


def test_a_single_picture_is_of_the_first_step() -> None:
    for kind in ("png", "svg"):
        assert [shot.step for shot in shots(replace(ORDER, kind=kind))] == [2]  # type: ignore[arg-type]


def test_steps_slide_and_then_stay() -> None:
    found = shots(ORDER)
    assert [(shot.step, shot.share) for shot in found] == [
        (2, 1.0),
        *((step, part / 7) for step in (3, 4) for part in range(1, 8)),
    ]
    assert sum(shot.ms for shot in found if shot.step == 3) == 500
    assert found[-1].ms == LAST_MS
    assert all(shot.ms % 10 == 0 for shot in found)


@pytest.mark.parametrize("step_ms", [20, 50, 62, 125, 2000])
@pytest.mark.parametrize("moving", [True, False])
def test_any_speed(step_ms: int, moving: bool) -> None:
    found = shots(replace(ORDER, step_ms=step_ms, moving=moving))
    assert [shot.step for shot in found if shot.share == 1.0] == [2, 3, 4]
    assert all(shot.ms >= 20 for shot in found)
    if not moving:
        assert len(found) == 3
    third = sum(shot.ms for shot in found if shot.step == 3)
    assert third <= max(20, step_ms) or third <= 80


@pytest.mark.parametrize("fps", [25, 30, 60])
def test_a_animation_has_so_many_frames_a_second(fps: int) -> None:
    order = replace(ORDER, kind="frames", fps=fps)
    found = shots(order)
    assert len(found) == (2 * 500 + LAST_MS) * fps // 1000
    assert found[0].step == 2
    assert (found[-1].step, found[-1].share) == (4, 1.0)
    assert [shot.step for shot in found] == sorted(shot.step for shot in found)
    assert any(shot.share < 1.0 for shot in found)
    assert all(shot.share == 1.0 for shot in shots(replace(order, moving=False)))


def test_seconds() -> None:
    assert seconds(shots(replace(ORDER, moving=False))) == pytest.approx(1.0 + LAST_MS / 1000)


SIZE = (480, 320)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def show(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Callable[[str], Page]:
    """Shows a page with something to play, for one of the models."""

    def prepare(what: str) -> Page:
        window.session.set_text("Unbelievable merging")
        if what in ("unigram", "wordpiece"):
            unigram = write_file(
                tmp_path / "unigram.model", trained("unigram", 600, byte_fallback=True)
            )
            path = unigram
            if what == "wordpiece":
                path = tmp_path / "vocab.txt"
                write_wordpiece(unigram, path)
            window.take_files([path])
            qtbot.waitUntil(lambda: not window.session.opening)
            window.session.set_current(f"file:{path}")
        window.merge_commands.show_page("sizes" if what == "sizes" else "steps")
        view = shown_in(window, MergesView)
        if what == "sizes":
            view.page.recut()  # type: ignore[attr-defined]
        else:
            view.steps.replay()
        assert view.page.has_animation
        return view.page

    return prepare


def order(animation: Animation, kind: Kind, path: Path, **changes: object) -> Order:
    last = min(animation.length, 3)
    made = Order(kind, path, 0, last, animation.step_ms, True, True, 0, *SIZE, 1.0, False)
    return replace(made, **changes)  # type: ignore[arg-type]


def run(job: AnimationJob) -> None:
    run_through(job, 8.0)


def animation_of(page: Page, dark: bool = False) -> Animation:
    animation = page.animation(DARK if dark else LIGHT)
    assert animation is not None
    return animation


def pixels(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.asarray(Image.open(path).convert("RGB")).astype(np.int64)


@pytest.mark.parametrize("what", ["bpe", "unigram", "wordpiece", "sizes"])
def test_an_animation_has_every_step(
    show: Callable[[str], Page], tmp_path: Path, what: str
) -> None:
    page = show(what)
    player = page.player
    assert player is not None
    before = player.position
    animation = animation_of(page)
    ordered = order(animation, "gif", tmp_path / "steps.gif")
    run(AnimationJob(animation, ordered))
    last = animation_of(page)
    run(AnimationJob(last, order(last, "png", tmp_path / "last.png", first=ordered.last)))
    with Image.open(ordered.path) as gif:
        assert gif.size == SIZE
        assert gif.info["loop"] == 0
        frames = [(f.info["duration"], f.convert("RGB")) for f in ImageSequence.Iterator(gif)]
    assert sum(ms for ms, _ in frames) == sum(shot.ms for shot in shots(ordered))
    assert 2 <= len(frames) <= len(shots(ordered))
    away = np.abs(np.asarray(frames[-1][1]).astype(np.int64) - pixels(tmp_path / "last.png"))
    assert away.mean() < 1.0
    assert (away.max(axis=2) == 0).mean() > 0.9
    assert player.position == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_numbered_pictures_are_those_of_the_steps(
    show: Callable[[str], Page], tmp_path: Path
) -> None:
    page = show("bpe")
    animation = animation_of(page, dark=True)
    ordered = order(animation, "frames", tmp_path / "frames", moving=False, scale=2.0, dark=True)
    run(AnimationJob(animation, ordered))
    files = sorted((tmp_path / "frames").iterdir())
    assert [path.name for path in files] == [
        f"frames-{number:05}.png" for number in range(1, ordered.last + 2)
    ]
    for step in (0, ordered.last):
        single = animation_of(page, dark=True)
        path = tmp_path / f"{step}.png"
        run(AnimationJob(single, order(single, "png", path, first=step, scale=2.0, dark=True)))
        with Image.open(path) as picture:
            assert picture.size == (2 * SIZE[0], 2 * SIZE[1])
        assert (pixels(path) == pixels(files[step])).all()
    ground = (pixels(files[0]) == DARK.surface.getRgb()[:3]).all(axis=2)
    assert ground.mean() > 0.3


def test_a_animation_of_frames_repeats_what_stays(
    show: Callable[[str], Page], tmp_path: Path
) -> None:
    animation = animation_of(show("bpe"))
    ordered = order(animation, "frames", tmp_path / "animation", fps=25, last=1)
    run(AnimationJob(animation, ordered))
    contents = [path.read_bytes() for path in sorted((tmp_path / "animation").iterdir())]
    assert len(contents) == len(shots(ordered)) == 75
    assert contents[0] == contents[5]
    assert 2 < len(set(contents)) < 20  # some on the way


@pytest.mark.parametrize("what", ["bpe", "unigram", "wordpiece", "sizes"])
def test_an_svg_can_be_read(show: Callable[[str], Page], tmp_path: Path, what: str) -> None:
    animation = animation_of(show(what))
    path = tmp_path / "step.svg"
    run(AnimationJob(animation, order(animation, "svg", path, first=1)))
    renderer = QSvgRenderer(str(path))
    assert renderer.isValid()
    box = renderer.viewBox()
    assert (box.width(), box.height()) >= SIZE  # larger where the picture would not be whole
    assert box.width() / box.height() == pytest.approx(SIZE[0] / SIZE[1], rel=0.01)
    assert "<text" in path.read_text("utf-8")


@pytest.mark.parametrize("what", ["bpe", "unigram", "wordpiece", "sizes"])
def test_an_svg_keeps_what_is_scrolled_to_its_room(
    show: Callable[[str], Page], tmp_path: Path, what: str
) -> None:
    animation = animation_of(show(what))
    path = tmp_path / "step.svg"
    run(AnimationJob(animation, order(animation, "svg", path, first=animation.length // 2)))
    scrolled = (
        widget
        for kind in (QAbstractScrollArea, QLineEdit)
        for widget in animation.widget.findChildren(kind)
    )
    seen = [widget for widget in scrolled if widget.isVisibleTo(animation.widget)]
    picture = ElementTree.parse(path).getroot()
    rooms = {
        f"url(#{clip.get('id')})": (float(rect.get("width", 0)), float(rect.get("height", 0)))
        for clip in picture.iter(f"{SVG}clipPath")
        for rect in clip
        if "room" in clip.get("id", "")
    }
    groups = [group for group in picture.iter(f"{SVG}g") if group.get("clip-path") in rooms]
    assert len(groups) == len(rooms) == len(seen) > 0
    places = [QRectF(*moved(group, 0, 0), *rooms[group.get("clip-path", "")]) for group in groups]
    clipped = {text for group in groups for text in group.iter(f"{SVG}text")}
    assert clipped
    whole = QRectF(0, 0, *[float(n) for n in picture.get("viewBox", "").split()[2:]])
    assert all(whole.contains(place) for place in places)
    for group in picture.findall(
        f"{SVG}g/{SVG}g/{SVG}g"
    ):  # what is beside the rooms, as Qt draws it
        for text in group.iter(f"{SVG}text"):
            if text not in clipped:
                place = QPointF(*moved(group, float(text.get("x", 0)), float(text.get("y", 0))))
                assert whole.contains(place)
                assert not any(room.contains(place) for room in places)


def moved(group: ElementTree.Element, x: float, y: float) -> tuple[float, float]:
    """Returns where a group of a picture moves a point."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", group.get("transform", ""))]
    place = QTransform(*[*(1, 0, 0, 1)[: 6 - len(numbers)], *numbers]).map(QPointF(x, y))
    return place.x(), place.y()


@pytest.mark.parametrize("size", [(480, 320), (320, 200), (900, 300), (300, 900)])
def test_stage_and_tree_are_whole_in_any_size(
    show: Callable[[str], Page], size: tuple[int, int]
) -> None:
    animation = of_kind(animation_of(show("bpe")), PlayerAnimation)
    animation.set_up(LIGHT, QSize(*size))
    (lane,) = animation.lanes
    assert isinstance(lane.body, MergeBody)
    for step in range(animation.length + 1):
        animation.show_step(step)
        picture = animation.picture(2.0)
        assert (picture.width(), picture.height()) == pytest.approx(
            (2 * size[0], 2 * size[1]), abs=2
        )
        stage, room = lane.body.stage, lane.body.area.viewport()
        assert room.width() >= stage.minimumSizeHint().width()
        assert room.height() >= stage.minimumSizeHint().height()
        assert not lane.queue.isVisible()


@pytest.mark.parametrize("what", ["bpe", "sizes"])
def test_a_webp_has_the_same_pictures_for_as_long(
    show: Callable[[str], Page], tmp_path: Path, what: str
) -> None:
    animation = animation_of(show(what))
    ordered = order(animation, "webp", tmp_path / "steps.webp", moving=False)
    run(AnimationJob(animation, ordered))
    with Image.open(ordered.path) as webp:
        assert webp.size == pytest.approx(SIZE, abs=1)
        frames = []
        for frame in ImageSequence.Iterator(webp):
            frame.load()
            frames.append((frame.info["duration"], frame.convert("RGB")))
    assert sum(ms for ms, _ in frames) == sum(shot.ms for shot in shots(ordered))
    last = animation_of(show(what))
    run(AnimationJob(last, order(last, "png", tmp_path / "last.png", first=ordered.last)))
    assert (np.asarray(frames[-1][1]) == pixels(tmp_path / "last.png")).all()


def test_nothing_is_left_of_a_cancelled_export(show: Callable[[str], Page], tmp_path: Path) -> None:
    page = show("bpe")
    there = write_file(tmp_path / "there.gif", b"as it was")
    for kind, path in (("gif", there), ("frames", tmp_path / "frames")):
        animation = animation_of(page)
        job = AnimationJob(animation, order(animation, kind, path))  # type: ignore[arg-type]
        for _ in range(9):
            job.step(8.0)
        job.cancel()
        job.cancel()
        assert not animation.widget.isVisible()
    assert [path.name for path in tmp_path.iterdir() if path != there and "gif" in path.name] == []
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())
    assert not (tmp_path / "frames").exists()
    assert there.read_bytes() == b"as it was"


def test_the_job_can_be_cancelled_in_the_window(
    window: MainWindow, show: Callable[[str], Page], tmp_path: Path, qtbot: QtBot
) -> None:
    animation = animation_of(show("bpe"))
    commands = window.merge_commands.animations
    commands.write(animation, order(animation, "gif", tmp_path / "a.gif"))
    jobs = window.session.jobs
    assert [job.title for job in jobs.running()] == ["Exporting a.gif"]
    qtbot.waitUntil(lambda: any(job.progress.done > 1 for job in jobs.running()))
    jobs.cancel_all()
    assert list(tmp_path.glob("*.gif")) == []
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["gif", "frames", "png", "svg"])
def test_what_cannot_be_written_is_reported(
    window: MainWindow, show: Callable[[str], Page], tmp_path: Path, qtbot: QtBot, kind: Kind
) -> None:
    animation = animation_of(show("bpe"))
    problems: list[str] = emitted(window.session.problem)
    path = tmp_path / "nowhere" / "a"
    window.merge_commands.animations.write(animation, order(animation, kind, path))
    qtbot.waitUntil(lambda: bool(problems))
    assert problems == [f"{path} cannot be written: {os.strerror(2)}."]
    exporting = [job for job in window.session.jobs.running() if job.title.startswith("Exporting")]
    assert not exporting  # others may run still, as that of graphemes


def test_a_full_disk_leaves_nothing(
    show: Callable[[str], Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    animation = animation_of(show("bpe"))
    job = AnimationJob(animation, order(animation, "gif", tmp_path / "a.gif"))

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(GifFile, "add", full)
    with pytest.raises(Exception, match=os.strerror(28)):
        run(job)
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())
    assert not (tmp_path / "a.gif").exists()


def test_frames_never_mix_with_what_is_there(show: Callable[[str], Page], tmp_path: Path) -> None:
    animation = animation_of(show("bpe"))
    folder = new_folder(tmp_path / "mine")
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(Exception, match="already exists"):
        run(AnimationJob(animation, order(animation, "frames", folder)))
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_few_colours_stay_exact(tmp_path: Path) -> None:
    image = Image.new("RGB", (40, 20), (253, 251, 249))
    image.paste((1, 2, 3), (3, 3, 9, 9))
    palette = Palette()
    palette.look_at(image)
    moved = Image.new("RGB", (40, 20), (253, 251, 249))
    moved.paste((1, 2, 3), (5, 3, 11, 9))
    gif = GifFile(tmp_path / "a.gif", (40, 20), palette.colours(), loop=False)
    for one, ms in ((image, 100), (image, 50), (moved, 80)):
        gif.add(one, ms)
    gif.finish()
    with Image.open(tmp_path / "a.gif") as read:
        assert "loop" not in read.info
        frames = [(f.info["duration"], f.convert("RGB")) for f in ImageSequence.Iterator(read)]
    assert [ms for ms, _ in frames] == [150, 80]
    assert frames[0][1].tobytes() == image.tobytes()
    assert frames[1][1].tobytes() == moved.tobytes()


def test_many_colours_keep_the_frequent_ones() -> None:
    shades = np.arange(64, dtype=np.uint8) * 4
    pixels = np.stack(np.meshgrid(shades, shades, np.uint8([9])), axis=-1).reshape(64, 64, 3)
    image = Image.fromarray(np.concatenate([pixels, np.full((64, 64, 3), 255, np.uint8)]))
    palette = Palette()
    palette.look_at(image)
    colours = palette.colours()
    assert len(colours) <= COLOURS
    assert colours[0] == (255, 255, 255)
    codes = ColourCodes([part for colour in colours for part in colour])
    coded = codes.of(np.asarray(image))
    found = np.array(colours)[coded].astype(np.int64)
    assert np.abs(found - np.asarray(image)).mean() < 12
    assert (found[64:] == 255).all()


def test_the_dialog_asks_and_the_file_is_written(
    window: MainWindow,
    show: Callable[[str], Page],
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = show("bpe")
    action = window.actions_by_id["export_steps"]
    window.actions_by_id.refresh()
    assert action.isEnabled()
    for place, (kind, _) in enumerate(KINDS):
        path = tmp_path / f"out-{kind}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, p=path, **__: (str(p), ""))
        action.trigger()
        dialog = window.merge_commands.animations.dialog
        assert dialog is not None
        dialog.kind.setCurrentIndex(place)
        dialog.last.setValue(1)
        dialog.speed.setCurrentIndex(dialog.speed.count() - 1)  # few pictures on the way
        dialog.pixels[0].setValue(SIZE[0])
        dialog.pixels[1].setValue(SIZE[1])
        dialog.show_preview()
        assert not dialog.preview.pixmap().isNull()
        assert f"{SIZE[0]} × {SIZE[1]}" in dialog.estimate.text()
        assert dialog.order().kind == kind
        QTest.mouseClick(dialog.export, Qt.MouseButton.LeftButton)
        written = path if kind == "frames" else path.with_suffix(f".{kind}")
        qtbot.waitUntil(lambda at=written: at.exists() and not window.session.jobs.running())
        assert window.messages.label.text() == f"Saved {written.name} in {tmp_path}"
    assert page.player is not None
    window.session.set_text("")
    page.replay()  # type: ignore[attr-defined]
    window.actions_by_id.refresh()
    assert not action.isEnabled()


def test_the_dialog_begins_with_the_step_in_sight(
    window: MainWindow, show: Callable[[str], Page]
) -> None:
    page = show("bpe")
    assert page.player is not None
    page.player.go_to(3)
    window.merge_commands.animations.export_steps()
    dialog = window.merge_commands.animations.dialog
    assert dialog is not None
    assert (dialog.first.value(), dialog.last.value()) == (0, page.player.length)
    dialog.kind.setCurrentIndex(3)
    assert dialog.order().first == dialog.order().last == 3
    dialog.colours.setCurrentIndex(1 - dialog.colours.currentIndex())
    dialog.show_preview()
    dialog.reject()
    assert page.player.position == 3
