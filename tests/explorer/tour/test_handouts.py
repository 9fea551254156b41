"""The command that writes a handout: a picture of each step, and the version and tokenizers it was made with."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

LESSON = """+++
title = "Short"
minutes = 5
learns = ["One thing."]
tokenizers = [["named:gpt2", "shipped:bpe-gpt2-8k"]]
+++

## One

{{ count(text) }} tokens.

```scene
text = "Hello, world"
```

```question
kind = "merge"
ask = "Which?"
```
"""


def test_the_command_writes_a_page_with_pictures(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "short.md").write_text(LESSON)
    out = tmp_path / "short.html"
    command = ["-m", "tokenarium", "lesson", "handout", str(tmp_path / "short.md")]
    done = subprocess.run(
        [sys.executable, *command, "--out", str(out), "--progress"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["1/1", f"wrote {out}"]
    assert "GPT-2 is not on this computer; BPE 8k, GPT-2 cuts replaces it." in done.stderr
    page = out.read_text()
    assert re.search(r"Tokenarium \d+\.\d+", page)
    assert "8,000 entries, SHA-256" in page
    found = re.search(r'src="data:image/png;base64,([^"]+)"', page)
    assert found is not None
    picture = QImage.fromData(base64.b64decode(found[1]))
    assert picture.width() > 1000


@pytest.mark.slow
def test_a_wrong_name_is_a_sentence(tmp_path: Path) -> None:
    command = ["-m", "tokenarium", "lesson", "handout", "no-such-lesson", "--out", "x.doc"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode
    assert "must end with .pdf or .html" in done.stderr
