"""The stops of the tour at the workspace Scripts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.scripts.script_bars import Scale
from tokenarium.tour.stops import LARGE, SMALL, Guide, Stop
from tokenarium.views.scripts import CharactersPage, ScriptsView, SharesPage


def script_stops(guide: Guide) -> list[Stop]:
    """Returns the stops."""

    def page(
        page_id: str,
        sample: str = WELCOME,
        scale: Scale = "share",
        size: QSize | None = None,
        script: str = "",
        more: tuple[str, ...] = (),
        alone: bool = False,
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(sample_text(sample) if sample else "")
            if alone:
                for item in window.session.chosen()[1:]:
                    window.session.edits.turn_on(item.key, False)
            window.take_files([guide.small_model(name) for name in more])
            guide.settle()
            window.script_commands.show_page(page_id)
            view = window.workspace
            assert isinstance(view, ScriptsView)
            if isinstance(view.page, SharesPage):
                view.page.set_scale(scale)
            view.refresh()
            if script and isinstance(view.page, CharactersPage):
                table = view.page.table
                found = table.findItems(script, Qt.MatchFlag.MatchExactly)
                table.setCurrentItem(found[0])
            guide.settle()
            window.actions_by_id.refresh()

        return prepare

    def pointed(window: MainWindow) -> None:
        page("vocabulary")(window)
        view = window.workspace
        assert isinstance(view, ScriptsView)
        view.focus_first()
        for _ in range(4):
            QTest.keyClick(window.focusWidget(), Qt.Key.Key_Down)

    def off(window: MainWindow) -> None:
        page("vocabulary")(window)
        for item in window.session.chosen():
            window.session.edits.turn_on(item.key, False)

    six = ("unigram", "wordpiece")
    return [
        ("scripts", "scripts", page("vocabulary")),
        ("scripts-one", "scripts", page("vocabulary", alone=True)),
        ("scripts-six", "scripts", page("vocabulary", more=six, scale="log")),
        ("scripts-difference", "scripts", page("vocabulary", scale="difference")),
        ("scripts-ratio", "scripts", page("vocabulary", scale="ratio")),
        ("scripts-bytes", "scripts", page("vocabulary", scale="bytes", more=six)),
        ("scripts-alone", "scripts", page("vocabulary", scale="ratio", alone=True)),
        ("scripts-large", "scripts", page("vocabulary", size=LARGE, more=six)),
        ("scripts-small", "scripts", page("vocabulary", size=SMALL)),
        ("scripts-pointed", "scripts", pointed),
        ("scripts-text", "scripts", page("text", "mixed")),
        ("scripts-text-arabic", "scripts", page("text", "prose-ar")),
        ("scripts-text-arabic-six", "scripts", page("text", "prose-ar", more=six)),
        ("scripts-text-small", "scripts", page("text", "mixed", size=SMALL, more=six)),
        ("scripts-text-japanese", "scripts", page("text", "prose-ja", more=six)),
        ("scripts-text-empty", "scripts", page("text", "")),
        ("scripts-characters", "scripts", page("characters")),
        ("scripts-han", "scripts", page("characters", script="Han")),
        ("scripts-arabic", "scripts", page("characters", script="Arabic", more=six)),
        ("scripts-hindi", "scripts", page("characters", script="Devanagari", size=SMALL)),
        ("scripts-hebrew", "scripts", page("characters", script="Hebrew")),
        ("scripts-treemap", "scripts", page("treemap")),
        ("scripts-treemap-small", "scripts", page("treemap", size=SMALL)),
        ("scripts-lengths", "scripts", page("lengths", more=six)),
        ("scripts-lengths-one", "scripts", page("lengths", alone=True)),
        ("scripts-lengths-small", "scripts", page("lengths", size=SMALL, more=six)),
        ("scripts-off", "scripts", off),
    ]
