"""The states of the tour that show repairs of a faulty file, and the programs that read it."""

from __future__ import annotations

import json

import tokenarium_core as tc
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.tour.render import Renderer
from tokenarium.tour.waiting import page_of, wait
from tokenarium.views.compare_diff import DiffPage
from tokenarium.views.compare_readers import ReadersPage
from tokenarium.views.vocabulary_diagnostics import DiagnosticsPage


def faulty(renderer: Renderer) -> None:
    """Opens a tokenizer with two faults, a copy of the shipped one."""
    path = renderer.folder / "our model" / "tokenizer.json"
    path.parent.mkdir()
    tc.open(shipped_path("tokenarium-8k")).save(path, format="huggingface")
    fields = json.loads(path.read_text("utf-8"))
    fields["added_tokens"][0]["lstrip"] = True
    digits = {"type": "Split", "pattern": {"String": r"\p{N}{1,3}"}, "behavior": "Isolated", "invert": False}  # fmt: skip
    steps = fields["pre_tokenizer"]["pretokenizers"]
    fields["pre_tokenizer"]["pretokenizers"] = [digits, *steps]
    path.write_text(json.dumps(fields, ensure_ascii=False, indent=2), "utf-8")
    session = renderer.window.session
    item = session.edits.add_file(path)
    wait(lambda: item.tokenizer is not None)
    session.set_current(item.key)


def repair(renderer: Renderer) -> None:
    """Shows the repair of a finding."""
    faulty(renderer)
    renderer.window.actions_by_id["vocabulary_diagnostics"].trigger()
    page = page_of(renderer, DiagnosticsPage)
    wait(lambda: page.item is not None and not page.busy)
    next(card for card in page.cards if card.finding.id == "stored_patterns").repair.click()


def repair_stage(renderer: Renderer) -> None:
    """Shows how a stage becomes that of another tokenizer."""
    faulty(renderer)
    session = renderer.window.session
    shown = [session.current, session.library.item("shipped:tokenarium-8k")]
    for item in [one for one in session.chosen() if one not in shown]:
        session.edits.turn_on(item.key, False)
    renderer.window.actions_by_id["compare_diff"].trigger()
    page = page_of(renderer, DiffPage)
    wait(lambda: page.answered and not page.busy)
    next(card for card in page.cards.cards if card.card.mendable).repair.click()
    wait(lambda: not page.busy)


def programs_run(renderer: Renderer) -> None:
    """Shows what the installed programs make of the file."""
    faulty(renderer)
    renderer.window.actions_by_id["compare_readers"].trigger()
    page = page_of(renderer, ReadersPage)
    wait(lambda: page.answered and not page.busy)
    page.run_programs()
    wait(lambda: not page.busy)
