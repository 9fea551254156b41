"""The stops of the tour that no scene file can show: faults, and work that is going on, which are made up here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Final

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.models.tokenizers.library import State
from tokenarium.models.tokenizers.reference_check import CheckStage, Divergence, Report
from tokenarium.session.fetching import OFFLINE
from tokenarium.session.session import Trouble
from tokenarium.tour.render import Renderer
from tokenarium.tour.stops import SMALL

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


def downloading(renderer: Renderer) -> None:
    """Shows a download that is going on."""
    library = renderer.window.session.library
    item = library.item("named:p50k_base")
    assert item is not None
    library.set_state(item, State.FETCHING)
    library.set_received(item, 310_000, 836_000)


def offline(renderer: Renderer) -> None:
    """Shows that another computer could not be reached."""
    details = "https://huggingface.co could not be reached: Host huggingface.co not found."
    sentence = OFFLINE.format("Gemma 3 and Codex", "were")
    renderer.window.session.trouble.emit(Trouble(sentence, details, lambda: None))


def bad_file(renderer: Renderer) -> None:
    """Shows what is said of a file that is not a text in UTF-8."""
    path = renderer.folder / "notes.txt"
    path.write_bytes("Café\n".encode("latin-1"))
    renderer.window.take_files([path])


def check(renderer: Renderer) -> None:
    """Shows a check against the library that owns the format."""
    renderer.window.lazy.checking.check_reference()


def check_parts(renderer: Renderer) -> None:
    """Shows a check that finds other ids."""
    check(renderer)
    renderer.settle()
    dialog = renderer.window.lazy.checking.dialog
    assert dialog is not None
    dialog.show_report(PARTING)


def find(query: str) -> Callable[[Renderer], None]:
    """Shows the search for tokenizers, in a folder that each computer has."""

    def show(renderer: Renderer) -> None:
        finding = renderer.window.lazy.finding
        with resources.as_file(resources.files("tokenarium.resources") / "tokenizers") as folder:
            finding.set_folders([folder])
            finding.find_tokenizers()
            renderer.settle()
        assert finding.find_dialog is not None
        finding.find_dialog.search.setText(query)

    return show


def find_small(renderer: Renderer) -> None:
    """Shows the search in a small window."""
    renderer.window.resize(SMALL)
    find("")(renderer)


FAKED: Final = {
    "downloading": downloading,
    "offline": offline,
    "error": bad_file,
    "check": check,
    "check-parts": check_parts,
    "find": find(""),
    "find-query": find("bert"),
    "find-repository": find("someone/their-model"),
    "find-nothing": find("qqqq"),
    "find-small": find_small,
}
"""What shows each of them, in a new window with the first sample text."""


def show_faked(name: str) -> Renderer:
    """Returns a new window that shows one of them; KeyError for an unknown one."""
    renderer = Renderer()
    renderer.window.session.set_text(sample_text(WELCOME))
    renderer.settle()
    FAKED[name](renderer)
    return renderer
