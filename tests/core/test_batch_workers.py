"""Batches encoded by several processes are those of one, with the same errors, whatever becomes of the processes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import tokenarium_core as tc
from tokenarium_core import batch_workers

LINES = ["low lower lowest\n", "Größe 日本語 🙂 <|end|>\n", "", "x = 1\n" * 3, "नमस्ते दुनिया\n"]


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.train("bpe", LINES * 3, vocab_size=300, pattern="gpt2", special_tokens=["<|end|>"])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets a short batch be encoded by several processes, and ends them."""
    monkeypatch.setattr(batch_workers, "SMALL", 1)
    monkeypatch.setattr(batch_workers, "CHUNK", 400)
    yield
    batch_workers._end_workers()


def workers() -> list[Any]:
    return [worker for pool in batch_workers._POOL for worker in pool._workers]


def started(tokenizer: tc.Tokenizer, count: int) -> None:
    """Encodes until the workers have begun and each got some texts."""
    texts = LINES * 200
    for _ in range(500):
        assert tokenizer.encode_ids_batch(texts, num_threads=count + 1) == [
            tokenizer.encode_ids(text) for text in texts
        ]
        if len(workers()) == count and all(worker.known for worker in workers()):
            return
    pytest.fail("The workers do not begin.")


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"special": "all"},
        {"allowed_special": {"<|end|>"}},
        {"add_eos": False, "template": True},
    ],
    ids=["plain", "special", "allowed", "template"],
)
@pytest.mark.usefixtures("small")
def test_the_ids_are_those_of_one_process(
    tokenizer: tc.Tokenizer, count: int, options: dict[str, Any]
) -> None:
    started(tokenizer, count)
    for texts in (
        LINES * 300,
        [],
        ["low"],
        [LINES[1] * 2_000, *LINES * 50],
        [*LINES * 99, "half of a pair: \ud800", *LINES],
        (text for text in LINES * 99),
    ):
        texts = list(texts)
        wanted = tokenizer.encode_ids_batch(texts, **options)
        assert tokenizer.encode_ids_batch(iter(texts), num_threads=count + 1, **options) == wanted
    assert len(workers()) == count


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_several_tokenizers_take_turns(tokenizer: tc.Tokenizer) -> None:
    started(tokenizer, 1)
    others = [tc.train("bpe", LINES, vocab_size=260 + k, pattern="gpt2") for k in range(6)]
    for other in [*others, tokenizer, others[0]]:
        assert other.encode_ids_batch(LINES * 99, num_threads=2) == other.encode_ids_batch(
            LINES * 99
        )
    assert len(workers()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "options", "error", "said"),
    [
        ([7, *LINES * 99], {}, tc.ArgumentTypeError, "not int"),
        (
            ["<|end|>", *["low\n"] * 900],
            {"disallowed_special": {"<|end|>"}},
            tc.SpecialTokenError,
            "<|end|>",
        ),
        (LINES * 99, {"special": {"<none>"}}, tc.ArgumentError, "<none>"),
    ],
    ids=["type", "special", "options"],
)
@pytest.mark.usefixtures("small")
def test_errors_are_raised_here(
    tokenizer: tc.Tokenizer,
    texts: list[Any],
    options: dict[str, Any],
    error: type[Exception],
    said: str,
) -> None:
    started(tokenizer, 1)
    found = []
    for count in (1, 2):
        with pytest.raises(error, match=said.replace("|", r"\|")) as raised:
            tokenizer.encode_ids_batch(texts, num_threads=count, **options)
        found.append((type(raised.value), str(raised.value)))
    assert found[0] == found[1]
    started(tokenizer, 1)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_worker_that_ends_changes_nothing(tokenizer: tc.Tokenizer) -> None:
    started(tokenizer, 2)
    before = [worker.process.pid for worker in workers()]
    os.kill(before[0], signal.SIGSTOP)  # with texts that it does not encode any more
    threading.Timer(0.5, os.kill, (before[0], signal.SIGKILL)).start()
    assert tokenizer.encode_ids_batch(LINES * 99, num_threads=3) == tokenizer.encode_ids_batch(
        LINES * 99
    )
    started(tokenizer, 2)
    assert before[0] not in [worker.process.pid for worker in workers()]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_fork_has_its_own_workers(tokenizer: tc.Tokenizer) -> None:
    started(tokenizer, 1)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert not workers()
            started(tokenizer, 1)
            batch_workers._end_workers()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    started(tokenizer, 1)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_threads_do_not_wait_for_the_workers(tokenizer: tc.Tokenizer) -> None:
    started(tokenizer, 1)
    wanted = tokenizer.encode_ids_batch(LINES * 300)
    found: list[object] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(tokenizer.encode_ids_batch(LINES * 300, num_threads=2))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


@pytest.mark.slow
def test_workers_end_with_the_program() -> None:
    """Also where it is killed; and it starts none for a small batch."""
    program = """
import os, signal, sys, time
import tokenarium_core as tc
from tokenarium_core import batch_workers
tokenizer = tc.train("bpe", ["low lower"], vocab_size=258)
tokenizer.encode_ids_batch(["low"] * 99, num_threads=2)
assert not batch_workers._POOL
texts = ["low lower lowest " * 9000] * 9
while not (batch_workers._POOL and all(w.ready for w in batch_workers._POOL[0]._workers)):
    tokenizer.encode_ids_batch(texts, num_threads=2)
print(batch_workers._POOL[0]._workers[0].process.pid, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""
    for end in ("ends", "killed"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, end],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        pid = int(done.stdout)
        for _ in range(6000):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                break
            threading.Event().wait(0.05)
        else:
            pytest.fail("The worker does not end.")


def test_a_wrong_number_of_processors_is_refused(tokenizer: tc.Tokenizer) -> None:
    with pytest.raises(tc.ArgumentError, match="num_threads = -1"):
        tokenizer.encode_ids_batch(LINES, num_threads=-1)


@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_is_collected_meanwhile(tokenizer: tc.Tokenizer, enabled: bool) -> None:
    """Lists of numbers hold no circle, so looking through them is in vain. Afterwards all is as it was."""
    collected: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        collected.append(phase)

    before = gc.get_threshold()
    was = gc.isenabled()
    gc.collect()
    gc.callbacks.append(note)
    (gc.enable if enabled else gc.disable)()
    gc.set_threshold(10)
    try:
        tokenizer.encode_ids_batch(["low"] * 1000)
        assert not collected
        assert gc.isenabled() == enabled
        with pytest.raises(tc.ArgumentTypeError):
            tokenizer.encode_ids_batch(["low", 1])  # type: ignore[list-item]
        assert gc.isenabled() == enabled
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*before)
        (gc.enable if was else gc.disable)()
