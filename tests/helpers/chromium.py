"""Chromium without a window, spoken to through its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

KEYS = {
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Tab": 9,
    "Enter": 13, " ": 32, "Escape": 27,
}  # fmt: skip


PLACES = (
    "import os, sys; from fcntl import F_DUPFD, fcntl;"
    "one, other = (fcntl(int(place), F_DUPFD, 10) for place in sys.argv[1:3]);"
    "os.dup2(one, 3); os.dup2(other, 4); os.execv(sys.argv[3], sys.argv[3:])"
)
"""Puts the pipes where the browser looks for them, as 3 and 4, and becomes it."""


class Chromium:
    """One page of Chromium."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, back: int) -> None:
        self._process, self._to, self._back = process, to, back
        self._number, self._rest, self._session = 0, b"", ""
        self._events: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self._scripts = True
        self._features: list[dict[str, str]] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    def open(self, path: Path, width: int = 1280, height: int = 900, **media: str) -> None:
        """Opens a file in a window of a size; ``media`` are features, as in ``prefers_color_scheme="dark"``."""
        self.resize(width, height)
        features = [
            {"name": name.replace("_", "-"), "value": value} for name, value in media.items()
        ]
        self._features = features
        self._ask("Emulation.setEmulatedMedia", features=features, media="")
        self._events.clear()
        self._ask("Page.navigate", url=path.resolve().as_uri())
        self._await_page()

    def follow(self, script: str) -> None:
        """Runs a script by which the page goes away, and waits for the page that it leads to.

        No expression can be asked for in between: one that waits when a page goes away fails.
        """
        self._events.clear()
        self.value(f"setTimeout(() => {{ {script} }}); 0")
        self._await_page()

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """Gives the window another size, in pixels of CSS."""
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=False,
        )

    def value(self, script: str) -> Any:
        """Returns the value of an expression in the page; of a promise, what it comes to."""
        answer = self._ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        for key in keys:
            code = KEYS.get(key, ord(key[0].upper()))
            values: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
            if len(key) == 1:
                values["text"] = key
            elif key == "Enter":
                values["text"] = "\r"
            self._ask("Input.dispatchKeyEvent", type="keyDown", **values)
            self._ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def click(self, x: float, y: float) -> None:
        """Clicks at a place of the window."""
        at = {"x": x, "y": y, "button": "left", "clickCount": 1}
        self._ask("Input.dispatchMouseEvent", type="mousePressed", **at)
        self._ask("Input.dispatchMouseEvent", type="mouseReleased", **at)

    def picture(self, path: Path, whole: bool = False) -> None:
        """Writes a picture of the window, or of the whole page, as PNG."""
        answer = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self) -> bytes:
        """Returns the page as it is printed."""
        answer = self._ask("Page.printToPDF", printBackground=False)
        return base64.b64decode(answer["data"])

    def show_as_printed(self) -> None:
        """Shows the page in its window as it is printed, until another is opened."""
        self._ask("Emulation.setEmulatedMedia", media="print", features=self._features)

    def run_scripts(self, wanted: bool) -> None:
        """Says whether the pages that are opened from now on may run scripts."""
        self._ask("Emulation.setScriptExecutionDisabled", value=not wanted)
        self._scripts = wanted

    def _ask(self, method: str, **values: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": values}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result

    def _await_page(self) -> None:
        self._await("Page.loadEventFired")
        if self._scripts:  # without them, what is promised never comes
            self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")

    def _await(self, method: str) -> None:
        while not any(event["method"] == method for event in self._events):
            self._read()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            some = os.read(self._back, 1 << 20)
            if not some:
                raise AssertionError("The browser has ended.")
            self._rest += some
        one, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(one)
        if "method" in message:
            self._events.append(message)
            self._note(message["method"], message["params"])
        return message

    def _note(self, method: str, values: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(values["exceptionDetails"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.errors.append(values["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "assert"):
            self.errors.append(json.dumps(values["args"]))
        elif method == "Network.requestWillBeSent":
            url: str = values["request"]["url"]
            if not url.startswith(("file:", "about:", "data:")):
                self.errors.append(f"asks for {url}")


@contextmanager
def chromium(folder: Path) -> Iterator[Chromium]:
    """Chromium with its profile in a folder."""
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    command = [
        str(CHROMIUM),
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
    ]
    command += ["--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}"]
    process = subprocess.Popen(
        [sys.executable, "-c", PLACES, str(to_read), str(back_write), *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
        pass_fds=(to_read, back_write),
    )
    os.close(to_read)
    os.close(back_write)
    try:
        yield Chromium(process, to_write, back_read)
    finally:
        os.close(to_write)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(back_read)
