"""Servers on this computer that are no scheduler of Dask, or answer slowly, too much, or something else."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from threading import Thread
from typing import Any

from attack import Attack, Case, check_sentence
from planting import patched

from tokenarium.work import cluster
from tokenarium_core import __version__

PATIENCE_S = 0.2
GREETING = b"\x01" + bytes(15) + b"\x83\xabcompression\xc0\xafpickle-protocol\x05"
"""A frame as Dask sends it first, without its length."""

PIECES = [
    b"",
    b"220 mail ready\r\n",
    b"HTTP/1.1 400 Bad Request\r\n\r\n",
    b"SSH-2.0-x\r\n",
    bytes(64),
    b"\xff" * 64,
    GREETING,
    b"pickle-protocol",
]


def make_greetings(chance: Random) -> Case:
    """Returns what a server sends, with which pauses, and whether it stays."""
    size = chance.choice(
        [0, 7, 8, len(GREETING), len(GREETING), 1 << 16, (1 << 16) + 1, 1 << 40, 1 << 63]
    )
    sent = (
        size.to_bytes(8, "little") + chance.choice(PIECES)
        if chance.random() < 0.7
        else chance.choice(PIECES)
    )
    return {
        "sent": sent[: chance.choice([None, None, chance.randrange(80)])],
        "piece": chance.choice([1, 8, 1 << 16]),
        "pause": chance.choice([0.0, 0.0, 0.01, 0.3]),
        "stays": chance.random() < 0.6,
    }  # fmt: skip


def run_greetings(case: Case) -> str:
    """Asks whether a scheduler answers: in time there is a yes for a greeting, and else a sentence."""
    with _server(case) as address:
        began, said = time.monotonic(), ""
        try:
            cluster.check_greeting(address, PATIENCE_S)
        except OSError as error:
            word, said = "refused", str(error)
        else:
            sent = case["sent"]
            size = int.from_bytes(sent[:8], "little")
            assert 8 <= size <= cluster.LARGEST_GREETING, "it takes a greeting of any size"
            assert b"pickle-protocol" in sent[8 : 8 + size], "it takes what is no greeting"
            word = "taken"
        assert "\n" not in said, "no sentence"
        took = time.monotonic() - began
    assert took < PATIENCE_S + 5, f"it waits for {took:.1f} s"
    return word


@contextlib.contextmanager
def _server(case: Case) -> Iterator[str]:
    lines: list[socket.socket] = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = server.accept()
                lines.append(line)
                with contextlib.suppress(OSError):
                    for at in range(0, len(case["sent"]), case["piece"]):
                        line.sendall(case["sent"][at : at + case["piece"]])
                        time.sleep(case["pause"])
                    if not case["stays"]:
                        line.close()

    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    for line in lines:
        line.close()


@dataclass(frozen=True)
class _Result:
    """What an item should become."""

    value: int = 3


VALUES = [
    "right",
    None,
    3,
    "text",
    "x" * 5000,
    b"\0",
    [1] * 999,
    {"a": 1},
    -1,
    1.5,
    True,
    1 << 80,
    (),
]


def make_answers(chance: Random) -> Case:
    """Returns what a worker answers and reports."""
    version = chance.choice([__version__, __version__, "0.0.1", "", None, 3, "é" * 500])
    answer = [version, chance.choice(VALUES)]
    return {
        "answer": chance.choice([answer, answer, answer, chance.choice(VALUES), [*answer, 1]]),
        "event": [0.5, [chance.choice(VALUES), chance.choice(VALUES)]],
        "items": chance.choice([0, 1, 4, 1000]),
    }


def run_answers(case: Case) -> str:
    """Looks at answers: what is taken has the type and comes from this version; all else is a fault, in a sentence."""
    given = case["answer"]
    answer: Any = tuple(given) if isinstance(given, list) and len(given) < 9 else given
    if isinstance(answer, tuple) and len(answer) > 1 and answer[1] == "right":
        answer = (answer[0], _Result(), *answer[2:])
    done: cluster.Done[str, _Result] = cluster._taken("item", 0, answer, _Result)
    if done.fault:
        assert done.result is None, "a fault has a result"
        check_sentence(Exception(done.fault))
        assert len(done.fault) < 300, "a fault repeats all that was sent"
    else:
        assert isinstance(done.result, _Result), "it takes a result of another type"
        assert answer[0] == __version__, "it takes a result of another version"
    report = cluster._report_of(case["event"], case["items"])
    if report is not None:
        place, counts = report
        assert 0 <= place < case["items"], "it takes a report about no item"
        for count in counts if isinstance(counts, tuple) else (counts,):
            assert type(count) is int, "it takes a report of another type"
            assert 0 <= count < 1 << 62, "it takes a count that cannot be"
    return "refused" if done.fault else "taken"


def _any_result(item: Any, place: int, answer: Any, kind: Any) -> Any:
    """Takes whatever comes."""
    many = isinstance(answer, tuple) and len(answer) > 1
    return cluster.Done(item, answer[1] if many else answer)


ATTACKS = [
    Attack(
        "schedulers-greetings",
        make_greetings,
        run_greetings,
        planted={"it takes what is no greeting": patched("tokenarium.work.cluster._GREETING", b"")},
    ),
    Attack(
        "schedulers-answers",
        make_answers,
        run_answers,
        planted={
            "a result of another type": patched("tokenarium.work.cluster._taken", _any_result)
        },
    ),
]
