"""The player of steps: where it is, what it says, and that it plays to the end."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from pytestqt.qtbot import QtBot

from tokenarium.widgets.players.step_player import StepPlayer
from tokenarium.widgets.players.transport import Transport


def test_it_says_by_how_many_steps_it_moves(qtbot: QtBot) -> None:
    player, moves = StepPlayer(), []
    player.moved.connect(moves.append)
    player.begin(5)
    player.go_to(3)
    player.go_to(3)
    player.step(-1)
    player.go_to(9)
    player.go_to(-9)
    assert moves == [3, -1, 3, -5]


def test_it_plays_to_the_end_and_begins_again(qtbot: QtBot) -> None:
    player = StepPlayer(interval=1)
    player.play()
    assert not player.playing  # there is nothing to play
    player.begin(3)
    with qtbot.waitSignal(player.playing_changed):
        player.play()
    qtbot.waitUntil(lambda: not player.playing)
    assert player.position == 3
    player.play()
    assert player.position == 0
    player.step(1)
    assert (player.position, player.playing) == (1, False)


def test_it_begins_at_a_step_and_toggles(qtbot: QtBot) -> None:
    player = StepPlayer(interval=10_000)
    player.begin(5, 2)
    assert (player.position, player.length) == (2, 5)
    player.toggle()
    assert player.playing
    player.toggle()
    assert (player.position, player.playing) == (2, False)


def test_the_controls_move_it_and_set_its_pace(qtbot: QtBot) -> None:
    transport, player = Transport([]), StepPlayer()
    qtbot.addWidget(transport)
    transport.set_player(player, 1000)
    player.begin(5)
    transport.moved.emit(3)
    assert player.position == 3
    intervals = [player.interval]
    for step in (1, 1, 1, 1, -1):  # there is no faster one than the last
        transport.change_speed(step)
        intervals.append(player.interval)
    assert intervals == [1000, 500, 250, 125, 125, 250]


def test_the_keys_move_it(qtbot: QtBot) -> None:
    transport, player = Transport([]), StepPlayer()
    qtbot.addWidget(transport)

    def press(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> bool:
        return transport.take_key(QKeyEvent(QKeyEvent.Type.KeyPress, key, held))

    assert not press(Qt.Key.Key_Right)  # there is no player yet
    transport.set_player(player)
    player.begin(5)
    places = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Left, Qt.Key.Key_Home):
        assert press(key)
        places.append(player.position)
    assert places == [1, 5, 4, 0]
    assert press(Qt.Key.Key_Space)
    assert player.playing
    assert not press(Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert not press(Qt.Key.Key_A)
    assert player.playing
    assert press(Qt.Key.Key_Space)
    assert not player.playing
