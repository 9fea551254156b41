"""Which pictures an export writes, and how long each stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tokenarium.models.merges.animation_plan import LAST_MS, Order, seconds, shots

ORDER = Order("gif", Path("a.gif"), 2, 4, 500, True, True, 0, 640, 400, 1.0, False)


def test_a_single_picture_is_of_the_first_step() -> None:
    for kind in ("png", "svg"):
        assert [shot.step for shot in shots(replace(ORDER, kind=kind))] == [2]  # type: ignore[arg-type]


def test_steps_slide_and_then_stay() -> None:
    found = shots(ORDER)
    assert [(shot.step, shot.share) for shot in found] == [
        (2, 1.0),
        *((step, share) for step in (3, 4) for share in (0.25, 0.5, 0.75, 1.0)),
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
