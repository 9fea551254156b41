"""The program of each page runs, and makes the figures that the page shows."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from narrowed import of_kind, there
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTreeWidget
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import emitted, trigger

from tokenarium.app.window import MainWindow
from tokenarium.models.programs import MOST_TEXT, rows_of
from tokenarium.models.text.piece import plain
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.vocabulary.used_merges import used_merge_lines
from tokenarium.views.tokens import TokensView

TEXT = "An unbelievable text: naïve 東京 3.14, don't!\r\n\tनमस्ते 👩‍🚀 of the 2024"
ON = ("shipped:tokenarium-8k", "shipped:superbpe-8k", "shipped:unigram-8k", "shipped:wordpiece-8k")

Names = dict[str, Any]


def ran(code: str) -> Names:
    """Returns the names that a program made; it has to print its rows."""
    names: Names = {"__name__": "__main__"}
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "program", "exec"), names)
    if names["rows"]:
        assert all(name in printed.getvalue() for name in names["rows"][0])
    return names


@pytest.fixture
def four(window: MainWindow) -> MainWindow:
    """The window with the shipped tokenizers of each kind of model, and a text of many kinds of characters."""
    for key in ON:
        window.session.edits.turn_on(key, True)
    window.session.set_text(TEXT)
    return window


def shown(window: MainWindow, qtbot: QtBot, workspace: str, page: str = "") -> Any:
    """Returns a page, or a workspace without pages, once it shows its figures."""
    window.show_workspace(workspace)
    qtbot.waitUntil(lambda: all(one.tokenizer for one in window.session.library if one.on))
    if page:
        window.workspace.show_page(page)  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: not window.workspace.busy and bool(window.workspace.python()))
    return window.workspace.page if page else window.workspace  # type: ignore[attr-defined]


def copied(window: MainWindow) -> Names:
    """Returns what the program makes that the action copies."""
    trigger(window, "copy_python")
    code = QGuiApplication.clipboard().text()
    assert code == window.workspace.python()
    return ran(code)


# Tokens.


@pytest.mark.parametrize("selection", [None, (3, 14)])
def test_tokens(four: MainWindow, qtbot: QtBot, selection: tuple[int, int] | None) -> None:
    if selection:
        four.session.select(*selection)
    four.session.set_special("all")
    shown(four, qtbot, "tokens", "tokens")
    view = of_kind(four.workspace, TokensView)
    qtbot.waitUntil(lambda: four.session.grapheme_edges is not None)
    rows = copied(four)["rows"]
    assert len(rows) == len(ON)
    view.show_facts()
    for row, item in zip(rows, four.session.chosen(), strict=True):
        encoded = there(four.session.encoded(item.key))
        assert encoded.encoding is not None
        assert row["ids"] == list(encoded.encoding.ids)
        card = view.cards.cards[item.key]
        assert (row["tokens"], row["selected"]) == (card.tokens, card.selected)
        assert f"{row['bytes per token']:.2f} bytes per token" in card.tip
        for name in ("in a character", "in a grapheme"):
            assert not row[name] or f"{row[name]:,} {name}" in card.tip


@pytest.mark.parametrize("page", ["perturb", "stream", "ways", "covering"])
def test_questions_on_a_text(four: MainWindow, qtbot: QtBot, page: str) -> None:
    four.session.select(3, 15)
    found = shown(four, qtbot, "tokens", page)
    if page == "perturb":
        found.controls["seed"].widget.setValue(7)
        found.controls["only"].menu.actions()[0].setChecked(False)
        qtbot.waitUntil(lambda: not found.busy)
    elif page == "stream":
        found.stops.setText("b, liev")
        found.arrivals.go_to(2, by_hand=True)
        qtbot.waitUntil(lambda: not found.busy)
    names = copied(four)
    assert names["rows"] == rows_of(found.lines())
    if page == "stream":
        assert names["end"].ids == found._end.end.ids
        assert f"{len(names['healed'].allowed):,} entr" in found.healed.text()
    elif page == "ways":
        front = found.front
        assert next(iter(names["best"].values())) == [way.ids for way in front.best]
        assert next(iter(names["lengths"].values())) == front.by_length


# Pre-tokens.


def test_pre_tokens(four: MainWindow, qtbot: QtBot) -> None:
    four.session.set_patterns(["tokenizers", "gpt2", "own"])
    four.session.set_own_pattern(r"(?P<word>\w+)|(?s).")
    view = shown(four, qtbot, "pretokens")
    qtbot.waitUntil(lambda: view._own is not None and not view._try_own.isActive())
    rows = copied(four)["rows"]
    wanted = [
        (start, end, layer.parts.rule_names[layer.parts.rules[place]])
        for layer in view.view.rows.values()
        for place, (start, end) in enumerate(map(layer.parts.span, range(len(layer.parts))))
    ]
    assert [(row["start"], row["end"], row["rule"]) for row in rows] == wanted
    assert len({row["cut by"] for row in rows}) == len(view.view.rows) == len(ON) + 2


# Merges.


@pytest.mark.parametrize("front", ON)
def test_steps(four: MainWindow, qtbot: QtBot, front: str) -> None:
    four.session.set_current(front)
    four.session.select(3, 15)
    page = shown(four, qtbot, "merges", "steps")
    run = page.lane.run
    names = copied(four)
    assert len(names["rows"]) == len(run.playback.steps)
    assert [row["start"] for row in names["rows"]] == [one.start for one in run.playback.steps]
    assert names["merges"] == rows_of(used_merge_lines(run))


@pytest.mark.parametrize("selected", [True, False])
def test_why(four: MainWindow, qtbot: QtBot, selected: bool) -> None:
    page = shown(four, qtbot, "merges", "steps") and four.workspace.page_of("why")  # type: ignore[attr-defined]
    four.workspace.show_page("why")  # type: ignore[attr-defined]
    if selected:
        four.session.select(3, 15)
    else:
        page.ask(" 東京x")
    qtbot.waitUntil(lambda: not page.busy and bool(page.python()))
    page.answer()
    rows = copied(four)["rows"]
    answers = list(page.answers.findings.values())
    assert [row["why"] for row in rows] == [plain(one.sentence) for one in answers]
    assert [row["one token"] for row in rows] == [one.is_one for one in answers]


@pytest.mark.parametrize("front", ["shipped:unigram-8k", "shipped:wordpiece-8k"])
def test_longest_match(four: MainWindow, qtbot: QtBot, front: str) -> None:
    four.session.set_text("<s> a text </s>[UNK]" + TEXT)
    four.session.set_current(front)
    page = shown(four, qtbot, "merges", "prefixes")
    rows = copied(four)["rows"]
    places = [place for play in page._plays for place in play.places]
    assert [row["states"] for row in rows] == [
        [step.state for step in place.steps] for place in places
    ]
    assert [row["id"] for row in rows] == [p.id if p.id >= 0 else None for p in places]


def test_the_longest_match_of_own_strings(four: MainWindow, qtbot: QtBot) -> None:
    page = shown(four, qtbot, "merges", "prefixes")
    page.strings.setText("ab abcd é")
    page.typed.setText("babdé")
    qtbot.waitUntil(lambda: not page.busy)
    rows = copied(four)["rows"]
    assert [(row["text"], row["id"]) for row in rows] == [
        ("b", None), ("ab", 0), ("d", None), ("é", 2),
    ]  # fmt: skip


def test_sizes_of_the_text(four: MainWindow, qtbot: QtBot) -> None:
    page = shown(four, qtbot, "merges", "sizes")
    page.player.go_to(1000)
    rows = copied(four)["rows"]
    assert {row["tokenizer"] for row in rows} == {
        four.session.short_name(one) for one in four.session.chosen() if one.key in page._cuts
    }
    cuts = page.player.cuts
    mine = {
        row["entries"]: row["tokens"] for row in rows if row["tokenizer"] == rows[0]["tokenizer"]
    }
    assert mine[cuts.base + 1000] == cuts.count(1000)
    assert mine[cuts.size] == cuts.count(cuts.merges)


@pytest.mark.parametrize("algorithm", range(5))
def test_a_training_that_is_played(four: MainWindow, qtbot: QtBot, algorithm: int) -> None:
    four.session.set_text("low lower lowest slow slower slowest new newer newest wide wider\n" * 6)
    four.merge_commands.show_page("training")
    page = four.workspace.page  # type: ignore[attr-defined]
    page.form.algorithm.setCurrentIndex(algorithm)
    page.train()
    qtbot.waitUntil(lambda: page.story is not None)
    page.form.algorithm.setCurrentIndex(0)  # the program is of what was trained
    page.player.go_to(2, by_hand=True)
    names = copied(four)
    assert names["rows"] == rows_of(page.story.lines())
    assert len(names["tokenizer"].vocabulary) == len(page.story.tokenizer_after(2).vocabulary)


# Vocabulary.


@pytest.mark.parametrize(
    ("line", "sort"),
    [("", (0, False)), ("script:latin len:>5", (1, True)), (r"re:^\s*un flag:space", (2, False)), ("finding:numbers", (0, True))],
)  # fmt: skip
def test_entries(four: MainWindow, qtbot: QtBot, line: str, sort: tuple[int, bool]) -> None:
    four.session.set_current("shipped:tokenarium-8k")
    page = shown(four, qtbot, "vocabulary", "entries")
    page.sort(*sort)
    if not line.startswith("finding"):
        page.field.set_text(line)
    qtbot.waitUntil(lambda: not four.session.jobs.running())
    rows = copied(four)["rows"]
    assert [row["id"] for row in rows] == page.rows.tolist()


@pytest.mark.parametrize("line", ["", "script:latin", "(32, 116)", "re:^un"])
def test_merges_of_a_vocabulary(four: MainWindow, qtbot: QtBot, line: str) -> None:
    four.session.set_current("shipped:tokenarium-8k")
    page = shown(four, qtbot, "vocabulary", "merges")
    page.sort(2, True)
    page.field.set_text(line)
    qtbot.waitUntil(lambda: not four.session.jobs.running())
    rows = copied(four)["rows"]
    items = [page.merges.item(place) for place in page.rows.tolist()]
    assert [(row["left"], row["right"], row["id"]) for row in rows] == [
        tuple(one if one >= 0 else None for one in (item.left, item.right, item.made))
        for item in items
    ]


@pytest.mark.slow
def test_diagnostics(four: MainWindow, qtbot: QtBot) -> None:
    four.session.set_current("shipped:tokenarium-8k")
    page = shown(four, qtbot, "vocabulary", "diagnostics")
    qtbot.waitUntil(lambda: page._of is not None and page._of.finished)
    rows = copied(four)["rows"]
    assert [row["sentence"] for row in rows] == [one.sentence for one in page.findings]


@pytest.mark.slow
def test_a_release_report(
    four: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    four.session.set_current("shipped:tokenarium-8k")
    four.vocabulary_commands.show_page("release")
    page = four.workspace.page  # type: ignore[attr-defined]
    page.measure_on([CorpusSource("text", TEXT)], 1)
    qtbot.waitUntil(lambda: page.report is not None and not page.busy)
    rows = copied(four)["rows"]
    assert [(row["id"], row["figure"]) for row in rows] == [
        (one.check.id, one.figure) for one in page.report.checks
    ]
    assert (tmp_path / "evaluation.json").is_file()


# Bytes.


def test_bytes(four: MainWindow, qtbot: QtBot) -> None:
    page = shown(four, qtbot, "bytes", "bytes")
    names = copied(four)
    assert "".join(row["character"] for row in names["rows"]) == TEXT
    current = page.current_row
    title = next(iter(names["counts"]))
    assert names["counts"][title]["tokens"] == len(current.ids)
    assert names["counts"][title]["torn"] == current.counts.torn
    assert names["rows"][3][title] == current.ids[slice(*current.touching(3, 4))].tolist()


def test_decoded_ids(four: MainWindow, qtbot: QtBot) -> None:
    four.show_workspace("bytes")
    four.workspace.show_page("decode")  # type: ignore[attr-defined]
    four.workspace.page.show_written("[5, 233, 300, 99999]")  # type: ignore[attr-defined]
    page = shown(four, qtbot, "bytes", "decode")
    names = copied(four)
    assert names["decoded"].text == page.decoded.text
    assert [row["note"] for row in names["rows"]] == [row.note for row in page.decoded.rows]


def test_encoded_bytes(four: MainWindow, qtbot: QtBot) -> None:
    four.show_workspace("bytes")
    four.workspace.show_page("encode")  # type: ignore[attr-defined]
    four.workspace.page.show_written(r"b'caf\xe9 low'")  # type: ignore[attr-defined]
    page = shown(four, qtbot, "bytes", "encode")
    assert copied(four)["rows"] == rows_of(page.lines())


def test_the_byte_table(four: MainWindow, qtbot: QtBot) -> None:
    page = shown(four, qtbot, "bytes", "alphabet")
    page.mapped.setChecked(True)
    page.field.setText("continues")
    rows = copied(four)["rows"]
    assert [row["Byte"] for row in rows] == [row.byte for row in page.rows]
    assert list(rows[0]) == page.lines()[0]


def test_first_bytes(four: MainWindow, qtbot: QtBot) -> None:
    page = shown(four, qtbot, "bytes", "first_bytes")
    qtbot.waitUntil(lambda: len(page.lines()[0]) == 6 + len(ON))
    assert copied(four)["rows"] == rows_of(page.lines())


# Scripts.


@pytest.mark.parametrize("page", ["vocabulary", "text", "lengths", "treemap"])
@pytest.mark.parametrize("scale", ["share", "ratio", "bytes"])
def test_scripts(four: MainWindow, qtbot: QtBot, page: str, scale: Any) -> None:
    found = shown(four, qtbot, "scripts", page)
    if page in ("vocabulary", "text"):
        found.set_scale(scale)
        found.set_reference("shipped:superbpe-8k")
    elif scale != "share":
        pytest.skip("it has no scale")
    assert copied(four)["rows"] == rows_of(found.plot.table())


def test_characters(four: MainWindow, qtbot: QtBot) -> None:
    page = shown(four, qtbot, "scripts", "characters")
    rows = {row["script"]: row for row in copied(four)["rows"]}
    page.choose(list(rows).index("Latin"))
    own, of = page.head.text().removesuffix(" characters").partition(": ")[2].split(" of ")
    script, name = page.head.text().partition(":")[0], page.choice.currentText()
    item = next(one for one in four.session.chosen() if one.display_name == name)
    row = rows[script]
    assert f"{row[item.name]:,}" == own
    assert f"{row['characters']:,}" == of


# Compare.


@pytest.mark.slow
def test_the_table_and_the_charts(four: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    overview = shown(four, qtbot, "compare", "overview")
    page = overview.figures
    page.table.setFocus()

    def check() -> None:
        rows = {row["tokenizer"]: row for row in ran(page.python())["rows"]}
        for one in page.model.rows:
            figures = there(page.model.figures(one))
            for name in ("tokens", "bytes_per_token", "fertility", "inside"):
                assert rows[one.name][name] == figures.value(name), name
        for plot in (page.lengths, page.ranks):
            assert ran(plot.source.code())["rows"] == rows_of(plot.table())

    qtbot.waitUntil(lambda: not page.busy)
    assert copied(four)["rows"]
    check()
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"{name} {TEXT}", "utf-8")
    page.count_files([tmp_path])
    qtbot.waitUntil(lambda: not page.busy and page.model.complete)
    check()
    page.by_file.setChecked(True)
    rows = ran(page.python())["rows"]
    wanted = {(one.file, one.name): page.model.figures(one) for one in page.model.rows}
    assert {(row["file"], row["tokenizer"]): row["tokens"] for row in rows} == {
        key: one.value("tokens") for key, one in wanted.items() if one is not None
    }


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("own", [False, True])
def test_languages(
    four: MainWindow, qtbot: QtBot, tmp_path: Path, own: bool, aligned: bool
) -> None:
    page = shown(four, qtbot, "compare", "overview").languages
    if own:
        for place, language in enumerate(("en", "de", "fr")):
            lines = 3 if aligned else 3 + place
            (tmp_path / f"{language}.txt").write_text(f"{language} some words\n" * lines)
        page.compare_folder(tmp_path)
    elif not aligned:
        pytest.skip("the shipped sentences are aligned")
    else:
        four.session.figures.leave_out({"hi", "th"})
    page.choice.reference.setCurrentIndex(1)
    qtbot.waitUntil(lambda: not page.busy and len(page._counts) == len(ON))
    names = ran(page.premiums.source.code())
    wanted = rows_of(page.as_csv())
    found = {(row["language"], row["tokenizer"]): row for row in names["rows"]}
    assert len(found) == len(wanted)
    for row in wanted:
        mine = found[row["language"], row["tokenizer"]]
        assert mine["tokens"] == row["tokens"]
        if page.parallel:
            assert mine["premium"] == pytest.approx(row["premium"], rel=1e-5)
    for item in four.session.chosen():
        assert names["ginis"][item.name] == page._ginis[item.key]


@pytest.mark.parametrize(
    "page",
    [
        *(
            "differences",
            "overlap",
            "stages",
            "numbers",
            "digits",
            "text_sizes",
            "mingram",
            "final_style",
        ),
        *("divergence", "bits", "unused", "diff", "readers"),
    ],
)
def test_tables_of_compare(four: MainWindow, qtbot: QtBot, page: str) -> None:
    found = shown(four, qtbot, "compare", page)
    qtbot.waitUntil(lambda: len(found.lines()) > 1 and not four.session.jobs.running())
    names = copied(four)
    assert names["rows"] == rows_of(found.lines())
    if page == "overlap":
        sizes = [model.rowCount() for model in found.parts["lists"].models]
        assert sizes == [len(names[one]) for one in ("only_in_one", "in_both", "only_in_other")]


def test_morphemes(four: MainWindow, qtbot: QtBot) -> None:
    four.session.set_text("undoing\tun|do|ing\ncats\tcat s\nrun\truns\tV;PRS\trun|s\n")
    page = shown(four, qtbot, "compare", "morphology")
    page.controls["after_space"].widget.setChecked(True)
    qtbot.waitUntil(lambda: len(page.lines()) == 1 + len(ON) and not page.busy)
    assert copied(four)["rows"] == rows_of(page.lines())


def test_code(four: MainWindow, qtbot: QtBot) -> None:
    four.session.set_text("def get_name(x):\n    return xName + 1\n")
    page = shown(four, qtbot, "compare", "code")
    qtbot.waitUntil(lambda: len(page.lines()) == 1 + len(ON) and not page.busy)
    assert copied(four)["rows"] == rows_of(page.lines())


def test_the_times_of_stages(four: MainWindow, qtbot: QtBot) -> None:
    found = shown(four, qtbot, "compare", "stage_times")
    qtbot.waitUntil(lambda: len(found.lines()) == 1 + len(ON) and not found.busy)
    rows, lines = copied(four)["rows"], rows_of(found.lines())
    assert [row["Tokenizer"] for row in rows] == [line["Tokenizer"] for line in lines]
    assert [list(row) for row in rows] == [list(line) for line in lines]
    for row, line in zip(rows, lines, strict=True):  # the times differ, the stages do not
        assert (row["Normalizer"] == 0) == (line["Normalizer"] == 0)


def test_superwords(four: MainWindow, qtbot: QtBot) -> None:
    four.session.set_text("at the end of the day, at the end of the road\n" * 8)
    found = shown(four, qtbot, "compare", "superwords")
    found.controls["entries"].widget.setValue(280)
    qtbot.waitUntil(lambda: len(found.lines()) == 4 and not found.busy)
    rows, lines = copied(four)["rows"], rows_of(found.lines())
    assert lines[0]["Bytes/token"] < lines[1]["Bytes/token"]
    for row in (*rows, *lines):
        del row["CPU ms"]  # which differs
    assert rows == lines


def test_two_texts(four: MainWindow, qtbot: QtBot) -> None:
    page = shown(four, qtbot, "compare", "texts")
    page.show_texts(TEXT, "second\n")
    rows = copied(four)["rows"]
    assert rows == rows_of(page.as_csv())
    assert [len(str(row["Ids of A"]).split()) for row in rows] == [
        len(one.first) for one in page.counts
    ]


# Train.


@pytest.fixture
def trained(four: MainWindow, qtbot: QtBot) -> Any:
    """The page Training with two runs that are over."""
    four.session.set_text("low lower lowest slow slower slowest new newer newest wide wider\n" * 60)
    four.train_commands.show_page("training")
    page = four.workspace.page  # type: ignore[attr-defined]
    page.form.sources.set_sources([CorpusSource("text", four.session.text)])
    page.form.choose("bpe", "unigram")
    page.form.controls["vocab_size"].show("270")
    page.form.type({"min_frequency": "3"})
    qtbot.waitUntil(lambda: not page.form.problems)
    return page


@pytest.mark.slow
def test_trainings(
    four: MainWindow, qtbot: QtBot, trained: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = ran(trained.python())["rows"]  # of the form
    trained.form.choose("bpe", "wordpiece")
    trained.form.controls["vocab_size"].show("275")
    trained.train()
    qtbot.waitUntil(lambda: bool(trained.together) and all(run.result for run in trained.together))
    assert before[0]["entries"] == 270
    names = copied(four)
    rows = {row["name"]: row for row in names["rows"]}
    for run in trained.together:
        figures = run.result.trained.figures
        row = rows[run.result.trained.name]
        for name in ("token_counts", "held_out_counts", "bytes", "held_out_bytes"):
            assert row.get(name) == figures.get(name)
        tokenizer = names["tokenizers"][run.result.trained.name]
        item = there(four.session.library.item(f"trained:{run.result.trained.identity}"))
        qtbot.waitUntil(lambda item=item: item.tokenizer is not None)
        assert tokenizer.encode_ids("lowest new") == item.tokenizer.encode_ids("lowest new")
    sizes(four, qtbot)
    kept(four, qtbot)


def sizes(window: MainWindow, qtbot: QtBot) -> None:
    """Checks the pages Vocabulary size and Time with kept trainings."""
    page = shown(window, qtbot, "train", "sizes")
    page.controls["width"].show("64")
    page.controls["model"].show("20M")
    page.controls["tied"].show(True)
    page.multiple.setCurrentIndex(1)
    for place in (0, page.tokenizer.count() - 1):
        page.tokenizer.setCurrentIndex(place)
        rows = copied(window)["rows"]
        assert [row["name"] for row in rows] == [
            cell(page.table, line, 0) for line in range(page.table.topLevelItemCount())
        ]
        assert [f"{row['parameters'] / 1e6:,.2f}" for row in rows] == [
            cell(page.table, line, 3) for line in range(page.table.topLevelItemCount())
        ]
    times = shown(window, qtbot, "train", "times")
    assert copied(window)["rows"] == rows_of(times.plot.table())


def cell(table: QTreeWidget, line: int, column: int) -> str:
    item = there(table.topLevelItem(line))
    return item.text(column)


def kept(window: MainWindow, qtbot: QtBot) -> None:
    """Checks the page Trained."""
    page = shown(window, qtbot, "train", "kept")
    page.list.search.setText("bpe")
    rows = copied(window)["rows"]
    assert [row["name"] for row in rows] == [
        one.name for one in window.session.trainings.store.find("bpe")
    ]


@pytest.mark.parametrize("race", [0, 1])
def test_races(four: MainWindow, qtbot: QtBot, race: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.models.training.strategy_race.LAPS", 1)
    monkeypatch.setattr("tokenarium.models.training.encoding_race.LENGTHS", (10, 20))
    four.session.set_current(ON[0])
    four.train_commands.show_page("race")
    page = four.workspace.page  # type: ignore[attr-defined]
    page.choose(race)
    page.corpus.setCurrentIndex(1)
    page.vocab_size.setText("270")
    page.begin()
    laps: Callable[[], Any] = lambda: page.encoding.laps if race else page.racing.race.laps  # noqa: E731
    wanted = 3 if not race else len(page.encoding.ways) * 2
    qtbot.waitUntil(lambda: len(laps()) == wanted)
    rows = copied(four)["rows"]
    places = "looked" if race else "visited"
    assert [row[places] for row in rows] == [getattr(lap, places) for lap in laps()]
    page.racing.stop()


def test_the_parts_of_trainings(four: MainWindow, qtbot: QtBot) -> None:
    four.train_commands.race_parts()
    page = four.workspace.page  # type: ignore[attr-defined]
    page.corpus.setCurrentIndex(1)
    page.vocab_size.setText("262")
    page.begin()
    qtbot.waitUntil(lambda: not four.session.jobs.running())
    rows = copied(four)["rows"]
    for name in ("strategy", "merges"):  # the times differ
        assert [row[name] for row in rows] == [row[name] for row in page.apart.race.rows()]
    assert rows[0]["merges"] > 0


# Their text.


def test_a_long_text_is_read_from_its_file(
    four: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "low lower\r\n" * MOST_TEXT
    path = write_file(tmp_path / "long.txt", text.encode("utf-16"))
    four.text_commands.open_path(path)
    qtbot.waitUntil(lambda: four.session.text == text)
    shown(four, qtbot, "tokens", "tokens")
    assert str(path) in four.workspace.python()
    assert ran(four.workspace.python())["TEXT"] == text
    four.session.set_text(text + "!")
    qtbot.waitUntil(lambda: "text.txt" in four.workspace.python())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_bytes((text + "!").encode())
    assert ran(four.workspace.python())["TEXT"] == text + "!"


@pytest.mark.parametrize(
    "text", ["half \ud83d of a pair", '"""\\ \'quotes\' """', "\x00\u2028\x85\r"]
)
def test_any_text_is_written_as_it_is(four: MainWindow, qtbot: QtBot, text: str) -> None:
    four.session.set_text(text)
    for space, page in (("tokens", "tokens"), ("bytes", "bytes"), ("merges", "steps")):
        shown(four, qtbot, space, page)
        names = ran(four.workspace.python())
        assert names["TEXT"] == text


