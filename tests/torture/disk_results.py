"""What commands write of a tokenizer beside itself: expected ids, the results of a study, mended folders. For full disks."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import faulty_folders
import zoo
from kills import TEXT, run_command

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosing import EXAMINATION_OF
from tokenarium.models.mending.finding_repairs import repairs_of
from tokenarium.models.mending.mended_folder import write_mended

Writer = tuple[Callable[[], object], Callable[[], object]]
"""What writes, and what checks that all of it is there or nothing."""

TOKENIZER = Path("tokenizer.tokenarium")


def commanded(arguments: list[str]) -> int:
    """Runs a command, which may refuse but not fail; returns its exit code."""
    code, output = run_command(arguments)
    assert "Traceback" not in output, output
    assert "fault in Tokenarium" not in output, output
    return code


def _expected(folder: Path) -> Writer:
    """Writes expected ids over those of other texts."""
    zoo.shared("bytes, cl100k").save(TOKENIZER)
    out = folder / "expected.jsonl"
    first, second = (["expect", "write", str(TOKENIZER), *texts, "--out", str(out)] for texts in (["a"], [TEXT] * 40))  # fmt: skip
    assert commanded(first) == 0
    before = out.read_bytes()

    def check() -> None:
        assert out.read_bytes() == before or len(out.read_bytes().splitlines()) == 41, "a full disk tears expected ids"  # fmt: skip
        assert commanded(["expect", "check", str(out), str(TOKENIZER)]) == 0

    return lambda: commanded(second), check


def _study(folder: Path) -> Writer:
    """Writes the results of a study over those of another."""
    zoo.shared("bytes, cl100k").save(TOKENIZER)
    other = TOKENIZER.with_name("other.tokenarium")
    zoo.shared("bytes, o200k").save(other)
    text = Path("text.txt")
    text.write_text("".join(f"Line {number}: {TEXT}" for number in range(30)))
    out, elsewhere = folder / "results", Path("elsewhere") / "results"
    wanted: list[dict[str, bytes]] = []
    for seed in ("1", "2"):
        study = Path(f"study-{seed}.toml")
        arguments = ["compare", str(TOKENIZER), str(other), "--file", str(text), "--intervals", "line", "--resamples", "50"]  # fmt: skip
        assert commanded([*arguments, "--seed", seed, "--write-study", str(study)]) == 0
        assert commanded(["evaluate", str(study), "--out", str(elsewhere)]) == 0
        wanted.append({path.name: path.read_bytes() for path in elsewhere.iterdir()})
        if seed == "1":
            assert commanded(["evaluate", str(study), "--out", str(out)]) == 0
    assert wanted[0] != wanted[1], "two studies have the same results"

    def check() -> None:
        found = {path.name: path.read_bytes() for path in out.iterdir()}
        assert found in wanted, f"a full disk tears a study: {sorted(found)}"

    return lambda: commanded(["evaluate", "study-2.toml", "--out", str(out)]), check


def _mended(in_place: bool, folder: Path) -> Writer:
    """Writes a mended folder, a new one or in place."""
    source = folder / "model" if in_place else Path("model")
    source.mkdir()
    files = faulty_folders.sound("llama3")
    files["tokenizer.json"]["added_tokens"][0]["rstrip"] = True
    files["tokenizer_config.json"]["eos_token"] = {
        **files["tokenizer.json"]["added_tokens"][0],
        "__type": "AddedToken",
    }
    for name, value in files.items():
        content = value if isinstance(value, str) else json.dumps(value)
        (source / name).write_text(content, "utf-8")
    tokenizer = tc.open(source)
    repairs = repairs_of(tokenizer, EXAMINATION_OF["added_blanks"](tokenizer))
    before = {path.name: path.read_bytes() for path in source.iterdir()}
    spare = Path("spare")
    write_mended(tokenizer, repairs, spare)
    mended = {path.name: path.read_bytes() for path in spare.iterdir()}
    shutil.rmtree(spare)
    out = source if in_place else folder / "out"

    def check() -> None:
        after = {path.name: path.read_bytes() for path in out.iterdir()} if out.is_dir() else {}
        wanted = [before, {**before, **mended}] if in_place else [{}, mended]
        assert after in wanted, f"a full disk tears a mended folder: {sorted(after)}"
        if not in_place:
            kept = {path.name: path.read_bytes() for path in source.iterdir()}
            assert kept == before, "a full disk changes what is mended"

    def write() -> None:
        if in_place or not out.exists():
            write_mended(tokenizer, repairs, out)

    return write, check


RESULTS: dict[str, Callable[[Path], Writer]] = {
    "expected ids": _expected,
    "study": _study,
    "mended folder": functools.partial(_mended, False),
    "mended in place": functools.partial(_mended, True),
}
"""What makes the writer of each, for a folder on a small disk."""
