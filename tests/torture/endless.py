"""Templates that never end, patterns that explode, workers that are killed, and parents that are."""

from __future__ import annotations

import contextlib
import functools
import json
import multiprocessing
import os
import re
import signal
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import template_attacks
import worker_functions
import zoo
from attack import ENDLESS, Attack, Case, apart, check_sentence, ended, forked
from planting import bent, fail_inside, instead, never_end
from PySide6.QtCore import QCoreApplication, QTimer
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.conversation import Message
from tokenarium.models.chat.origins import TEMPLATES_OWN, ChatPart, Origin
from tokenarium.work import templating
from tokenarium.work.templating import TemplateProcess
from tokenarium.work.worker import Worker
from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.trace import Trace

SOON_S = 50.0
"""Seconds in which what needs no more work ends, on a busy machine too."""


# Templates.

_BLOCK = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
_NUMBERS = ["0", "1", "-1", "2", "99", "9999", "99999", "10**9", "2**64", "10**30", "1e999", "0.5"]


def make_template(chance: Random) -> Case:
    """Returns a template that tries to hang, or two nested ones, and a chat."""
    source = chance.choice(list(template_attacks.ATTACKS.values()))
    if len(source) < 5000 and chance.random() < 0.7:
        other = chance.choice([s for s in template_attacks.ATTACKS.values() if len(s) < 5000])
        places = [match.start() for match in _BLOCK.finditer(source)] + [len(source)]
        at = chance.choice(places)
        source = source[:at] + other + source[at:]
        for _ in range(chance.randrange(3)):
            numbers = list(re.finditer(r"\d+", source))
            if numbers:
                number = chance.choice(numbers)
                source = source[: number.start()] + chance.choice(_NUMBERS) + source[number.end() :]
    return {
        "source": source,
        "contents": [zoo.text_of(chance) for _ in range(chance.randrange(4))],
        "prompt": chance.random() < 0.5,
    }


RUNES = "\u16a0\u16b1\u16d7"
"""Letters that only contents have."""


def run_template(case: Case) -> str:
    """Renders it: a text or a sentence has to come in time, and no letter of a content counts as the template's own."""
    messages = [
        Message("user" if number % 2 == 0 else "assistant", f"{RUNES} {content}{RUNES[number % 3]}")
        for number, content in enumerate(case["contents"])
    ]
    try:
        template = ChatTemplate("default", case["source"], {"bos_token": "<s>"})
        made = _template_process().write(template, messages, case["prompt"])
    except FormatError as error:
        check_sentence(error)
        return "refused"
    if made.parts is None:
        return "rendered, of unknown origin"
    text = made.chat.text
    assert "".join(text[part.start : part.stop] for part in made.parts) == text, "parts are missing"
    for part in made.parts:
        own = part.given or not any(rune in text[part.start : part.stop] for rune in RUNES)
        assert own, "a letter of a content counts as the template's own"
    return "rendered"


@functools.cache
def _template_process() -> Any:
    """Returns the process that templates run in, as the app has it."""
    return TemplateProcess()


def _own_part(start: int, stop: int, _: object) -> ChatPart:
    return ChatPart(start, stop, Origin(TEMPLATES_OWN))


# Patterns.

EXPLODING = [
    *("(a*)*b", "(a+)+$", "(a|a)*b|.", "(a|aa)+$|.", "(.*)*x|.", r"(\w+\s?)*!|.", "((a?){30}){30}|."),
    *("(?=(a+))a*b|.", r"(\p{L}|\w)*\d|.", "(?:a?){60}a{60}|.", "a{0,9999}b|.", "(?:(?:a{0,99}){0,99})|."),
    *("(?i:(ß|ss)+)x|.", r"(?<=(?:a+)+)b|.", "(?R)?a|.", "(?:a(?R)?b)|.", "(a)(?1)?|.", "|a", "()*|."),
    *(r"\X*\X*\X*x|.", "[" + "a-z" * 5000 + "]|.", "(" * 300 + "a" + ")" * 300 + "|.", "(?:" * 5000),
    *("|".join(f"word{n}" for n in range(30_000)) + "|.", "a" * 100_000 + "|.", "(?:a{999}){999}|."),
    *("(?>(a+)+)b|.", "(a++)++b|.", r"(a)\1*\1*\1*b|.", "[[a-z]--[aeiou]]|.", "(?P<a>a)(?P=a)*b|."),
]  # fmt: skip
EVIL = [
    *(["a", 30], ["a", 3000], ["a", 200_000], ["a ", 20_000], ["ab", 5000], ["ß", 3000]),
    *(["a\u0301", 5000], ["word1 ", 5000], ["\n", 5000], ["(", 3000], ["aB1! ", 8000]),
]


