"""The states of the tour that no scene file can show: faults, the user's files, and trainings."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from typing import Final

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.models.tokenizers.reference_check import CheckStage, Divergence, Report
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_race import RaceRequest
from tokenarium.session.fetching import OFFLINE
from tokenarium.session.requests import PlayBytes, Trouble
from tokenarium.tour.faked_compare import (
    by_file,
    languages_chosen,
    languages_of_folder,
    nothing_read,
    overview,
    paired,
)
from tokenarium.tour.faked_repairs import programs_run, repair, repair_stage
from tokenarium.tour.render import SMALL, Renderer
from tokenarium.tour.waiting import page_of, wait
from tokenarium.views.merges import StepsPage
from tokenarium.views.train import RacePage
from tokenarium.views.train_sizes import TrainSizesPage
from tokenarium.views.train_training import DETAILS_PAGE, TrainingPage
from tokenarium.widgets.library.export_dialog import FOLDER
from tokenarium_core.explaining.vocabulary_entries import superwords
from tokenarium_core.trace import UNMERGE, Trace

LEARNED = ("en", "de", "ru", "ja", "hi", "ar", "el", "ko")
"""The languages of the samples for trainings."""

LAPS = 17
"""Laps of the race in a picture."""

PARTING = Report(
    "Small",
    "made-up 1.0",
    11_204,
    2_871,
    Divergence(
        1_205,
        4_711,
        4_806,
        ((262, " a"), (310, " few"), (44, ","), (5120, "１２"), (48, "３"), (883, " words")),
        ((262, " a"), (310, " few"), (44, ","), (7391, "123"), (883, " words"), (13, ".")),
        3,
        "１２３",
        CheckStage.NORMALIZER,
        "１２３",
        "123",
    ),
)
"""An example of a divergence, as the tokenizers of the pictures have no differences."""


def downloading(renderer: Renderer) -> None:
    """Shows a running download."""
    library = renderer.window.session.library
    item = library.item("named:p50k_base")
    assert item is not None
    library.set_state(item, State.FETCHING)
    library.set_received(item, 310_000, 836_000)


def offline(renderer: Renderer) -> None:
    """Shows that a server could not be reached."""
    details = "https://huggingface.co could not be reached: Host huggingface.co not found."
    sentence = OFFLINE.format("Gemma 3 and Codex", "were")
    renderer.window.session.requests.ask(Trouble(sentence, details, lambda: None))


def bad_file(renderer: Renderer) -> None:
    """Shows the message about a file that is not UTF-8."""
    path = renderer.folder / "notes.txt"
    path.write_bytes("Café\n".encode("latin-1"))
    renderer.window.take_files([path])


def check(renderer: Renderer) -> None:
    """Shows a check against the library that owns the format."""
    renderer.window.lazy.checking.check_reference()


def check_parts(renderer: Renderer) -> None:
    """Shows a check that finds different ids."""
    check(renderer)
    renderer.settle()
    dialog = renderer.window.lazy.checking.dialog
    assert dialog is not None
    dialog.show_report(PARTING)


def find(query: str) -> Callable[[Renderer], None]:
    """Shows the search for tokenizers, in a folder that every computer has."""

    def show(renderer: Renderer) -> None:
        finding = renderer.window.lazy.finding
        with resources.as_file(resources.files("tokenarium.resources") / "tokenizers") as folder:
            finding.set_folders([folder])
            finding.find_tokenizers()
            renderer.settle()
        assert finding.find_dialog is not None
        finding.find_dialog.search.setText(query)

    return show


# Trainings. They are kept in the folder of the renderer, so the user's files do not change.


def form_of(renderer: Renderer, size: int = 1200) -> TrainingPage:
    """Returns the page Training with a small corpus in its form."""
    renderer.window.train_commands.show_page(TrainingPage.id)
    page = page_of(renderer, TrainingPage)
    texts = [CorpusSource("text", sample_text(f"prose-{language}")) for language in LEARNED]
    page.form.fill("bpe", size, {}, texts)
    return page


def begin(page: TrainingPage, *algorithms: str) -> None:
    """Starts the training of the form, once its corpus is checked."""
    page.form.choose(*algorithms)
    page.form.check()
    wait(lambda: not page.trainings.estimating.busy)
    page.train()


def trained(renderer: Renderer, *algorithms: str) -> TrainingPage:
    """Returns the page Training after some small trainings."""
    page = form_of(renderer)
    begin(page, *algorithms)
    runs = page.trainings.runs
    wait(lambda: len(runs) == len(algorithms) and all(run.over for run in runs))
    wait(lambda: not page.view.drawing)
    return page


def going(
    algorithm: str, size: int, far: Callable[[TrainingPage], bool]
) -> Callable[[Renderer], None]:
    """Shows a long training that is running, and one that waits for it."""

    def show(renderer: Renderer) -> None:
        page = form_of(renderer)
        page.form.fill(algorithm, size, {}, [CorpusSource("library")])
        begin(page, algorithm)
        begin(form_of(renderer), "bpe")
        page.form.choose(algorithm)
        page.runs.choose(0)
        wait(lambda: not page.trainings.runs[0].state.going or far(page))

    return show


def has_curves(page: TrainingPage) -> bool:
    """Whether the first training is far enough for its curves."""
    progress = page.trainings.runs[0].progress
    drawn = not (page.view.compression.chart.empty or page.view.scripts.chart.empty)
    return progress is not None and progress.piece_count > 3000 and drawn


def trains(page: TrainingPage) -> bool:
    """Whether the first training reports that it has begun."""
    progress = page.trainings.runs[0].progress
    return progress is not None and "training" in progress.phase


def board(details: int) -> Callable[[Renderer], None]:
    """Shows three trainings one above the other, at one size."""

    def show(renderer: Renderer) -> None:
        page = trained(renderer, "bpe", "superbpe", "unigram")
        wait(lambda: len(page.text.rows) == 3)
        page.go_to_size(800)
        page.pages.setCurrentIndex(details)

    return show


def picky(renderer: Renderer) -> LibraryItem:
    """Shows what PickyBPE learned and removed; returns its tokenizer, which is then in front."""
    page = form_of(renderer)
    texts = [CorpusSource("text", sample_text(f"prose-{language}")) for language in LEARNED]
    page.form.fill("picky-bpe", 1200, {"threshold": 0.6}, texts)
    begin(page, "picky-bpe")
    runs = page.trainings.runs
    wait(lambda: len(runs) == 1 and runs[0].over)
    wait(lambda: not page.view.drawing)
    page.pages.setCurrentIndex(DETAILS_PAGE)
    session = renderer.window.session
    item = next(one for one in session.library if one.key.startswith("trained:"))
    session.set_current(item.key)
    return item


def removal(renderer: Renderer) -> None:
    """Shows the first long word of the text in which PickyBPE splits a token, just before that."""
    item = picky(renderer)
    assert item.tokenizer is not None
    session = renderer.window.session
    for word in re.finditer(r" \w{7,}", session.text):
        trace = Trace()
        item.tokenizer.encode(word[0], trace=trace)
        if UNMERGE in trace.kinds:
            start, end = (len(session.text_map.part(0, at).encode()) for at in word.span())
            step = list(trace.kinds).index(UNMERGE) - 1
            session.requests.ask(PlayBytes(start, end, step, item.key))
            break


def supermerges(renderer: Renderer) -> None:
    """Shows the last step of a few words that BoundlessBPE joins."""
    trained(renderer, "boundless-bpe")
    window = renderer.window
    item = next(item for item in window.session.library if item.name.startswith("BoundlessBPE"))
    window.session.set_current(item.key)
    assert item.tokenizer is not None
    text = sample_text("prose-en")
    window.session.set_text(text)
    encoding = item.tokenizer.encode(text)
    joined = set(superwords(item.tokenizer))
    token = next(index for index, found in enumerate(encoding.ids) if found in joined)
    window.session.select(*window.session.text_map.characters(*encoding.span(token)))
    window.merge_commands.show_page(StepsPage.id)
    renderer.settle()
    page = page_of(renderer, StepsPage)
    player = page.player
    assert player is not None
    player.go_to(player.length - 1, by_hand=True)


def compared_languages(renderer: Renderer) -> None:
    """Shows how many tokens each language needs after a training that compares them."""
    page = form_of(renderer)
    texts = [
        CorpusSource("text", sample_text(f"prose-{language}"), language=language)
        for language in LEARNED
    ]
    page.form.fill("parity-bpe", 1200, {}, texts)
    begin(page, "parity-bpe")
    runs = page.trainings.runs
    wait(lambda: len(runs) == 1 and runs[0].over)
    wait(lambda: not page.view.drawing)
    page.form.corpus.setChecked(True)
    page.pages.setCurrentIndex(DETAILS_PAGE)


def no_languages(renderer: Renderer) -> None:
    """Shows a form that needs languages but whose sources name none."""
    page = form_of(renderer)
    page.form.choose("parity-bpe")
    page.form.corpus.setChecked(True)
    page.form.more.setChecked(True)
    page.form.check()


def watched(renderer: Renderer) -> None:
    """Shows a training that is slowed down, at one of its steps."""
    page = form_of(renderer, 2000)
    page.pace.slider.setValue(page.pace.slider.maximum() - 4)
    begin(page, "bpe")
    wait(lambda: page.trainings.runs[0].entries > 320)
    page.pace.slider.setValue(0)


def sizes(renderer: Renderer) -> None:
    """Shows the sizes that a training went through."""
    trained(renderer, "bpe")
    renderer.window.train_commands.show_page(TrainSizesPage.id)
    page_of(renderer, TrainSizesPage).controls["budget"].show("1M")


def after_trainings(page: str) -> Callable[[Renderer], None]:
    """Shows another page of Train after some trainings."""

    def show(renderer: Renderer) -> None:
        trained(renderer, "bpe", "unigram")
        renderer.window.train_commands.show_page(page)

    return show


def race(renderer: Renderer) -> None:
    """Shows a race of methods to find merges."""
    renderer.window.train_commands.show_page(RacePage.id)
    page_of(renderer, RacePage).choose(0)
    racing = renderer.window.session.trainings.racing
    racing.start(RaceRequest([CorpusSource("library")], 400))
    wait(lambda: not racing.running or len(racing.race.laps) > LAPS)
    racing.stop()


def race_encoding(chart: int) -> Callable[[Renderer], None]:
    """Shows a race of methods to encode, with one of its two charts."""

    def show(renderer: Renderer) -> None:
        renderer.window.train_commands.race_encoding()
        page = page_of(renderer, RacePage)
        page.corpus.setCurrentIndex(1)
        page.right.setCurrentIndex(chart)
        page.begin()
        wait(page.bar.isHidden)

    return show


def race_parts(renderer: Renderer) -> None:
    """Shows how long the parts of trainings take."""
    renderer.window.train_commands.race_parts()
    page = page_of(renderer, RacePage)
    page.corpus.setCurrentIndex(0)
    page.begin()
    wait(page.bar.isHidden)


def proved(renderer: Renderer) -> None:
    """Shows that a tokenizer was written, and its proof."""
    exporting = renderer.window.lazy.exporting
    exporting.save_tokenizer()
    assert exporting.dialog is not None
    exporting.dialog.choose("huggingface")
    exporting.save("huggingface", renderer.folder / "tokenizer.json")
    wait(lambda: not exporting.busy)


def proved_for_programs(renderer: Renderer) -> None:
    """Shows that a tokenizer was written for programs, and its proof."""
    exporting = renderer.window.lazy.exporting
    exporting.save_tokenizer()
    assert exporting.dialog is not None
    exporting.dialog.choose(FOLDER)
    exporting.save_folder(renderer.folder / "tokenizer")
    wait(lambda: not exporting.busy)


# Lessons.


def lesson_editor(renderer: Renderer) -> None:
    """Shows a lesson in its editor."""
    writing = renderer.window.lesson_writing
    writing.edit_lesson("04-merges")
    editor = writing.editor
    assert editor is not None
    wait(lambda: not editor.checking)
    editor.form.list.setCurrentRow(3)


def hands_up(renderer: Renderer) -> None:
    """Shows how a class answers the first question of a lesson by a show of hands."""
    lessons = renderer.window.lessons
    lessons.open("06-languages", 0)
    wait(lambda: not lessons.waits)
    hands = lessons.asking.hands
    hands.show(True)
    for place, count in enumerate((12, 7, 4)[: len(hands.choices)]):
        hands.set_count(place, count)


def in_small(show: Callable[[Renderer], object]) -> Callable[[Renderer], object]:
    """Shows a scene or state in a small window."""

    def show_small(renderer: Renderer) -> None:
        renderer.window.resize(SMALL)
        show(renderer)

    return show_small


FAKED: Final[dict[str, Callable[[Renderer], object]]] = {
    "downloading": downloading,
    "offline": offline,
    "error": bad_file,
    "check": check,
    "check-parts": check_parts,
    "find": find(""),
    "find-query": find("bert"),
    "find-repository": find("someone/their-model"),
    "find-nothing": find("qqqq"),
    "find-small": in_small(find("")),
    "compare-nothing-read": nothing_read,
    "compare-by-file": by_file,
    "compare-paired": paired,
    "compare-paired-small": in_small(paired),
    "compare-languages-folder": languages_of_folder(False),
    "compare-languages-parallel": languages_of_folder(True),
    "compare-languages-chosen": languages_chosen,
    "compare-columns": lambda renderer: overview(renderer).figures.columns.click(),
    "compare-figure": lambda renderer: overview(renderer).languages.premiums.open_figure(),
    "lesson-editor": lesson_editor,
    "lesson-editor-small": in_small(lesson_editor),
    "lesson-hands": hands_up,
    "save-as-proved": proved,
    "save-as-programs": proved_for_programs,
    "save-as-programs-small": in_small(proved_for_programs),
    "compare-readers-run": programs_run,
    "compare-readers-run-small": in_small(programs_run),
    "repair": repair,
    "repair-small": in_small(repair),
    "repair-stage": repair_stage,
    "train-going": going("bpe", 100_000, has_curves),
    "train-by-another": going("sentencepiece:unigram", 8000, trains),
    "train-done": lambda renderer: trained(renderer, "bpe"),
    "train-picky": picky,
    "merges-picky": removal,
    "train-languages": compared_languages,
    "train-languages-small": in_small(compared_languages),
    "train-languages-none": no_languages,
    "train-done-small": in_small(lambda renderer: trained(renderer, "bpe")),
    "train-unigram": lambda renderer: trained(renderer, "unigram"),
    "train-final-style": lambda renderer: trained(renderer, "fsp-unigram"),
    "train-corpus": lambda renderer: trained(renderer, "bpe").view.tabs.setCurrentIndex(1),
    "train-boundless": lambda renderer: trained(renderer, "boundless-bpe"),
    "merges-supermerges": supermerges,
    "merges-supermerges-small": in_small(supermerges),
    "train-board": board(0),
    "train-board-small": in_small(board(0)),
    "train-board-runs": board(1),
    "train-watched": watched,
    "train-sizes": sizes,
    "train-sizes-small": in_small(sizes),
    "train-time": after_trainings("times"),
    "train-kept": after_trainings("kept"),
    "train-race": race,
    "train-race-small": in_small(race),
    "train-race-parts": race_parts,
    "train-race-parts-small": in_small(race_parts),
    "train-race-encoding": race_encoding(0),
    "train-race-encoding-merges": race_encoding(1),
}
"""The function that shows each state, in a new window with the first sample text."""


def show_faked(name: str) -> Renderer:
    """Returns a new window that shows a state; raises KeyError for an unknown one."""
    renderer = Renderer()
    renderer.window.session.set_text(sample_text(WELCOME))
    renderer.settle()
    FAKED[name](renderer)
    return renderer
