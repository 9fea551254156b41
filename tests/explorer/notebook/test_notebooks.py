"""The notebooks of the documentation, run by a real kernel and written as pages."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from project import ROOT

FOLDER = ROOT / "docs" / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def test_there_are_three_without_outputs() -> None:
    assert NAMES == ["languages", "merges", "training"]
    for name in NAMES:
        cells = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert code
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The notebooks after all cells are run, by their names."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    home = tmp_path_factory.mktemp("home")
    ran = {}
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):  # fmt: skip
            patch.setenv(variable, str(home))
        patch.setenv("PYTHONWARNINGS", "default")
        patch.delenv("QT_QPA_PLATFORM", raising=False)
        for name in NAMES:
            read = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
            client = nbclient.NotebookClient(read, timeout=300, kernel_name="python3")
            ran[name] = client.execute(cwd=str(home), env=dict(os.environ))
    return ran


def data_of(ran: Any, kind: str) -> list[str]:
    """Returns what the cells of a notebook show in a MIME type."""
    return [
        output["data"][kind]
        for cell in ran["cells"]
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_runs_every_cell(outputs: dict[str, Any], name: str) -> None:
    ran = outputs[name]
    kinds = {output["output_type"] for cell in ran["cells"] for output in cell.get("outputs", [])}
    assert kinds <= {"execute_result", "display_data", "stream"}
    assert not [out for cell in ran["cells"] for out in cell.get("outputs", []) if out.get("name") == "stderr"]  # fmt: skip
    shown = data_of(ran, "text/html")
    assert not any(
        "<pre" in one.partition("srcdoc")[0] for one in shown
    )  # rich writes nothing itself
    assert len(shown) >= 3
    assert all(len(one) < 2_000_000 for one in shown)


@pytest.mark.slow
def test_the_figures_are_there(outputs: dict[str, Any]) -> None:
    languages = "".join(data_of(outputs["languages"], "text/html"))
    assert languages.count("<iframe ") == 2
    assert all(title in languages for title in ("Amharic", "Yoruba", "fertility in context"))
    merges = data_of(outputs["merges"], "text/html")
    assert any("<ol" in one for one in merges)
    training = "".join(data_of(outputs["training"], "text/html"))
    assert "Byte-pair encoding: 2,000 entries" in training
    assert "data:image/svg+xml;base64," in training


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_written_as_a_page(
    outputs: dict[str, Any], name: str, tmp_path: Path
) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    written, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(outputs[name])
    (tmp_path / f"{name}.html").write_text(written, "utf-8")
    assert "background:#" in written
    assert not re.search(r"Traceback|TokenariumError", written)
