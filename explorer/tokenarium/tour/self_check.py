"""Tests what the app does in other processes, and what it needs from its environment, without a display.

    python -m tokenarium.tour.self_check [FILE…]            the files are tokenizers to open
    tokenarium --worker tokenarium.tour.self_check [FILE…]   the same, in the app that has its own Python

It prints a line for each check; a failure ends it with exit code 1. It changes nothing of the user's.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PATIENCE_S = 120.0
"""How long one check may take."""

ANSWER = "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}{% endfor %}"
"""A chat template."""

LARGE = 1 << 20
"""Bytes from which on a file is opened by a process."""

SAMPLE = "Words, words and the same words: how many tokens is that? " * 200


class SelfCheckError(Exception):
    """A failed check, as a sentence."""


def main(files: Sequence[str] = ()) -> int:
    """Returns 0 if all checks pass."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    checks: list[tuple[str, Callable[[Path], str]]] = [
        ("libraries", libraries),
        ("corpus", corpus),
        ("window", window),
        ("training", training),
        ("training by other libraries", other_trainings),
        ("opening", lambda folder: opening(folder, files)),
        ("count", count),
        ("chat template", chat_template),
        ("command line", command_line),
        ("another start", another_start),
        ("advice", advice),
    ]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as temporary:
        for name, check in checks:
            start = time.monotonic()
            try:
                message = check(Path(temporary))
            except Exception as error:
                failed += 1
                message = f"FAILED: {type(error).__name__}: {error}"
            print(f"{name}: {message} ({time.monotonic() - start:.1f} s)", flush=True)
    return 1 if failed else 0


def wait(until: Callable[[], object], what: str) -> None:
    """Runs the event loop until something is true; raises `SelfCheckError` if that takes too long."""
    from PySide6.QtWidgets import QApplication

    deadline = time.monotonic() + PATIENCE_S
    while not until():
        QApplication.processEvents()
        time.sleep(0.01)
        if time.monotonic() > deadline:
            raise SelfCheckError(f"{what} did not end in {PATIENCE_S:.0f} s.")


def libraries(folder: Path) -> str:
    """Returns the versions of libraries that are loaded on demand, and of this program."""
    from importlib import import_module
    from importlib.metadata import version

    from tokenarium_core import COMPILED, __version__

    if __version__ != version("tokenarium"):
        raise SelfCheckError(f"The core is {__version__}, and the app {version('tokenarium')}.")
    versions = []
    names = (
        "pyqtgraph",
        "tiktoken",
        "sentencepiece",
        "tokenizers",
        "huggingface_hub",
        "jinja2",
        "PIL",
    )
    for name in names:
        module = import_module(name)
        distribution = "pillow" if name == "PIL" else name
        versions.append(f"{distribution} {version(distribution)}" if module else "")
    import tiktoken

    if "o200k_base" not in tiktoken.list_encoding_names():
        raise SelfCheckError("tiktoken does not find its own encodings.")
    core = "compiled" if COMPILED else "interpreted"
    return ", ".join([f"core {__version__} {core}", *versions])


def corpus(folder: Path) -> str:
    """Returns the size of Python's own library, the corpus that is always available."""
    from tokenarium.models.training.corpus_files import CorpusSource, Skipped, files_of

    files = [
        source for source in files_of(CorpusSource("library")) if not isinstance(source, Skipped)
    ]
    size = sum(one.size for one in files)
    if size < LARGE:
        raise SelfCheckError("Python's own library is not there.")
    return f"{len(files):,} files of Python's library, {size / 1e6:.1f} MB"


def window(folder: Path) -> str:
    """Returns the size of a picture of the window."""
    from tokenarium.tour.render import Renderer, quieten_platform

    quieten_platform()
    renderer = Renderer()
    try:
        renderer.window.session.set_text(SAMPLE, title="Check")
        picture = renderer.picture(folder, "window", "", "light")
    finally:
        renderer.close()
    return f"a picture of {picture.stat().st_size:,} bytes"


def training(folder: Path, algorithm: str = "bpe", size: int = 300) -> str:
    """Returns the result of a training in a worker process."""
    from tokenarium.models.training.corpus_files import CorpusSource
    from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
    from tokenarium.models.training.training_request import TrainingRequest
    from tokenarium.models.training.training_run import TrainingResult, train
    from tokenarium.work.worker import Worker

    known = TRAINING_ALGORITHMS[algorithm]
    options = {} if known.ours else {option.name: option.default for option in known.options}
    sources = [CorpusSource("text", SAMPLE)]
    worker = Worker(
        train, TrainingRequest("Check", algorithm, size, options, sources, folder / "store")
    )
    results: list[object] = []
    worker.finished.connect(results.append)
    worker.failed.connect(results.append)
    worker.start()
    processes = [process.pid for process in multiprocessing.active_children()]
    wait(lambda: results, "The training")
    (result,) = results
    if not isinstance(result, TrainingResult):
        raise SelfCheckError(str(result))
    if not processes or os.getpid() in processes:
        raise SelfCheckError("It ran in the process of the window.")
    return f"{result.path.name} in process {processes[0]}"