def make_pattern(chance: Random) -> Case:
    """Returns a pattern that takes long, where it is used, and a text."""
    return {
        "pattern": chance.choice(EXPLODING),
        "text": {"repeat": chance.choice(EVIL)},
        "end": chance.choice(["", "!", "\n", "x"]),
        "where": chance.choice(
            ["cut", "encode", "train", "file", "normalizer", "decoder", "found"]
        ),
    }


def run_pattern(case: Case) -> str:
    """Uses the pattern: it cuts, or is refused with a sentence, in time."""
    pattern = case["pattern"]
    text = zoo.parts_of(case["text"]) + case["end"]
    try:
        if case["where"] == "cut":
            cut(cutting(pattern), text)
        elif case["where"] == "encode":
            tokenizer = of_pieces(zoo.PIECES, pattern)
            tokenizer.encode(text, trace=Trace())
        elif case["where"] == "train":
            tc.train("bpe", [text], vocab_size=260, pattern=pattern)
        elif case["where"] == "found":
            FoundRegex(pattern).regions(text.encode() + bytes(16), 0, len(text.encode()))
        else:
            tokenizer = read_huggingface(_file(case["where"], pattern), "exploding")
            tokenizer.decode(tokenizer.encode_ids(text))
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    return "cut"


def _file(where: str, pattern: str) -> bytes:
    file = json.loads(zoo.huggingface_file("byte_level"))
    found = {"Regex": pattern}
    if where == "normalizer":
        file["normalizer"] = {"type": "Replace", "pattern": found, "content": "xx"}
    elif where == "decoder":
        step = {"type": "Replace", "pattern": found, "content": "xx"}
        file["decoder"] = {"type": "Sequence", "decoders": [file["decoder"], step]}
    else:
        split = {"type": "Split", "pattern": found, "behavior": "Isolated", "invert": False}
        steps = [split, {**file["pre_tokenizer"], "use_regex": False}]
        file["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    return json.dumps(file).encode()


# Growth.


def make_growth(chance: Random) -> Case:
    """Returns stages that make much of little, one after the other."""
    steps = [
        {"content": chance.choice("abcd") * chance.choice([2, 10, 40]), "pattern": pattern}
        for pattern in [chance.choice([*"abcd", ""]) for _ in range(chance.randrange(2, 14))]
    ]
    return {
        "steps": steps,
        "where": chance.choice(["normalizer", "decoder"]),
        "regex": chance.random() < 0.3,
        "text": chance.choice(["abcd", "banana split", "a" * 300, "d" * 20_000]),
    }


def run_growth(case: Case) -> str:
    """Encodes and decodes: it stays within the memory limit, or is refused with a sentence."""
    kind = "Regex" if case["regex"] else "String"
    steps = [
        {"type": "Replace", "pattern": {kind: step["pattern"]}, "content": step["content"]}
        for step in case["steps"]
    ]
    file = json.loads(zoo.huggingface_file("byte_level"))
    name = case["where"]
    file[name] = {"type": "Sequence", f"{name}s": steps}
    try:
        tokenizer = read_huggingface(json.dumps(file).encode(), "growing")
        ids = tokenizer.encode_ids(case["text"])
        tokenizer.encode(case["text"], special="all")
        tokenizer.decode(ids[:100_000])
    except TokenariumError as error:
        check_sentence(error)
        return "refused"
    return "grown"


# Workers.

WORK = {
    work.__name__: work
    for work in (
        worker_functions.double,
        worker_functions.refuse,
        worker_functions.stumble,
        worker_functions.die,
        worker_functions.die_reporting,
        worker_functions.sleep,
        worker_functions.starve,
        worker_functions.count_on,
    )
}


def make_worker(chance: Random) -> Case:
    """Returns what a worker does, what happens to it, and when."""
    return {
        "work": chance.choice(list(WORK)),
        "fate": chance.choice(["kill", "stop", "segfault", "cancel", "ask", "parent", "none"]),
        "ms": chance.choice([0, 50, 300, 800]),
    }


def run_worker(case: Case) -> str:
    """Runs a worker: its end is reported exactly once, and no process is left, even if its parent is killed."""
    pids = Path("pids")
    if case["fate"] != "parent":
        apart(lambda: _work(case, pids))
    else:
        number = forked(lambda: _work({**case, "work": "sleep"}, pids))
        time.sleep(1.0 + case["ms"] / 1000)
        os.kill(number, signal.SIGKILL)
        ended(number)
    end = time.monotonic() + SOON_S
    started = [int(line) for line in pids.read_text().split()] if pids.exists() else []
    while left := [pid for pid in started if _runs(pid)]:
        assert time.monotonic() < end, "a worker outlives its parent"
        time.sleep(0.05)
        for pid in left:
            _reap(pid)
    return str(case["fate"])


def _reap(pid: int) -> None:
    """Reaps a child process that has ended."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def _work(case: Case, pids: Path) -> None:
    """Starts a worker, ends it as the case says, and checks what is reported."""
    app = QCoreApplication.instance() or QCoreApplication(["torture"])
    arguments = (4,) if case["work"] == "double" else ()
    worker = Worker(WORK[case["work"]], *arguments)
    ends: list[str] = []
    worker.finished.connect(lambda made: ends.append("finished"))
    worker.failed.connect(ends.append)
    worker.cancelled.connect(lambda: ends.append("cancelled"))
    for signal_of_end in (worker.finished, worker.failed, worker.cancelled):
        signal_of_end.connect(lambda *_: QTimer.singleShot(700, app.quit))
    worker.start()
    children = [child.pid for child in multiprocessing.active_children() if child.pid]
    pids.write_text(" ".join(map(str, children)))
    endless = case["work"] in ("sleep", "count_on")

    def meet() -> None:
        sent = {"kill": signal.SIGKILL, "segfault": signal.SIGSEGV, "stop": signal.SIGTERM}
        if case["fate"] in sent:
            for pid in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sent[case["fate"]])
        elif case["fate"] == "ask":
            worker.ask_to_stop(500)
        elif case["fate"] == "cancel" or (case["fate"] == "none" and endless):
            worker.cancel()

    QTimer.singleShot(case["ms"], meet)
    QTimer.singleShot(int(SOON_S * 1000), app.quit)
    app.exec()
    assert len(ends) == 1, f"a worker says its end {len(ends)} times: {ends}"
    assert not worker.running


SEEDS = (zoo.make_all, lambda: zoo.huggingface_file("byte_level"))


def _refuse_oddly(*_: object) -> Any:
    raise FormatError("bad template")


def _swell(tokenizer: tc.Tokenizer, *_: object, **__: object) -> Any:
    return list(bytes(3 << 30))


def _ending_twice(before: Any) -> Any:
    def start(worker: Worker) -> None:
        before(worker)
        QTimer.singleShot(0, lambda: worker.failed.emit("It ended."))

    return start


HERE = sys.modules[__name__]

ATTACKS = [
    Attack(
        "endless-templates",
        make_template,
        run_template,
        planted={
            ENDLESS: instead(TemplateProcess, "write", lambda _: never_end),
            "is no sentence": instead(TemplateProcess, "write", lambda _: _refuse_oddly),
            "counts as the template's own": instead(templating, "_part", lambda _: _own_part),
        },
    ),
    Attack(
        "endless-patterns",
        make_pattern,
        run_pattern,
        planted={
            ENDLESS: instead(HERE, "of_pieces", lambda _: never_end),
            "A PLANTED FAULT": instead(HERE, "read_huggingface", bent(encode_ids=fail_inside)),
        },
    ),
    Attack(
        "endless-growth",
        make_growth,
        run_growth,
        planted={"MemoryError": instead(HERE, "read_huggingface", bent(encode_ids=_swell))},
    ),
    Attack(
        "endless-workers",
        make_worker,
        run_worker,
        planted={"a worker says its end 2 times": instead(Worker, "start", _ending_twice)},
    ),
]
