"""Long texts in two processes: what they make is what the tokenizer makes of the whole text, or the window does it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from patching import patch_all
from small_files import new_folder, write_file

import tokenarium_core as tc
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.work import text_folder, text_workers
from tokenarium.work.text_workers import RemoteEncoding, TextWorkers, WorkerFault
from tokenarium_core.padded_text import ZEROS

TEXT = "".join(sample.text() for sample in load_samples()) * 2
NEVER = 10**9
PATIENCE_S = 60


@pytest.fixture(scope="module")
def shared_workers() -> Iterator[TextWorkers]:
    workers = TextWorkers()
    yield workers
    workers.stop()


@pytest.fixture
def workers() -> Iterator[TextWorkers]:
    workers = TextWorkers()
    yield workers
    workers.stop()


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    patch_all(monkeypatch, text_workers, PART=30_000, FIRST_PART=2_000, COPIED=50_000)


def finished(run: RemoteEncoding) -> ChunkedEncoding:
    end = time.monotonic() + PATIENCE_S
    seen = 0
    while not run.finished:
        run.step(20)
        assert len(run.tokens) >= seen
        seen = len(run.tokens)
        assert time.monotonic() < end
    return run.tokens


def check(found: ChunkedEncoding, tokenizer: tc.Tokenizer, text: TextMap, special: str) -> None:
    job = tokenizer.encode_job(text.read_utf8 + ZEROS, special)  # type: ignore[arg-type]
    expected = ChunkedEncoding.of(job.whole())
    for name in ("ids", "starts", "ends", "cut_ends"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
    rules = [[one.rule_names[rule] for rule in one.cut_rules.tolist()] for one in (found, expected)]
    assert rules[0] == rules[1]
    assert list(found.whole.places) == list(expected.whole.places)
    assert list(found.whole.pre_token_spans) == list(expected.whole.pre_token_spans)
    size = expected.whole.text.size
    assert found.whole.text.data[:size] == expected.whole.text.data[:size]
    for at in (0, 1, size // 2, size - 1, size):
        assert found.original(at, at) == expected.original(at, at)
    middle = len(found) // 2
    assert found.place(middle) == expected.place(middle)


@pytest.mark.parametrize("special", ["none", "all"])
@pytest.mark.parametrize("one", SHIPPED_TOKENIZERS, ids=lambda one: one.id)
def test_they_make_what_the_tokenizer_makes_of_the_whole_text(
    shared_workers: TextWorkers, one: object, special: str
) -> None:
    tokenizer = tc.open(one.path)  # type: ignore[attr-defined]
    text = TextMap(TEXT + "<|endoftext|> the end")
    run = shared_workers.encode(tokenizer, text, special, NEVER)  # type: ignore[arg-type]
    check(finished(run), tokenizer, text, special)
    assert not shared_workers.busy


def test_several_tokenizers_at_once(shared_workers: TextWorkers) -> None:
    tokenizers = [tc.open(one.path) for one in SHIPPED_TOKENIZERS[:3]]
    text = TextMap(TEXT[:90_000])
    runs = [shared_workers.encode(one, text, "none", NEVER) for one in tokenizers]
    for run, tokenizer in zip(runs, tokenizers, strict=True):
        check(finished(run), tokenizer, text, "none")


def test_what_is_begun_ahead_goes_on_when_it_is_asked_for(workers: TextWorkers) -> None:
    tokenizers = [tc.open(one.path) for one in SHIPPED_TOKENIZERS[:2]]
    text = TextMap(TEXT)
    end = time.monotonic() + PATIENCE_S
    workers.encode_ahead(tokenizers, text, "none", NEVER)
    first, second = workers._ahead
    while not first.finished:
        workers.encode_ahead(tokenizers, text, "none", NEVER)
        assert time.monotonic() < end
    assert workers.encode(tokenizers[0], text, "none", NEVER) is first
    check(first.tokens, tokenizers[0], text, "none")
    # Another way to encode it is another run; the same is not given twice.
    assert workers.encode(tokenizers[1], text, "all", NEVER) is not second
    assert workers.encode(tokenizers[0], text, "none", NEVER) is not first
    # It goes on where it was; if it has failed, it is begun again.
    assert workers.encode(tokenizers[1], text, "none", NEVER) is second
    check(finished(second), tokenizers[1], text, "none")
    workers.encode_ahead(tokenizers[:1], text, "none", NEVER)
    (ahead,) = workers._ahead
    workers._fail(ahead, WorkerFault())
    again = workers.encode(tokenizers[0], text, "none", NEVER)
    assert again is not ahead
    check(finished(again), tokenizers[0], text, "none")


@pytest.mark.parametrize("how", ["forgotten", "another ahead", "another"])
def test_what_is_begun_ahead_ends_if_it_is_not_asked_for(workers: TextWorkers, how: str) -> None:
    tokenizer, text, other = (
        tc.open(SHIPPED_TOKENIZERS[0].path),
        TextMap(TEXT),
        TextMap("other " * 999),
    )
    workers.encode_ahead([tokenizer], text, "none", NEVER)
    (ahead,) = workers._ahead
    if how == "forgotten":
        workers.forget_ahead()
        assert not workers.busy
    elif how == "another ahead":
        workers.encode_ahead([tokenizer], other, "none", NEVER)
        check(finished(workers.encode(tokenizer, other, "none", NEVER)), tokenizer, other, "none")
    else:
        check(finished(workers.encode(tokenizer, other, "none", NEVER)), tokenizer, other, "none")
    assert ahead not in workers._ahead
    assert ahead not in workers._runs.values()
    assert not workers.busy


def test_there_is_one_text_at_a_time(shared_workers: TextWorkers) -> None:
    tokenizer = tc.open(SHIPPED_TOKENIZERS[0].path)
    former = shared_workers.encode(tokenizer, TextMap(TEXT), "none", NEVER)
    former.step(1)
    text = TextMap(TEXT[::-1])
    check(finished(shared_workers.encode(tokenizer, text, "none", NEVER)), tokenizer, text, "none")
    with pytest.raises(WorkerFault):
        former.step(1)


def test_a_tokenizer_that_is_in_no_file(shared_workers: TextWorkers) -> None:
    tokenizer = tc.train("bpe", TEXT[:20_000], vocab_size=400)
    text = TextMap(TEXT)
    check(finished(shared_workers.encode(tokenizer, text, "none", NEVER)), tokenizer, text, "none")


def test_a_word_that_is_too_long_is_refused_in_words(shared_workers: TextWorkers) -> None:
    tokenizer = tc.train("bpe", "ab " * 9 + "abab abababab", vocab_size=260)
    run = shared_workers.encode(tokenizer, TextMap(TEXT + "ab" * 40_000), "none", 30_000)
    with pytest.raises(tc.TokenariumError, match="in a row"):
        finished(run)
    assert not shared_workers.busy


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a system with signals")
def test_a_process_that_is_killed_is_a_fault_and_the_next_text_is_encoded(
    workers: TextWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = tc.open(SHIPPED_TOKENIZERS[0].path)
    text = TextMap(TEXT)
    finished(workers.encode(tokenizer, text, "none", NEVER))
    run = workers.encode(tokenizer, text, "none", NEVER)
    for pid in workers.pids:
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerFault):
        finished(run)
    assert not workers.busy
    again = workers.encode(tokenizer, text, "none", NEVER)
    check(finished(again), tokenizer, text, "none")


def test_nothing_stays_of_what_was_dropped_or_stopped(workers: TextWorkers) -> None:
    tokenizer = tc.open(SHIPPED_TOKENIZERS[0].path)
    dropped = workers.encode(tokenizer, TextMap(TEXT), "none", NEVER)
    for _ in range(8):
        dropped.step(5)
    dropped.cancel()
    assert not workers.busy
    other = TextMap(TEXT[::-1])
    check(finished(workers.encode(tokenizer, other, "none", NEVER)), tokenizer, other, "none")
    end = time.monotonic() + PATIENCE_S
    while parts(workers.folder):
        workers.step(0.01)
        assert time.monotonic() < end, parts(workers.folder)
    folder = workers.folder
    stopped = workers.encode(tokenizer, other, "none", NEVER)
    stopped.step(5)
    workers.stop()
    assert not folder.exists()
    with pytest.raises(WorkerFault):
        finished(stopped)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of another process is set")
def test_a_part_for_which_there_is_no_room_is_a_fault(workers: TextWorkers) -> None:
    """The sentence is for the log; nothing of the part stays, and the process goes on with what fits."""
    tokenizer = tc.open(SHIPPED_TOKENIZERS[0].path)
    text = TextMap(TEXT)
    finished(workers.encode(tokenizer, text, "none", NEVER))
    pids = workers.pids
    limit_files(pids, 1_000)
    with pytest.raises(WorkerFault, match=r"A part cannot be written: .*File too large"):
        finished(workers.encode(tokenizer, text, "none", NEVER))
    end = time.monotonic() + PATIENCE_S
    while any(one.tasks for one in workers._processes):
        workers.step(0.01)
        assert time.monotonic() < end
    assert not parts(workers.folder)
    limit_files(pids, 1_000_000)
    check(finished(workers.encode(tokenizer, text, "none", NEVER)), tokenizer, text, "none")
    assert workers.pids == pids


def limit_files(pids: list[int], size: int) -> None:
    """Lets processes write files of so many bytes, as a disk does that is nearly full."""
    import resource

    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, -1))


@pytest.mark.skipif(sys.platform != "linux", reason="it says there what a process has in memory")
@pytest.mark.parametrize("is_dropped", [False, True])
def test_the_text_is_nowhere_once_it_is_encoded(workers: TextWorkers, is_dropped: bool) -> None:
    tokenizer = tc.open(SHIPPED_TOKENIZERS[0].path)
    run = workers.encode(tokenizer, TextMap(TEXT), "none", NEVER)
    while not any(map(mapped_texts, workers.pids)):
        run.step(5)
    if is_dropped:
        run.cancel()
    else:
        finished(run)
    assert not [path for path in workers.folder.iterdir() if path.name.startswith("text")]
    end = time.monotonic() + PATIENCE_S
    while any(map(mapped_texts, workers.pids)):
        workers.step(0.01)
        assert time.monotonic() < end
    # The next one is copied again.
    check(
        finished(workers.encode(tokenizer, run.text_map, "none", NEVER)),
        tokenizer,
        run.text_map,
        "none",
    )


def mapped_texts(pid: int) -> list[str]:
    """The texts that a process has in memory, removed ones included."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    return [line for line in maps.splitlines() if "/text-" in line]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a system with signals")
def test_what_a_killed_window_has_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_folder, "MEMORY", tmp_path)
    monkeypatch.setattr(text_folder, "ROOM_IN_MEMORY", 0)
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    left = new_folder(tmp_path / f"tokenarium-text-{int(ended.stdout)}-abc")
    write_file(left / "text-1", b"text")
    running = new_folder(tmp_path / f"tokenarium-text-{os.getpid()}-abc")
    other = new_folder(tmp_path / "tokenarium-text-abc")
    workers = TextWorkers()
    folder = workers.folder
    assert folder.parent == tmp_path
    assert sorted(tmp_path.iterdir()) == sorted([running, other, folder])
    del workers
    gc.collect()
    assert not folder.exists()


def parts(folder: Path) -> list[str]:
    """The files of parts that nobody has read."""
    return [path.name for path in folder.iterdir() if path.name[0].isdigit()]
