"""The tour: the states of the window that are pictured, and how to reach each of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import resources

from PySide6.QtCore import QSize

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.library import State
from tokenarium.models.tokenizers.reference_check import CheckStage, Divergence, Report
from tokenarium.session.fetching import OFFLINE
from tokenarium.session.session import Annotations, Trouble
from tokenarium.tour.render import WORD, Renderer
from tokenarium.tour.stops import SMALL, USUAL, Stop
from tokenarium.tour.tour_compare import compare_stops
from tokenarium.tour.tour_merges import (
    export_stops,
    prefix_stops,
    size_stops,
    training_stops,
    why_stops,
)
from tokenarium.tour.tour_scripts import script_stops
from tokenarium.tour.tour_superwords import superword_stops
from tokenarium.tour.tour_train import train_stops
from tokenarium.tour.tour_vocabulary import vocabulary_stops
from tokenarium.views.bytes import BytesView
from tokenarium.views.merges import MergesView
from tokenarium.widgets.players.lattice_body import LatticeBody

ZWJ = "👩\N{ZERO WIDTH JOINER}🚀 👨\N{ZERO WIDTH JOINER}👩\N{ZERO WIDTH JOINER}👧 ❤\N{VARIATION SELECTOR-16} e\N{COMBINING ACUTE ACCENT} ﬁ"
"""A text with fewer graphemes than characters."""

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
"""An example of a divergence, as the tokenizers of the pictures have none."""

UNFINISHED = "{% for message in messages %}\n{{ message.content }\n{% endfor %}\n"
"""A chat template with a fault in its second line."""

BACKWARDS = "{% for message in messages | reverse %}\n<{{ message.role | upper }}> {{ message.content }}\n{% endfor %}\n"
"""A chat template that writes the last message first, so that the roles can only be guessed."""


def tour_stops(renderer: Renderer) -> list[Stop]:
    """Returns all stops in their order."""

    def sample(sample_id: str) -> Callable[[MainWindow], object]:
        return lambda window: window.session.set_text(sample_text(sample_id))

    def question(page: str, text: str) -> Callable[[MainWindow], object]:
        def ask(window: MainWindow) -> None:
            window.session.set_text(text)
            window.tokens_commands.show_page(page)

        return ask

    def select(window: MainWindow) -> None:
        window.session.set_text(sample_text("mixed"))
        renderer.settle()
        window.session.set_annotations("ids")
        renderer.select("कुछ मीठा")

    def emoji(window: MainWindow) -> None:
        window.session.set_text(sample_text("emoji"))
        window.session.set_annotations("bytes")

    def special(window: MainWindow) -> None:
        window.session.set_text("One text<|endoftext|>and another, with <|fim_prefix|> in it.\n")
        window.session.set_special("all")

    def long(window: MainWindow) -> None:
        paragraphs = sample_text("prose-en") + "\n" + sample_text("code-python")
        window.session.set_text(paragraphs * (1_000_000 // len(paragraphs) + 1))

    def no_tokenizer(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        for item in window.session.chosen():
            window.session.edits.turn_on(item.key, False)

    def missing(window: MainWindow) -> None:
        item = window.session.library.item("named:p50k_base")
        assert item is not None
        window.session.set_text(sample_text(WELCOME))
        window.session.library.set_state(item, State.FETCHING)
        window.session.library.set_received(item, 310_000, 836_000)

    def bad_file(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        path = renderer.folder / "notes.txt"
        path.write_bytes("Café\n".encode("latin-1"))
        window.take_files([path])

    def own_pattern(pattern: str) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            window.session.set_patterns(["cl100k", "own"])
            window.session.set_own_pattern(pattern)
            window.show_workspace("pretokens")
            time.sleep(0.3)  # the pattern is tried after a moment without typing

        return prepare

    def difference(window: MainWindow) -> None:
        window.session.set_text(sample_text("code-python"))
        window.show_workspace("pretokens")
        renderer.settle()
        window.workspace.go_to_difference(1)
        window.workspace.go_to_difference(1)

    def merges(
        share: float, word: str = WORD, sample_id: str = WELCOME, panel: int = -1
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.session.set_text(sample_text(sample_id))
            renderer.settle()
            window.merge_commands.show_page("steps")
            renderer.select(word)
            view = window.workspace
            assert isinstance(view, MergesView)
            view.steps.show_word_panel(max(panel, 0))
            view.steps.set_side_by_side(panel < 0 and len(window.session.chosen()) > 1)
            for lane in view.steps.lanes.values():
                lane.go_to(round(lane.length * share))
                lane.body.finish_motion()

        return prepare

    def byte_rows(text: str, word: str = "", size: QSize = USUAL) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.resize(size)
            window.session.set_text(text)
            window.byte_commands.show_page(BytesView.id)
            renderer.settle()
            if word:
                renderer.select(word)

        return prepare

    def byte_part(window: MainWindow) -> None:
        byte_rows("A part of 東京 🦤")(window)
        window.session.set_current("named:gpt2")
        window.byte_commands.show_page(BytesView.id)
        view = window.byte_commands.page
        assert isinstance(view, BytesView)
        view.show_rows()
        view.part.last.setValue(4)
        view.part.first.setValue(2)

    def asked_why(window: MainWindow) -> None:
        window.show_workspace("tokens")
        window.session.set_text(sample_text(WELCOME))
        renderer.settle()
        renderer.select(WORD)
        window.token_commands.ask_about_selection()
        assert window.token_commands.answers is not None
        window.token_commands.answers.finish()

    def played(
        names: tuple[str, ...], text: str, word: str, share: float, size: QSize = USUAL
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.resize(size)
            for item in window.session.chosen():
                window.session.edits.turn_on(item.key, False)
            window.take_files([renderer.small_model(name) for name in names])
            renderer.settle()
            merges(share, word, text)(window)
            view = window.workspace
            assert isinstance(view, MergesView)
            for lane in view.steps.lanes.values():
                if isinstance(lane.body, LatticeBody) and share == 1.0:
                    best = lane.body.list.best
                    best.setCurrentIndex(best.model().index(2, 0))

        return prepare

    def palette(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        renderer.settle()
        window.palette_commands.open_palette()
        assert window.palette_commands.opened is not None
        window.palette_commands.opened.search.setText("tok")

    def shortcuts(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        renderer.settle()
        window.help.show_shortcuts()

    def settings(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        renderer.settle()
        window.lazy.settings.open_settings()

    def help_page(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        renderer.settle()
        window.help.show_help()

    def lesson(id: str, steps: int) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.lessons.open_list()
            if id:
                window.lessons.open(id)
                renderer.settle()
                for _ in range(steps):
                    window.lessons.step(1)
                    renderer.settle()

        return prepare

    def offline(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        details = "https://huggingface.co could not be reached: Host huggingface.co not found."
        sentence = OFFLINE.format("Gemma 3 and Codex", "were")
        window.session.trouble.emit(Trouble(sentence, details, lambda: None))

    def find(query: str, size: QSize = USUAL) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            with resources.as_file(
                resources.files("tokenarium.resources") / "tokenizers"
            ) as folder:
                window.lazy.finding.set_folders([folder])
                window.lazy.finding.find_tokenizers()
                renderer.settle()
            assert window.lazy.finding.find_dialog is not None
            window.lazy.finding.find_dialog.search.setText(query)

        return prepare

    def about_tokenizer(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        renderer.settle()
        window.lazy.checking.about_tokenizer()

    def check(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        renderer.settle()
        window.lazy.checking.check_reference()

    def check_parts(window: MainWindow) -> None:
        check(window)
        renderer.settle()
        assert window.lazy.checking.dialog is not None
        window.lazy.checking.dialog.show_report(PARTING)

    def chat(
        template: str, size: QSize = USUAL, source: str = "", annotations: Annotations = "none"
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            window.session.set_annotations(annotations)
            window.session.set_current("named:o200k_base")
            renderer.settle()
            window.lazy.chatting.chat()
            dialog = window.lazy.chatting.dialog
            assert dialog is not None
            dialog.tabs.setCurrentIndex(1 if source else 0)
            dialog.reset.click()
            dialog.choice.setCurrentIndex(dialog.choice.findText(template))
            dialog.choice.activated.emit(dialog.choice.currentIndex())
            if source:
                dialog.source.set_text(source)
                dialog.source_edited.emit(source)

        return prepare

    return [
        ("find", "tokens", find("")),
        ("find-query", "tokens", find("bert")),
        ("find-repository", "tokens", find("someone/their-model")),
        ("find-nothing", "tokens", find("qqqq")),
        ("find-small", "tokens", find("", SMALL)),
        ("about-tokenizer", "tokens", about_tokenizer),
        ("check", "tokens", check),
        ("check-parts", "tokens", check_parts),
        ("first-start", "", lambda window: window.welcoming.show_page()),
        ("empty", "tokens", lambda window: window.session.set_text("")),
        ("no-tokenizer", "tokens", no_tokenizer),
        ("selection", "tokens", select),
        ("hindi", "tokens", sample("prose-hi")),
        ("emoji", "tokens", emoji),
        ("blanks", "tokens", sample("hard-blanks")),
        ("special-tokens", "tokens", special),
        ("long", "tokens", long),
        ("downloading", "tokens", missing),
        ("error", "tokens", bad_file),
        ("why-card", "", asked_why),
        ("small", "tokens", lambda window: (window.resize(SMALL), sample(WELCOME)(window))),
        ("palette", "tokens", palette),
        ("shortcuts", "tokens", shortcuts),
        ("settings", "tokens", settings),
        ("help", "tokens", help_page),
        ("offline", "tokens", offline),
        ("lessons", "", lesson("", 0)),
        ("lesson", "", lesson("04-merges", 1)),
        ("pretokens", "pretokens", sample(WELCOME)),
        ("merges", "merges", merges(0.5)),
        ("merges-end", "merges", merges(1.0)),
        ("merges-queue", "merges", merges(0.5, panel=0)),
        ("merges-list", "merges", merges(0.5, panel=1)),
        ("merges-cache", "merges", merges(0.5, panel=2)),
        ("unigram", "merges", played(("unigram",), WELCOME, "Familiar words", 0.5)),
        ("unigram-end", "merges", played(("unigram",), WELCOME, "Familiar words", 1.0)),
        ("unigram-small", "merges", played(("unigram",), WELCOME, "Familiar", 0.5, SMALL)),
        ("wordpiece", "merges", played(("wordpiece",), WELCOME, "phlogiston", 0.4)),
        ("wordpiece-end", "merges", played(("wordpiece",), WELCOME, "phlogiston", 1.0)),
        ("players", "merges", played(("unigram", "wordpiece"), WELCOME, "unfamiliar", 0.5)),
        *why_stops(renderer),
        *prefix_stops(renderer),
        *train_stops(renderer),
        *superword_stops(renderer),
        ("bytes", "bytes", byte_rows(sample_text(WELCOME), WORD)),
        ("bytes-arabic", "bytes", byte_rows(sample_text("prose-ar"))),
        ("bytes-hindi", "bytes", byte_rows(sample_text("prose-hi"), "रेलगाड़ी")),
        ("bytes-japanese", "bytes", byte_rows(sample_text("prose-ja"), "本屋")),
        ("bytes-emoji", "bytes", byte_rows(ZWJ, "\N{ZERO WIDTH JOINER}")),
        ("bytes-part", "bytes", byte_part),
        ("bytes-small", "bytes", byte_rows(sample_text(WELCOME), WORD, SMALL)),
        ("bytes-empty", "bytes", lambda window: window.session.set_text("")),
        (
            "decode",
            "bytes",
            lambda window: window.byte_commands.decode("[64, 226, 130, 299, 999999]"),
        ),
        (
            "encode-bytes",
            "bytes",
            lambda window: window.byte_commands.encode("49 20 63 61 66 E9 20 61 75 20 6C 61 69 74"),
        ),
        ("byte-table", "bytes", lambda window: window.byte_commands.show_page("alphabet")),
        ("pretokens-empty", "pretokens", lambda window: window.session.set_patterns([])),
        ("pretokens-arabic", "pretokens", sample("prose-ar")),
        ("pretokens-difference", "pretokens", difference),
        ("pretokens-own", "pretokens", own_pattern(r"(?P<word> ?\p{L}+)|(?P<other>.|\n)")),
        ("pretokens-error", "pretokens", own_pattern(r"\p{L}+|(\s+")),
        *training_stops(renderer),
        ("chat-ids", "tokens", chat("Headers, as Llama 3", annotations="ids")),
        ("chat-small", "tokens", chat("Turns, as Gemma", SMALL)),
        ("chat-error", "tokens", chat("ChatML", source=UNFINISHED)),
        ("chat-guess", "tokens", chat("ChatML", source=BACKWARDS)),
        *size_stops(renderer),
        *script_stops(renderer),
        *compare_stops(renderer),
        *export_stops(renderer),
        *vocabulary_stops(renderer),
        ("perturb", "tokens", question("perturb", "The naïve café in Rome")),
        ("stream", "tokens", question("stream", "A sign 歪 and a family 👩‍👩‍👧 at http:")),
        ("ways", "tokens", question("ways", " tokenization")),
    ]
