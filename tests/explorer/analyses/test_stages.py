"""The stages of tokenizers side by side, against the stages of the reference libraries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers as hf
from pytestqt.qtbot import QtBot
from sentencepiece import SentencePieceProcessor
from tokenizers.models import BPE, WordLevel
from typer.testing import CliRunner
from windows import Host, show_page

import tokenarium_core as tc
from tokenarium.analyses.analysis import AnalysisInputs, Subject
from tokenarium.analyses.stages import STAGES
from tokenarium.commands.cli import app
from tokenarium.models.tokenizers.stage_facts import StageFact, stage_facts, unknown_by
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.views.analysis_page import page_of

TEXT = "Café 2024 🫩"
NAMES = [
    "Added tokens", "Normalizer", "Pre-tokenizer", "Symbols", "Model", "Unknown characters", "Post-processor", "Decoder",
]  # fmt: skip


def facts_of(tokenizer: tc.Tokenizer, text: str = TEXT) -> dict[str, StageFact]:
    facts = stage_facts(tokenizer, text)
    assert [one.name for one in facts] == NAMES
    return {one.name: one for one in facts}


def test_word_piece_has_the_stages_of_tokenizers() -> None:
    path = shipped_path("wordpiece-8k")
    reference: Any = hf.Tokenizer.from_file(str(path))
    facts = facts_of(tc.open(path))
    normalized = reference.normalizer.normalize_str(TEXT)
    assert facts["Normalizer"].text == normalized.replace(" ", "␣")
    words = [word for word, _ in reference.pre_tokenizer.pre_tokenize_str(normalized)]
    assert [part for part in facts["Pre-tokenizer"].text.split(" | ") if part != "␣"] == words
    encoded = reference.encode(TEXT, add_special_tokens=False)
    assert facts["Model"].text.split(" | ") == encoded.tokens
    assert facts["Symbols"].text == f"{len(normalized)} characters"
    unknown = encoded.tokens.count("[UNK]")
    assert unknown == 1
    assert facts["Unknown characters"].text == "1 unknown token"
    decoded = reference.decode(encoded.ids, skip_special_tokens=False)
    assert facts["Decoder"].text == f"another text: “{decoded.replace(' ', '␣')}”"
    assert facts["Post-processor"].about == "BOS added by itself · EOS added by itself"
    assert facts["Added tokens"].about == "5, all special"


def test_sentencepiece_falls_back_to_bytes() -> None:
    path = shipped_path("unigram-8k")
    reference: Any = SentencePieceProcessor(model_file=str(path))
    facts = facts_of(tc.open(path))
    pieces = reference.encode(TEXT, out_type=str)
    fallen = sum(reference.is_byte(reference.piece_to_id(piece)) for piece in pieces)
    assert fallen >= 4
    assert facts["Unknown characters"].text == f"{fallen} byte pieces"
    assert facts["Symbols"].about == "characters; ▁ is a space in the file"
    assert facts["Symbols"].text == f"{len(TEXT) + 1} characters"  # with the space in front
    assert facts["Pre-tokenizer"].text == "unchanged"
    assert len(facts["Model"].text.split(" | ")) == len(pieces)


def test_byte_level_starts_from_bytes_and_loses_nothing() -> None:
    facts = facts_of(tc.open(shipped_path("tokenarium-8k")))
    assert facts["Symbols"].text == f"{len(TEXT.encode())} bytes"
    assert (facts["Normalizer"].about, facts["Normalizer"].text) == ("none", "unchanged")
    assert facts["Unknown characters"].text == "none"
    assert facts["Decoder"].text == "the text again"
    assert facts["Post-processor"].about == "BOS none · EOS added when asked for"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tokenarium-8k", "none: each byte has an entry"),
        ("unigram-8k", "their bytes, by byte fallback"),
        ("sentencepiece-bpe-8k", "their bytes, by byte fallback"),
        ("wordpiece-8k", "[UNK]; their text is lost"),
    ],
)
def test_what_becomes_of_unknown_characters(name: str, said: str) -> None:
    assert unknown_by(tc.open(shipped_path(name))) == said


def test_characters_may_be_dropped_or_refused(tmp_path: Path) -> None:
    dropped, refused = tmp_path / "dropped.json", tmp_path / "refused.json"
    hf.Tokenizer(BPE({"a": 0}, [])).save(str(dropped))
    hf.Tokenizer(WordLevel({"a": 0}, unk_token="[UNK]")).save(str(refused))
    assert unknown_by(tc.open(dropped)) == "dropped"
    assert hf.Tokenizer.from_file(str(dropped)).encode("𒀀").ids == []
    assert unknown_by(tc.open(refused)) == "refused with an error"


def test_the_table_has_what_each_stage_is_and_the_text_there() -> None:
    names = ["tokenarium-8k", "wordpiece-8k"]
    answer = STAGES.run({name: tc.open(shipped_path(name)) for name in names}, TEXT)
    assert [row["Stage"] for row in answer.rows] == NAMES
    for name in names:
        facts = stage_facts(tc.open(shipped_path(name)), TEXT)
        assert [row[name] for row in answer.rows] == [one.about for one in facts]
        assert [row[f"{name}: text"] for row in answer.rows] == [one.text for one in facts]


def test_a_tokenizer_that_refuses_the_text_says_why(tmp_path: Path) -> None:
    path = tmp_path / "refused.json"
    hf.Tokenizer(WordLevel({"a": 0}, unk_token="[UNK]")).save(str(path))
    bad, good = tc.open(path), tc.open(shipped_path("tokenarium-8k"))
    for opened, said in (({"bad": bad}, "not in this vocabulary"), ({"bad": bad, "good": good}, "same text")):  # fmt: skip
        inputs = AnalysisInputs([Subject(name, name, one) for name, one in opened.items()], "b")
        result = STAGES.complete(inputs)
        shown: Any = STAGES.show(inputs, result)
        assert said in shown["head"]
    cells = [column.cell(0) for column in shown["table"].columns]
    assert (cells[1].text, cells[2].text) == ("not defined", "1, all special")
    assert "not in this vocabulary" in cells[1].tip


def test_the_command_writes_json() -> None:
    one, other = (str(shipped_path(name)) for name in ("tokenarium-8k", "wordpiece-8k"))
    written = CliRunner().invoke(app, ["stages", one, TEXT, "--with", other, "--json"])
    found = json.loads(written.stdout)["tokenizers"]
    assert [list(stages) for stages in found.values()] == [NAMES, NAMES]
    table = CliRunner().invoke(app, ["stages", one, TEXT, "--with", other]).stdout
    assert "BertNormalizer" in table


def test_the_page_shows_the_stages_of_the_selection(host: Host, qtbot: QtBot) -> None:
    host.session.set_text(TEXT)
    page: Any = show_page(host, "compare", "stages", page_of("stages"))
    host.session.select(0, 5)
    qtbot.waitUntil(
        lambda: not page.busy and page.inputs is not None and page.inputs.text == "Café"
    )
    shown = page.parts["text"].topLevelItem(NAMES.index("Symbols"))
    assert shown.text(1) == "5 bytes"
    assert shown.toolTip(0)
    assert page.parts["table"].topLevelItem(7).text(1) == page.items[0].tokenizer.decoder.name
