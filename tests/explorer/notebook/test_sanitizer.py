"""The still form of every figure passes the sanitizer of JupyterLab: nothing that is seen is lost."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from npm_packages import npm_package
from small_vocabularies import LOWER

from tokenarium import notebook
from tokenarium.notebook.live_progress import ShownProgress

SANITIZER = "4.7.6"
"""The version of @jupyterlab/apputils."""

CHILD = Path(__file__).parents[2] / "helpers" / "jupyter_sanitizer.mjs"

TEXTS = ("lower <b>low</b>\nशब्द 日本\n", "</span><script>alert(1)</script>\0\u202e")


def sanitized(written: list[str]) -> list[str]:
    """Returns HTML as the sanitizer leaves it."""
    folder = npm_package("@jupyterlab/apputils", SANITIZER)
    sent = "".join(json.dumps(one) + "\n" for one in written)
    done = subprocess.run(
        ["node", str(CHILD), str(folder)],
        input=sent,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def normal(written: str) -> str:
    """Returns HTML without the differences of writing that the sanitizer makes."""

    def styles(found: re.Match[str]) -> str:
        parts = [part.strip() for part in found[1].split(";")]
        return f'style="{";".join(re.sub(": ", ":", part) for part in parts)}"'

    plain = re.sub(r'style="([^"]*)"', styles, written)
    return plain.replace("&#x27;", "'").replace(" />", ">").replace("&quot;", '"')


def still_forms() -> dict[str, str]:
    """Returns what a notebook shows without scripts, by what made it."""
    training = notebook.train(["low lower lowest low low"] * 9, 262)
    figures = {"training": training, "diff": notebook.diff(LOWER, training.tokenizer)}
    for number, text in enumerate(TEXTS):
        figures |= {
            f"one {number}": notebook.show(text, LOWER),
            f"two {number}": notebook.show(text, LOWER, training.tokenizer),
            f"play {number}": notebook.play(text, LOWER),
            f"trace {number}": notebook.trace(text, LOWER),
            f"compare {number}": notebook.compare({text: text}, LOWER),
            f"pretokens {number}": notebook.pretokens(text, LOWER, pattern="gpt2"),
            f"bytes {number}": notebook.bytes(text, LOWER),
            f"why {number}": notebook.why(text, LOWER),
        }
    forms = {name: figure.still for name, figure in figures.items()}
    shown = [LOWER.encode(text) for text in TEXTS]
    forms |= {f"encoding {number}": one._repr_html_() for number, one in enumerate(shown)}
    forms |= {"tokenizer": LOWER._repr_html_(), "vocabulary": LOWER.vocabulary._repr_html_()}
    forms["progress"] = ShownProgress("Merging <b>", 0.4, 2.0)._repr_html_()
    return forms


@pytest.mark.slow
def test_the_sanitizer_takes_nothing_away() -> None:
    forms = still_forms()
    for name, form, left in zip(forms, forms.values(), sanitized([*forms.values()]), strict=True):
        assert normal(left) == normal(form), name


@pytest.mark.slow
def test_a_script_is_in_a_frame_which_the_sanitizer_takes_away() -> None:
    shown = notebook.show("low", LOWER)
    assert "<script" not in shown.html
    assert shown.html.count("<iframe") == 1
    (left,) = sanitized([shown.html])
    assert "iframe" not in left
    assert normal(shown.still) in normal(left)
