"""Opens every file and folder below some folders, and compares the ids with the library that owns each format.

    python3 packaging/dev.py wild FOLDER…                    a table, and a row for each tokenizer in build/wild.csv
    python3 packaging/dev.py wild FOLDER --out FILE.csv      the rows somewhere else
    python3 packaging/dev.py wild FOLDER --only "*.gguf"     some of the files

Each is opened in a process with limits of time and memory. The texts are the sentences that come with the program, in
many languages, and the texts with which a copy is proved: white space, unusual characters, special tokens, and pairs of
entries. A reference that is not installed is named in the row. The exit code is 1 if there are other ids or faults.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "torture"))

from attack import limit_memory  # noqa: E402 - found by the path above

OUT = ROOT / "build" / "wild.csv"
SECONDS = 120.0
MEGABYTES = 6000
OUTCOMES = ("equal", "other ids", "no reference", "known", "refused", "fault")
"""``known``: a kind that is named and not read. ``fault``: anything but a tokenizer or a sentence."""

BAD = ("other ids", "fault")


@dataclass
class Row:
    """What became of one file or folder; ``sha256`` is that of all files read, one after the other."""

    path: str
    bytes: int = 0
    sha256: str = ""
    outcome: str = "fault"
    format: str = ""
    library: str = ""
    texts: int = 0
    seconds: float = 0.0
    sentence: str = ""


def sources_in(folder: Path) -> Iterator[Path]:
    """Yields what is opened below a folder: tokenizers as the program lists them, then all other files but settings."""
    from tokenarium_core.formats.opening import tokenizers_in
    from tokenarium_core.formats.settings_files import MODEL_CONFIG, SETTINGS_FILES

    for parent, folders, names in os.walk(folder):
        folders.sort()
        here = Path(parent)
        tokenizers = tokenizers_in(here, sorted(names))
        yield from dict.fromkeys(tokenizer.source for tokenizer in tokenizers)
        if not tokenizers and not set(SETTINGS_FILES).isdisjoint(names):
            yield here  # a class without a vocabulary, or whose files are refused with a reason
        read = {file.name for tokenizer in tokenizers for file in tokenizer.files}
        read |= {*SETTINGS_FILES, MODEL_CONFIG}
        yield from (here / name for name in sorted(names) if name not in read)


def opened(path: Path) -> Row:
    """Opens a path and compares it with its reference, in this process."""
    import tokenarium_core as tc
    from tokenarium.models.compare.parallel_texts import shipped
    from tokenarium.models.tokenizers.reference_check import check
    from tokenarium.models.tokenizers.references import reference_for
    from tokenarium_core.formats.copy_proof import probes_for
    from tokenarium_core.formats.opening import foreign_kind

    row = Row(str(path))
    kind = None if path.is_dir() else foreign_kind(path)
    try:
        tokenizer = tc.open(path)
    except tc.TokenariumError as error:
        row.outcome = "refused" if kind is None else "known"
        row.sentence = str(error)
        return row
    files = tokenizer.source.files
    row.format, row.bytes = tokenizer.source.format, sum(file.stat().st_size for file in files)
    row.sha256 = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    try:
        reference = reference_for(tokenizer, False)
    except tc.TokenariumError as error:
        row.outcome, row.sentence = "no reference", str(error)
        return row
    row.library, row.outcome = reference.library, "equal"
    for text in (*(line for each in shipped() for line in each.lines), *probes_for(tokenizer)):
        try:
            difference = check(tokenizer, reference, text).divergence
        except (
            tc.TokenariumError
        ) as error:  # a text that it does not encode, as its pattern does not match all of it
            row.sentence = f"{text!r} is refused: {error}"
            continue
        row.texts += 1
        if difference is not None:
            ours, theirs = ([id for id, _ in some] for some in (difference.ours, difference.theirs))
            row.outcome = "other ids"
            row.sentence = f"{difference.text!r} ({difference.stage.value}): {ours} here, {theirs} in the library"
            break
    if not row.texts:
        row.outcome = "no reference"
    return row


def opened_apart(path: Path, seconds: float, megabytes: int) -> Row:
    """Opens a path in a process of its own; a fault where this ends without an answer."""
    row, began = Row(str(path)), time.monotonic()
    command = [sys.executable, __file__, "--one", str(path), "--megabytes", str(megabytes)]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        row.sentence = f"It took longer than {seconds:g} s."
    else:
        if ended.returncode == 0:
            row = Row(**json.loads(ended.stdout))
        else:
            lines = ended.stderr.decode(errors="replace").strip().splitlines() or ["nothing"]
            row.sentence = f"The process ended with {ended.returncode} and said: {lines[-1]}"
    if not row.sha256 and path.is_file():
        content = path.read_bytes()
        row.bytes, row.sha256 = len(content), hashlib.sha256(content).hexdigest()
    row.seconds = round(time.monotonic() - began, 2)
    return row


def report(rows: list[Row]) -> str:
    """Returns a table of outcomes by format, with each different content once, and what is wrong."""
    distinct = list({(row.sha256 or row.path): row for row in rows}.values())
    counts = Counter((row.format or "not opened", row.outcome) for row in distinct)
    shown = [outcome for outcome in OUTCOMES if any(row.outcome == outcome for row in distinct)]
    lines = [f"{'':20}" + "".join(f"{outcome:>14}" for outcome in shown)]
    for format in sorted({format for format, _ in counts}):
        cells = [f"{counts[format, outcome] or '':>14}" for outcome in shown]
        lines.append(f"{format:20}" + "".join(cells))
    lines += [
        f"{row.outcome}: {row.path}: {row.sentence}" for row in distinct if row.outcome in BAD
    ]
    return "\n".join([*lines, f"{len(rows):,} opened, {len(distinct):,} of them different."])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="dev.py wild", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=OUT, help="the file for the rows")
    parser.add_argument("--only", default="*", help="only paths that end so, with wildcards")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each")
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="for each; on Linux only")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        limit_memory(options.megabytes << 20)
        print(json.dumps(asdict(opened(options.one))))
        return 0
    if not options.folders:
        parser.error("give the folders with files to open")
    missing = [str(folder) for folder in options.folders if not folder.is_dir()]
    if missing:
        parser.error(f"{missing[0]} is not a folder")
    paths = [path for folder in options.folders for path in sources_in(folder)]
    paths = [path for path in paths if fnmatch.fnmatch(str(path), f"*{options.only}")]
    rows: list[Row] = []
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool, options.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        for row in pool.map(
            lambda path: opened_apart(path, options.seconds, options.megabytes), paths
        ):
            rows.append(row)
            writer.writerow(asdict(row))
            file.flush()
            print(f"{len(rows):5} of {len(paths)}  {row.outcome:12}  {row.path}", flush=True)
    print(report(rows))
    return int(any(row.outcome in BAD for row in rows))


if __name__ == "__main__":
    sys.exit(main())
