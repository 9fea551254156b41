"""``--repairs`` and ``--repair`` of the commands diagnose and diff."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command
from differing_pairs import fields_of, opened, put

import tokenarium_core as tc
from tokenarium.commands.mending import MOST_EDITS, list_repairs
from tokenarium.commands.terminal import FAILED
from tokenarium.models.mending.repair import FileEdit, Repair
from tokenarium.resources.samples_index import load_samples

diagnose = command("diagnose")
diff = command("diff")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    path.mkdir()
    fields = fields_of("prefixed_bytes")
    put({"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}, "truncation")(fields)  # fmt: skip
    opened(fields, path / "tokenizer.json")
    return path


def test_repairs_of_findings_are_listed_and_made(folder: Path, tmp_path: Path) -> None:
    code, said = diagnose(folder, "--repairs")
    assert code == 0
    assert "tokenizer.json: added_tokens[3].lstrip" in said
    listed = json.loads(diagnose(folder, "--repairs", "--json")[1])
    assert [one["id"] for one in listed] == ["added_blanks", "stored_cuts"]
    assert listed[0]["edits"] == [
        {"file": "tokenizer.json", "path": ["added_tokens", 3, "lstrip"], "action": "set", "before": True, "after": False}
    ]  # fmt: skip
    out = tmp_path / "out"
    code, said = diagnose(folder, "--repair", "stored_cuts", "--out", out)
    assert code == 0
    assert said.startswith("stored_cuts: Removes truncation from the file")
    assert "tokenizer.json mended. All sample texts have the same ids as before, as read by tokenizers" in said  # fmt: skip
    left = json.loads(diagnose(out, "--repairs", "--json")[1])
    assert [one["id"] for one in left] == ["added_blanks"]
    made = json.loads(diagnose(folder, "--repair", "all", "--out", tmp_path / "every", "--json")[1])
    assert made["repairs"] == ["added_blanks", "stored_cuts"]
    assert "nothing in every that a repair could mend" in diagnose(tmp_path / "every", "--repairs")[1]  # fmt: skip


def test_a_difference_is_mended(two: tuple[Path, Path], tmp_path: Path) -> None:
    a, b = two
    out = tmp_path / "out"
    listed = json.loads(diff(a, b, "--repairs", "--json")[1])
    assert [one["id"] for one in listed] == ["pre-tokenizer"]
    code, said = diff(a, b, "--repair", "pre-tokenizer", "--out", out)
    assert code == 0
    assert "pre-tokenizer: The pre-tokenizer becomes that of b." in said
    texts = [sample.text() for sample in load_samples()]
    changed = sum(tc.open(a).encode_ids(text) != tc.open(b).encode_ids(text) for text in texts)
    assert 0 < changed < len(texts)
    assert f"{changed} of {len(texts)} sample texts have different ids now" in said
    assert diff(out / "a.json", b)[0] == 0
    assert tc.open(out / "a.json").encode_ids("1234") == tc.open(b).encode_ids("1234")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--repair", "stored_cuts"], "--repair and --out belong together"),
        (["--out", "x"], "--repair and --out belong together"),
        (["--repair", "nothing", "--out", "x"], "There is no repair 'nothing'. The repairs are: added_blanks, stored_cuts."),
    ],
)  # fmt: skip
def test_what_it_refuses(folder: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(folder.parent)
    code, output = diagnose(folder, *arguments)
    assert code == FAILED
    assert said in " ".join(output.split())
    assert not Path("x").exists()


def test_the_first_edits_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    edit = FileEdit("tokenizer.json", ("added_tokens", 3, "lstrip"), True, False)
    many = Repair("many", "x", "Many", "It does it.", (edit,) * (MOST_EDITS + 5))
    pattern = Repair("one", "x", "One", "It does that.", pattern="gpt-2")
    list_repairs("Some", [many, pattern], False)
    said = capsys.readouterr().out
    assert said.count("added_tokens[3].lstrip") == MOST_EDITS
    assert said.count("It does it.") == 1
    assert said.count("more") == 1
    assert "… and 5 more" in said
    assert [part.strip() for part in said.splitlines()[-2].split("│")[1:-1]] == ["one", "It does that.", "tokenizer.ggml.pre", "", "gpt-2"]  # fmt: skip