def test_there_is_no_program_without_figures(window: MainWindow, qtbot: QtBot) -> None:
    said: list[str] = emitted(window.session.problem)
    window.session.set_text("")
    for space in ("tokens", "pretokens", "merges", "bytes"):
        window.show_workspace(space)
        assert window.workspace.python() == ""
    QGuiApplication.clipboard().setText("kept")
    window.actions_by_id["copy_python"].trigger()
    assert QGuiApplication.clipboard().text() == "kept"
    assert "This page has no figures" in said[-1]


def test_only_public_names_are_imported(four: MainWindow, qtbot: QtBot) -> None:
    listed = (Path(__file__).parents[3] / "docs" / "python.md").read_text("utf-8")
    found = set()
    for space, pages in {
        "tokens": ["stream", "ways"], "compare": ["overview"], "merges": ["sizes"],
    }.items():  # fmt: skip
        for page in pages:
            shown(four, qtbot, space, page)
            lines = four.workspace.python().splitlines()
            found |= {line.split()[1] for line in lines if line.startswith("from tokenarium_core")}
    assert found
    assert all(name in listed for name in found), found


def test_the_figures_of_charts_have_the_program_of_their_page(
    four: MainWindow, qtbot: QtBot
) -> None:
    page = shown(four, qtbot, "scripts", "vocabulary")
    assert page.plot.copy_code()
    assert QGuiApplication.clipboard().text() == page.python() == four.workspace.python()
    assert np.isfinite(ran(page.python())["rows"][0]["Share of the vocabulary (%)"])
