"""The bar of work: the share of a progress, and a bar that moves while the total is not known."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tokenarium.models.progress_reporter import stage
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core.progress import Progress


def test_a_share_and_work_of_an_unknown_total(qtbot: QtBot) -> None:
    bar = WorkBar("How far it is")
    qtbot.addWidget(bar)
    assert bar.accessibleName() == "How far it is"
    assert bar.maximum() == 0  # it moves: a dialog whose work has no shares shows it so
    bar.show_progress(stage("Reading"))
    assert bar.maximum() == 0
    bar.show_progress(stage("Reading", 0.25))
    assert bar.value() * 4 == bar.maximum()
    bar.show_progress(Progress("Reading", 3, 4, False))
    assert bar.value() * 4 == bar.maximum() * 3
    bar.show_progress(Progress("Reading", 0, 0, True))
    assert bar.value() == bar.maximum() > 0
