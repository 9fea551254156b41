"""The process of chat templates: no template hangs, fills the memory, or ends any other process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from template_attacks import ATTACKS

from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import Written, written
from tokenarium.models.chat.conversation import SAMPLE, STARTS, Message
from tokenarium.work import bounded_process
from tokenarium.work.templating import TemplateProcess
from tokenarium_core.errors import FormatError, TokenariumError

LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")


def template(source: str) -> ChatTemplate:
    return ChatTemplate("x", source, {"bos_token": "<s>"})


@pytest.fixture
def process() -> Iterator[TemplateProcess]:
    """A process with little time and little memory."""
    process = TemplateProcess(0.02, 128)
    yield process
    process.stop()


def number(process: TemplateProcess) -> int:
    process.start()
    assert process._process is not None
    assert process._process.pid is not None
    return process._process.pid


def is_running(process: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        os.kill(process, 0)
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except ProcessLookupError:
        return False
    except OSError:
        return not Path("/proc").is_dir()


def wait(process: TemplateProcess) -> Written:
    while (made := process.answer()) is None:
        time.sleep(0.001)
    return made


@pytest.mark.slow
def test_it_writes_what_is_written_here() -> None:
    process = TemplateProcess()
    odd = [Message("user", "\ud800 \U0001f600\n雨"), Message("", " x ")]
    try:
        for start in STARTS:
            for messages in (list(SAMPLE), odd, []):
                for prompt in (False, True):
                    made = process.write(start.template(), messages, prompt)
                    assert made == written(start.template(), messages, prompt)
    finally:
        process.stop()


@pytest.mark.slow
def test_no_attack_takes_longer_or_more(process: TemplateProcess) -> None:
    sentences: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for name, source in ATTACKS.items():
        try:
            sizes[name] = len(process.write(template(source), SAMPLE, True).chat.text)
        except TokenariumError as error:
            sentences[name] = str(error)
    assert len(sentences) > len(ATTACKS) / 2
    assert {name: said for name, said in sentences.items() if len(said) > 1000} == {}
    assert {name: size for name, size in sizes.items() if size > 10_000_000} == {}
    assert process.write(template("{{ bos_token }}"), []).chat.text == "<s>"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (LOOP, "in line 1: it took longer than 0.02 s"),
        ("{%if a%}{%endif%}" * 60_000, "it took longer than 0.02 s"),
        ("{{ 'a'.encode() * 10**10 }}", "more than 128 MB"),
        ("\n{{ x.y }}", "refuses this chat in line 2"),
        ("{{ 1e999|int }}", "line 1: There is a number that is too large"),
    ],
)
def test_it_is_said_what_happened(process: TemplateProcess, source: str, message: str) -> None:
    if "MB" in message and not sys.platform.startswith("linux"):
        pytest.skip("only Linux takes memory from a process")
    process.write(template(""), [])
    with pytest.raises(FormatError, match=message):
        process.write(template(source), SAMPLE)


@pytest.mark.slow
@needs_signals
def test_what_does_not_stop_by_itself_is_ended(
    process: TemplateProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_process, "GRACE_S", 0.02)
    process.write(template(""), [])
    before = number(process)
    os.kill(before, signal.SIGSTOP)
    with pytest.raises(FormatError, match=r"stopped: it took longer than 0\.02 s"):
        process.write(template("a"), [])
    assert process.write(template("b"), []).chat.text == "b"
    assert number(process) != before


@pytest.mark.slow
@needs_signals
def test_a_process_that_is_killed_is_said_or_replaced(process: TemplateProcess) -> None:
    process.write(template(""), [])
    os.kill(number(process), signal.SIGKILL)  # while nothing runs
    assert process._process is not None
    process._process.join()
    assert process.write(template("a"), []).chat.text == "a"
    os.kill(number(process), signal.SIGSTOP)
    process.ask(template("b"), [], False)
    os.kill(number(process), signal.SIGKILL)
    with pytest.raises(FormatError, match=r"its process ended \(SIGKILL\)"):
        wait(process)
    assert not process.busy


@pytest.mark.slow
def test_what_was_asked_last_is_answered() -> None:
    process = TemplateProcess(seconds=60)
    try:
        process.write(template(""), [])
        process.ask(template(LOOP), [], False)
        process.ask(template("a"), [], False)
        assert process.write(template("b"), []).chat.text == "b"
        before = number(process)
        process.ask(template("{% for a in range(99) %}" + LOOP + "{% endfor %}"), [], False)
        process._since -= 1  # it has run for a second
        assert process.write(template("c"), []).chat.text == "c"
        assert number(process) != before
        assert not process.busy
        assert process.answer() is None
    finally:
        process.stop()


def test_a_system_without_processes(
    process: TemplateProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    from multiprocessing.process import BaseProcess

    def refuse(process: BaseProcess) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(BaseProcess, "start", refuse)
    with pytest.raises(FormatError, match="cannot start a process"):
        process.write(template(""), [])


@pytest.mark.slow
@needs_signals
def test_it_ends_with_who_started_it() -> None:
    code = (
        "import time; from tokenarium.work.templating import TemplateProcess\n"
        "if __name__ == '__main__':\n"
        "    process = TemplateProcess(); process.start()\n"
        "    while not process._ready: process.answer()\n"
        "    print(process._process.pid, flush=True); time.sleep(60)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    while is_running(child):
        time.sleep(0.01)
