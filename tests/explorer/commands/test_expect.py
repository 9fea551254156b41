"""``tokenarium expect``, and what it shares with the other checks: levels, exit codes, JSON and Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from command_line import command
from differing_pairs import fields_of, opened, put

from project import ROOT
from tokenarium.commands.diagnose import LEVELS
from tokenarium.commands.evaluate import FAILING
from tokenarium.commands.terminal import FAILED, FOUND
from tokenarium.models.release.expected_ids import EXPECTED_EFFECTS
from tokenarium_core.comparing.stage_differences import EFFECTS

expect = command("expect")
diagnose = command("diagnose")
diff = command("diff")
evaluate = command("evaluate")


def test_written_once_and_checked_later(two: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    assert expect("write", two[0], "in 1234", "ab", "--out", out) == (
        0,
        f"{out} has the ids of 2 texts in a.\n",
    )
    assert expect("check", out, two[0]) == (0, "2 texts have the expected ids in a.\n")
    code, said = expect("check", out, two[1])
    assert code == FOUND
    assert '"in 1234"' in said
    assert "pre-tokenizer" in said
    assert "1 of 2 texts has different ids in b." in said


def test_the_same_as_json_and_markdown(two: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    expect("write", two[0], "234", "1|2 1234", "--out", out)
    code, said = expect("check", out, two[1], "--json", "--most", 1)
    found = json.loads(said)
    assert (code, found["worst"], found["different"], len(found["differences"])) == (3, "changes-ids", 2, 1)  # fmt: skip
    assert found["differences"][0]["expected"]["tokens"] != found["differences"][0]["found"]["tokens"]  # fmt: skip
    code, said = expect("check", out, two[1], "--markdown", "--most", 1)
    assert code == FOUND
    lines = said.split("\n")
    assert lines[0] == "### Expected ids of b"
    assert "1 more differences are not shown." in lines
    assert lines[-3].startswith("| --- |")
    assert lines[-2].startswith('| 2 | "234" | pre-tokenizer |')
    assert '"1\\|2 1234"' in expect("check", out, two[1], "--markdown")[1]


def test_half_a_surrogate_pair_as_json(two: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    lines = [{"text": "a\ud800", "ids": [1]}, {"text": "é", "ids": [1]}]
    out.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    code, said = expect("check", out, two[0], "--json")
    assert code == FOUND
    assert [one["text"] for one in json.loads(said)["differences"]] == ["a\ud800", "é"]
    out.write_text(json.dumps(lines[1]), "utf-8")
    assert '"é"' in expect("check", out, two[0], "--json")[1]  # no escape where none is needed


def test_a_long_text_is_shown_where_it_differs(two: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    expect("write", two[0], "ab " * 100 + "12345", "--out", out)
    said = expect("check", out, two[1])[1]
    assert "12345" in said
    assert "ab " * 20 not in said


def test_which_effect_fails(tmp_path: Path) -> None:
    fields = fields_of("llama2")
    names = [tmp_path / f"{name}.json" for name in ("a", "file", "decoder", "ids")]
    opened(fields, names[0])
    put({"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}, "truncation")(fields)  # fmt: skip
    opened(fields, names[1])
    put(None, "decoder")(fields)
    opened(fields, names[2])
    put(None, "normalizer")(fields)
    opened(fields, names[3])
    out = tmp_path / "e.jsonl"
    expect("write", names[0], "a b", "--out", out)
    codes = [[expect("check", out, name, "--fail-on", effect)[0] for effect in EXPECTED_EFFECTS] for name in names]  # fmt: skip
    assert codes == [[0, 0, 0], [0, 0, 3], [0, 3, 3], [3, 3, 3]]


def test_texts_are_written_anew_from_an_older_file(two: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    expect("write", two[0], "12345", "a\0b", "--out", old)
    expect("write", two[1], "--file", old, "--out", new)
    assert expect("check", new, two[1])[0] == 0
    assert expect("check", new, two[0])[0] == FOUND
    assert expect("write", two[1], "--file", old)[1] == new.read_text("ascii")


def test_what_it_refuses(two: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    empty = tmp_path / "empty.txt"
    empty.write_text("\n", encoding="utf-8")
    code, said = expect("write", two[0], "--file", empty, "--out", out)
    assert (code, said) == (FAILED, "There are no texts: the files are empty.\n")
    assert not out.exists()
    assert list(tmp_path.glob(".*")) == []
    expect("write", two[0], "a", "--out", out)
    code, said = expect("check", out, two[0], "--fail-on", "never")
    assert (code, said) == (FAILED, "There is no effect 'never': choose from changes-ids, changes-text, keeps-ids.\n")  # fmt: skip
    assert expect("check", tmp_path / "no.jsonl", two[0])[0] == FAILED
    assert expect("check", tmp_path, two[0])[0] == FAILED
    assert expect("check", out, "nowhere")[0] == FAILED
    assert expect("check", two[0], two[0])[0] == FAILED


# The other checks.


def test_findings_as_markdown(tmp_path: Path) -> None:
    fields = fields_of("prefixed_bytes")
    path = tmp_path / "a.json"
    opened(fields, path)
    code, said = diagnose(path, "--only", "added_blanks", "--only", "not_utf8", "--markdown")
    assert code == 0
    assert said.split("\n") == [
        "### Diagnostics of a",
        "",
        "1 finding in 2 examinations.",
        "",
        "| level | finding | what was found | first cases |",
        "| --- | --- | --- | --- |",
        said.split("\n")[6],
        "",
    ]
    assert said.split("\n")[6].startswith("| may surprise | Spaces next to added tokens | 1 added token takes")  # fmt: skip
    assert '"\\[MASK\\]" takes all spaces before it' in said
    assert "No findings." in diagnose(path, "--only", "not_utf8", "--markdown")[1]


def test_differences_as_markdown(two: tuple[Path, Path]) -> None:
    code, said = diff(*two, "--markdown")
    assert code == FOUND
    assert said.startswith("### a and b\n\nThe text ")
    assert "\n| pre-tokenizer | pattern of the step Split |" in said
    assert "| stage | difference | A: a | B: b | effect | text |\n| --- |" in said


@pytest.mark.slow
def test_an_evaluation_as_markdown_and_its_level(two: tuple[Path, Path], tmp_path: Path) -> None:
    text = tmp_path / "t.txt"
    text.write_text("the cat sat\n", encoding="utf-8")
    arguments = (two[0], "-f", text, "--limit", "bytes_per_token=off")
    code, said = evaluate(*arguments, "--markdown")
    assert said.startswith("### Evaluation of a: ")
    assert "\n|  | check | figure | threshold |\n| --- |" in said
    verdict = json.loads(evaluate(*arguments, "--json")[1])["verdict"]
    assert code == (FAILED if verdict == "fail" else 0)
    looked = (*arguments, "--limit", "bytes_per_token.look=99")
    every = [f"--limit={one['id']}=off" for one in json.loads(evaluate(*arguments, "--json")[1])["checks"]]  # fmt: skip
    only = (two[0], "-f", text, *every, "--limit", "bytes_per_token.look=99")
    assert json.loads(evaluate(*only, "--json")[1])["verdict"] == "look"
    assert evaluate(*only)[0] == 0
    assert evaluate(*only, "--fail-on", "look")[0] == FAILED
    assert "no verdict 'never': choose from fail, look." in evaluate(*looked, "--fail-on", "never")[1]  # fmt: skip


# The documentation.


def test_the_example_workflow_runs(two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    page = (ROOT / "docs" / "checks.md").read_text("utf-8")
    workflow = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
    steps = workflow["jobs"]["tokenizer"]["steps"]
    commands = [one["run"].split(" >> ")[0].split() for one in steps if "tokenarium " in one.get("run", "")]  # fmt: skip
    assert [words[1] for words in commands] == ["diagnose", "expect", "evaluate", "diff"]
    for folder, file in zip(("base/tokenizer", "tokenizer"), two, strict=True):
        (tmp_path / folder).mkdir(parents=True)
        file.rename(tmp_path / folder / "tokenizer.json")
    monkeypatch.chdir(tmp_path)
    expect("write", "base/tokenizer", "--out", "expected.jsonl")
    codes = []
    for program, name, *arguments in commands:
        assert program == "tokenarium"
        code, said = command(name)(*arguments)
        assert said.startswith("### ")
        codes.append(code)
    assert codes == [0, FOUND, codes[2], FOUND]


def test_the_page_names_the_levels_as_the_commands_do() -> None:
    page = (ROOT / "docs" / "checks.md").read_text("utf-8")
    rows = {row.split("`")[1].removeprefix("tokenarium "): row for row in page.split("\n") if row.startswith("| `tokenarium ")}  # fmt: skip
    levels = {"diagnose": LEVELS, "diff": EFFECTS, "evaluate": FAILING, "expect check": EXPECTED_EFFECTS}  # fmt: skip
    assert rows.keys() == levels.keys()
    for name, values in levels.items():
        cell = rows[name].split("|")[3]
        assert cell.split("`")[1::2] == list(values)
