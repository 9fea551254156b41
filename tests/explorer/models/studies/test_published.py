"""The published tables of the documentation: the studies and the program beside it still give the column "ours"."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from project import ROOT
from tokenarium.commands.reading import tokenizer_of
from tokenarium.models.studies.study import StudyPart, run_study
from tokenarium.models.studies.study_file import read_study

STUDIES = ROOT / "docs" / "studies"
PAGE = ROOT / "docs" / "published.md"
NAMES = ("petrov2023", "strr2025", "tokeval2026")


def table(heading: str) -> list[list[str]]:
    """Returns the cells of the first table with figures below a heading."""
    section = PAGE.read_text("utf-8").split(f"## {heading}")[1].split("\n## ")[0]
    lines = [line for line in section.split("\n") if line.startswith("|")]
    return [[cell.strip().strip("`*") for cell in line.split("|")[1:-1]] for line in lines]


@pytest.fixture
def folder(data: Path, tiktoken_cache: Path, tmp_path: Path) -> Path:
    """The studies with the texts and the tokenizers that they name."""
    published = data / "published"
    if not published.is_dir():
        pytest.skip("needs the texts of the published tables: see docs/published.md")
    for name in NAMES:
        shutil.copy(STUDIES / f"{name}.toml", tmp_path)
    for name in ("texts", "tokenizers"):
        (tmp_path / name).symlink_to(published / name)
    return tmp_path


def parts_of(folder: Path, name: str) -> tuple[list[str], dict[str, StudyPart]]:
    study = replace(read_study(folder / f"{name}.toml"), resamples=1)
    result = run_study(study, tokenizer_of)
    return [one.name for one in study.tokenizers], {part.name: part for part in result.parts}


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tokeval_rows", STUDIES / "tokeval.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_the_studies_can_be_read_and_have_all_hashes(name: str) -> None:
    study = read_study(STUDIES / f"{name}.toml")
    assert all(one.sha256 for one in (*study.tokenizers, *study.texts))
    assert f"studies/{name}.toml" in PAGE.read_text("utf-8")


@pytest.mark.slow
def test_the_premiums(folder: Path) -> None:
    tokenizers, parts = parts_of(folder, "petrov2023")
    assert tokenizers == ["gpt2", "cl100k_base"]
    heads, _, *rows = table("Premiums of Petrov")
    assert heads[3::2] == ["ours", "ours", "ours"]
    english = int(parts["eng_Latn"].counts[0, 1, 0])
    assert {row[1] for row in rows} | {"all texts"} == set(parts)
    for row in rows:
        first, second = (int(one) for one in parts[row[1]].counts[0, :, 0])
        ours = [f"{first:,}", f"{second:,}", f"{second / english:.2f}"]
        assert row[3::2] == ours, row[0]
        assert row[2::2] == ours, row[0]


@pytest.mark.slow
def test_the_single_token_retention_rates(folder: Path) -> None:
    tokenizers, parts = parts_of(folder, "strr2025")
    heads, _, *rows = table("Single-token retention rate")
    assert heads[1::2] == [f"{name}, theirs" for name in tokenizers]
    different = []
    for name, *cells in rows:
        counts = parts[name].counts[:, :, 0]
        ours = [f"{share:.2f}" for share in (100 * (counts == 1).mean(axis=0)).tolist()]
        assert [cell.strip("*") for cell in cells[1::2]] == ours, name
        different += [(name, at) for at, cell in enumerate(cells[::2]) if cell != ours[at]]
    assert different == [("hindi", tokenizers.index("Mistral Small"))]


@pytest.mark.slow
def test_the_results_of_tokeval(folder: Path, data: Path, program: ModuleType) -> None:
    heads, _, *rows = table("Results of TokEval")
    files = {
        "GPT OSS": "o200k_base",
        "Gemma 3": str(data / "tokenizers" / "gemma3-tokenizer.json"),
        "Mistral Nemo": str(folder / "tokenizers" / "tekken_240718.json"),
        "DeepSeek R1": str(folder / "tokenizers" / "deepseek-v3"),
        "Qwen 3": str(folder / "tokenizers" / "qwen.tiktoken"),
    }
    texts = folder / "texts" / "tokeval"
    for theirs, ours in zip(rows[::2], rows[1::2], strict=True):
        name = ours[0]
        found = program.results(
            tokenizer_of(files[name]), texts, name in ("Gemma 3", "Mistral Nemo")
        )
        assert list(found) == heads[2:]
        assert ours[1:] == ["ours", *found.values()], name
        assert theirs == [name, "theirs", *found.values()]
    tokenizers, parts = parts_of(folder, "tokeval2026")
    whole = parts["all texts"]
    lengths = (whole.counts[:, :, 0].sum(axis=0) / whole.units).tolist()
    ours_of = {row[0]: float(row[2]) for row in rows[1::2]}
    for name, length, extra in zip(tokenizers, lengths, (0, 1, 0, 0), strict=True):
        known = {"DeepSeek V3": "DeepSeek R1", "Qwen 2.5": "Qwen 3"}.get(name, name)
        assert f"{length + extra:.3f}" == f"{ours_of[known]:.3f}", name
