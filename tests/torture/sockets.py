"""What may arrive at the socket of the window: requests that nest, are large, name what cannot be, or are none."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

from attack import Attack, Case
from planting import patched

from tokenarium.work import handover
from tokenarium.work.handover import HELLO, MOST_WORD, MOST_WORDS, TAKEN, TOKENS

WORDS = [
    "tokenarium:x",
    "/a/b.txt",
    "",
    "a\0b",
    "\ud800",
    "\udce9",
    "é" * 99,
    "x" * 40_000,
    "\u202ea",
]


def _value(chance: Random, depth: int = 0) -> Any:
    kind = chance.randrange(7 if depth < 3 else 5)
    if kind == 5:
        return [_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 6:
        return {
            chance.choice(["open", "tokens", *TOKENS, "x"]): _value(chance, depth + 1) for _ in "ab"
        }
    return [chance.choice(WORDS), 3, -1.5e300, None, True][kind]


def make_requests(chance: Random) -> Case:
    """Returns some bytes: a request with odd values, one that is too large or too deep, or one that was changed."""
    kind = chance.choice(["values", "words", "deep", "changed", "bytes"])
    request: Any = {
        "open": [chance.choice(WORDS) for _ in range(chance.randrange(5))],
        "tokens": {},
    }
    if kind == "values":
        request[chance.choice(["open", "tokens", "x"])] = _value(chance)
    elif kind == "words":
        request["open"] = [chance.choice(WORDS[:3])] * chance.choice(
            [999, 1000, 1001, 1017, 60_000]
        )
    sent = json.dumps(request).encode()
    if kind == "deep":
        sign = chance.choice([b"[", b'{"a":', b'[{"a":', b'"[', b"[]"])
        sent = sent[:-1] + b', "x": ' + sign * chance.choice([5, 20, 2000, 100_000])
    elif kind == "changed":
        at = chance.randrange(len(sent))
        sent = sent[:at] + chance.randbytes(chance.randrange(4)) + sent[at + chance.randrange(3) :]
    elif kind == "bytes":
        sent = chance.randbytes(chance.randrange(60))
    return {"sent": sent}


def run_requests(case: Case) -> str:
    """Reads a request: it is refused by a ValueError, or what it asks for can be named and is not much."""
    try:
        words, tokens = handover.read_request(case["sent"])
    except ValueError:
        return "refused"
    assert len(words) <= MOST_WORDS, "more words than are taken"
    assert set(tokens) <= set(TOKENS), "other variables than those of desktops"
    for word in [*words, *tokens.values()]:
        assert len(word) <= MOST_WORD, "a word that is too long"
        os.path.exists(word.encode("utf-8", "surrogateescape"))  # ValueError for a zero
        os.fsencode(word)
        assert "\0" not in word, "no file can have this name"
    return "taken"


ANSWERS = [HELLO, TAKEN, b"", b"\n", b"tokenarium 2\n", b"x" * 1000, b"\0" * 70, HELLO[:-1]]


def make_starts(chance: Random) -> Case:
    """Returns what listens where a start asks, what is there, and what it answers."""
    usual = chance.random() < 0.3
    there = ["nothing", "pipe", "file", "folder", "link", "other"]
    answers = [chance.choice(ANSWERS) for _ in range(chance.randrange(3))]
    return {
        "there": "window" if usual or chance.random() < 0.4 else chance.choice(there),
        "lock": chance.choice(["held"] if usual else ["held", "free", "pipe", "folder", "link"]),
        "answers": [HELLO, TAKEN] if usual or chance.random() < 0.3 else answers,
        "words": chance.choice([1, 3, 1000, 1001]),
    }


def run_starts(case: Case) -> str:
    """Starts while another window may run: it hands over only to what answers as one, else is on its own."""
    runtime = Path("run").absolute()
    runtime.mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    with contextlib.ExitStack() as ends:
        first = handover.enter([])
        ends.callback(first.leave)
        _make_place(case, first, ends)
        words = [f"tokenarium:{number}" for number in range(case["words"])]
        found = handover.enter(words, patience=0.05)
        ends.callback(found.leave)
        _check_start(case, found)
        return "handed" if found.handed else "first" if found.listener else "alone"


def _make_place(case: Case, first: handover.Entry, ends: contextlib.ExitStack) -> None:
    """Makes what a later start finds of the first one."""
    assert first.listener is not None, "the first start is not the first"
    assert first.lock is not None, "the first start holds no lock"
    path, lock = Path(first.path), Path(f"{first.path}.lock")
    if case["lock"] != "held":
        first.lock.close()
        if case["lock"] != "free":
            lock.unlink()
            _put(lock, case["lock"])
    if case["there"] == "window":
        thread = Thread(target=_answer, args=(first.listener, case["answers"]))
        thread.start()
        ends.callback(thread.join)
        ends.callback(first.listener.shutdown, socket.SHUT_RDWR)
        return
    first.listener.close()
    path.unlink()
    if case["there"] != "nothing":
        _put(path, case["there"])


def _check_start(case: Case, found: handover.Entry) -> None:
    asked = case["there"] == "window" and case["lock"] == "held"
    if found.handed:
        assert asked, "it hands over to what is no window"
        assert case["answers"] == [HELLO, TAKEN], "it hands over to what answers something else"
        assert case["words"] <= MOST_WORDS, "it hands over more than is taken"
    elif asked and case["answers"] == [HELLO, TAKEN] and case["words"] <= MOST_WORDS:
        raise AssertionError("it does not hand over to a window")
    if found.listener is not None:
        assert os.stat(found.path).st_mode & 0o077 == 0, "others can reach the socket"


def _answer(listener: socket.socket, answers: list[bytes]) -> None:
    try:
        while True:
            line, _ = listener.accept()
            with line:
                for answer in answers:
                    line.sendall(answer)
                    if answer == HELLO:
                        line.settimeout(5)
                        while (sent := line.recv(1 << 20)) and not sent.endswith(b"\n"):
                            pass
    except OSError:
        pass


def _put(path: Path, kind: str) -> None:
    """Makes something in the place of a socket or of its lock."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("/dev/zero")
    elif kind == "file":
        path.write_bytes(b"x")
    else:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
            other.bind(str(path))


def make_credentials(chance: Random) -> Case:
    """Returns the user that the system names for the other end."""
    return {"user": chance.choice([0, 1, 1000, os.getuid(), os.getuid() + 1, -1])}


def run_credentials(case: Case) -> str:
    """Looks at who is at the other end: only the user's own process is heard."""
    answer = struct.pack("3i", 1, case["user"], 1)

    class Line:
        def getsockopt(self, *_: int) -> bytes:
            return answer

    own: Any = Line()
    if not hasattr(socket, "SO_PEERCRED"):
        return "not told"
    assert handover.is_own(own) is (case["user"] == os.getuid()), "another user is heard"
    return "own" if case["user"] == os.getuid() else "another"


ATTACKS = [
    Attack(
        "sockets-requests",
        make_requests,
        run_requests,
        planted={
            "a word that is too long": patched(
                "tokenarium.work.handover._can_be_named", lambda word: True
            )
        },
    ),
    Attack(
        "sockets-starts",
        make_starts,
        run_starts,
        planted={
            "to what is no window": patched("tokenarium.work.handover._asked", lambda *_: True)
        },
    ),
    Attack(
        "sockets-credentials",
        make_credentials,
        run_credentials,
        planted={
            "another user is heard": patched("tokenarium.work.handover.is_own", lambda line: True)
        },
    ),
]