def other_trainings(folder: Path) -> str:
    """Returns the names of the other libraries that trained in a worker process."""
    from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS

    names = [f"{backend}:bpe" for backend in ("sentencepiece", "tokenizers")]
    for name in names:
        if TRAINING_ALGORITHMS[name].obstacle:
            raise SelfCheckError(TRAINING_ALGORITHMS[name].obstacle)
        training(folder, name, 300 if "tokenizers" in name else 60)  # the text has 88 pieces
    return ", ".join(names)


def opening(folder: Path, files: Sequence[str]) -> str:
    """Returns what a process has opened: a large file, and the given ones."""
    from tokenarium.models.tokenizers.library import State
    from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
    from tokenarium.session.catalogue import file_item
    from tokenarium.session.session import Session
    from tokenarium_core.tokenizer_cache import VARIABLE

    large = folder / "large.json"
    large.write_bytes(SHIPPED_TOKENIZERS[0].path.read_bytes() + b" " * LARGE)
    cache = os.environ.get(VARIABLE, "")
    os.environ[VARIABLE] = str(folder / "opened")
    session = Session()
    opened = []
    try:
        for path in [str(large), *files]:
            item = file_item(path)
            session.library.insert(item, 0)
            session.retry(item.key)
            processes: set[int] = set()

            def is_over(processes: set[int] = processes) -> bool:
                processes.add(session.opener.preparing)
                return not session.opening

            wait(is_over, f"Opening {path}")
            if item.state is not State.OPEN or item.tokenizer is None:
                raise SelfCheckError(f"{path}: {item.note}")
            if processes == {0}:
                raise SelfCheckError(f"{path} was opened in the process of the window.")
            opened.append(f"{Path(path).name} with {len(item.tokenizer.vocabulary):,} entries")
    finally:
        session.opener.stop()
        os.environ[VARIABLE] = cache
    return ", ".join(opened)


def count(folder: Path) -> str:
    """Returns what worker processes have counted."""
    from tokenarium.models.compare.comparing import ComparedTokenizer
    from tokenarium.models.training.corpus_files import CorpusSource
    from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
    from tokenarium.work.file_counts import FileCounts

    text = folder / "text.txt"
    text.write_text(SAMPLE, encoding="utf-8")
    candidates = [
        ComparedTokenizer(shipped.id, shipped.name, str(shipped.path))
        for shipped in SHIPPED_TOKENIZERS[:2]
    ]
    counts = FileCounts(candidates, [CorpusSource("file", str(text))])
    counts.start()
    processes = multiprocessing.active_children()
    wait(lambda: not counts.running, "The count")
    if counts.problem or len(counts.tallies) != len(candidates):
        raise SelfCheckError(counts.problem or "Some counts are missing.")
    if not processes:
        raise SelfCheckError("It ran in the process of the window.")
    return f"{len(counts.tallies)} tokenizers in {len(processes)} processes"


def chat_template(folder: Path) -> str:
    """Returns how the process for chat templates formats a message."""
    from tokenarium.models.chat.chat_template import ChatTemplate
    from tokenarium.models.chat.conversation import Message
    from tokenarium.work.templating import TemplateProcess

    process = TemplateProcess()
    try:
        answer = process.write(ChatTemplate("check", ANSWER, {}), [Message("user", " hi ")])
    finally:
        process.stop()
    if answer.chat.text != "<user>hi":
        raise SelfCheckError(f"It made {answer.chat.text!r}.")
    return answer.chat.text


def command_line(folder: Path) -> str:
    """Returns the version that this program prints when it runs itself, as for handouts.

    It ends by itself, so it needs no `end_with_parent`.
    """
    from tokenarium.work.child_process import program

    done = subprocess.run(
        [*program(), "--version"], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    if done.returncode or not done.stdout.startswith("Tokenarium "):
        raise SelfCheckError(f"exit code {done.returncode}, {done.stdout}{done.stderr}")
    return done.stdout.strip()


def another_start(folder: Path) -> str:
    """Returns what this program writes after a restart, as an independent process."""
    from tokenarium.tour.render import scene_files
    from tokenarium.work.child_process import start_again

    scene = scene_files()[0].stem
    written = folder / "again" / f"{scene}-dark.png"
    start_again("--tour", str(folder / "again"), scene)
    wait(written.exists, "The program that was started again")
    time.sleep(1)  # it closes its window
    return f"it wrote {written.name}"


def advice(folder: Path) -> str:
    """Returns the message about a missing library: an app that has its own Python does not suggest pip."""
    from tokenarium.models.installation import how_to_get, how_to_repair, is_frozen

    sentences = [how_to_get("jinja2"), how_to_repair("tokenizers")]
    if is_frozen() and any("pip" in sentence for sentence in sentences):
        raise SelfCheckError(" ".join(sentences))
    return " ".join(sentences)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
