"""Firefox without a window, spoken to through Marionette, its own protocol.

WebDriver BiDi, which is a standard, would need a library for its web socket, and cannot emulate what a reader prefers.
Marionette can, as it also runs scripts in the browser itself, and needs a plain socket only.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import pytest

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")

PREFERENCES: Final = {
    "marionette.port": 0,  # any that is free
    "fission.bfcacheInParent": False,  # the next page is in the same context, with what it emulates
    "accessibility.tabfocus": 7,  # the key Tab goes to everything, on a Mac too
    "ui.useOverlayScrollbars": 1,  # they need no room
}

PATIENCE: Final = 120
"""Seconds after which the browser does not answer any more."""

KEYS: Final = {
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011",
    "End": "\ue010", "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c",
}  # fmt: skip
"""The characters that stand for keys in the protocol."""

LISTEN: Final = """
globalThis.found = [];
globalThis.complaints = { observe(message) {
  if (!(message instanceof Ci.nsIScriptError) || message.flags & Ci.nsIScriptError.warningFlag) return;
  if (/^(content javascript$|CSP)/.test(message.category)) found.push(message.errorMessage);
} };
Services.console.registerListener(complaints);
globalThis.requests = { observe(channel) {
  channel.QueryInterface(Ci.nsIHttpChannel);
  if (channel.loadInfo.browsingContextID) found.push("asks for " + channel.URI.spec);
} };
Services.obs.addObserver(requests, "http-on-modify-request");
"""
"""Notes errors of pages and their requests to other machines, but not what they write to the console."""

EMULATE: Final = """
const [media, medium] = arguments, context = gBrowser.selectedBrowser.browsingContext;
context.mediumOverride = medium;
context.prefersColorSchemeOverride = media.prefers_color_scheme ?? "light";
context.forcedColorsOverride = media.forced_colors ?? "none";
Services.prefs.setIntPref("ui.prefersReducedMotion", Number(media.prefers_reduced_motion === "reduce"));
"""

RESIZE: Final = """
const [width, height, scale] = arguments, shown = gBrowser.selectedBrowser;
for (const [name, length] of [["width", width], ["height", height]])
  for (const side of ["min-", "max-", ""]) shown.style.setProperty(side + name, length + "px");
shown.browsingContext.overrideDPPX = scale;
"""
"""Gives the page a size of its own: a window is never narrower than its buttons."""

RUN_SCRIPTS: Final = "gBrowser.selectedBrowser.browsingContext.allowJavascript = arguments[0]"


class Firefox:
    """One page of Firefox."""

    def __init__(self, connection: socket.socket, answers: BinaryIO) -> None:
        self._connection, self._answers = connection, answers
        self._number, self._context = 0, ""
        self._media: dict[str, str] = {}
        self._errors: list[str] = []
        self._read()  # what it says of itself
        self._ask("WebDriver:NewSession")
        self._in_browser(LISTEN)

    @property
    def errors(self) -> list[str]:
        """What the browser has complained about so far; the list can be cleared."""
        self._errors += self._in_browser("return found.splice(0)")
        return self._errors

    def open(self, path: Path, width: int = 1280, height: int = 900, **media: str) -> None:
        """Opens a file in a window of a size; ``media`` are features, as in ``prefers_color_scheme="dark"``."""
        if media.pop("prefers_contrast", "no-preference") != "no-preference":
            pytest.skip("Firefox emulates no contrast without colours that are forced")
        self._media = media
        self._in_browser(EMULATE, media, "")
        self.resize(width, height)  # before, as a script looks at it when the page opens
        self._in_page("WebDriver:Navigate", url=path.resolve().as_uri())
        self._await_page()

    def follow(self, script: str) -> None:
        """Runs a script by which the page goes away, and waits for the page that it leads to."""
        before = self.value("performance.timeOrigin")
        self.value(f"setTimeout(() => {{ {script} }}); 0")
        self._wait_until(
            f"document.readyState === 'complete' && performance.timeOrigin !== {before}"
        )
        self._await_page()

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """Gives the window another size, in pixels of CSS."""
        self._in_browser(RESIZE, width, height, scale)
        self._wait_until(f"innerWidth === {width} && innerHeight === {height}")

    def value(self, script: str) -> Any:
        """Returns the value of an expression in the page; of a promise, what it comes to."""
        return self._in_page(
            "WebDriver:ExecuteScript",
            script="return eval(arguments[0])",
            args=[script],
            newSandbox=False,
            sandbox=None,
        )["value"]

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        actions = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self._act({"type": "key", "id": "keys", "actions": actions})

    def click(self, x: float, y: float) -> None:
        """Clicks at a place of the window."""
        button = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
        actions = [{"type": "pointerMove", "x": round(x), "y": round(y)}, *button]
        self._act({"type": "pointer", "id": "mouse", "actions": actions})

    def picture(self, path: Path, whole: bool = False) -> None:
        """Writes a picture of the window, or of the whole page, as PNG."""
        answer = self._in_page("WebDriver:TakeScreenshot", full=whole)
        path.write_bytes(base64.b64decode(answer["value"]))

    def pdf(self) -> bytes:
        """Returns the page as it is printed."""
        return base64.b64decode(self._in_page("WebDriver:Print")["value"])

    def show_as_printed(self) -> None:
        """Shows the page in its window as it is printed, until another is opened."""
        self._in_browser(EMULATE, self._media, "print")

    def run_scripts(self, wanted: bool) -> None:
        """Says whether the pages that are opened from now on may run scripts."""
        self._in_browser(RUN_SCRIPTS, wanted)

    def _act(self, device: dict[str, Any]) -> None:
        self._in_page("WebDriver:PerformActions", actions=[device])

    def _wait_until(self, script: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(AssertionError):  # a page that is just going away answers nothing
                if self.value(script):
                    return
            time.sleep(0.01)
        raise AssertionError(f"Firefox has waited in vain: {script}")

    def _await_page(self) -> None:
        with suppress(AssertionError):  # where scripts are off, nothing is promised
            self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")

    def _in_browser(self, script: str, *values: object) -> Any:
        """Returns what a script in the browser itself returns."""
        self._go_to("chrome")
        return self._ask(
            "WebDriver:ExecuteScript",
            script=script,
            args=values,
            newSandbox=False,
            sandbox="system",
        )["value"]

    def _in_page(self, command: str, **values: object) -> dict[str, Any]:
        self._go_to("content")
        return self._ask(command, **values)

    def _go_to(self, context: str) -> None:
        if context != self._context:
            self._ask("Marionette:SetContext", value=context)
            self._context = context

    def _ask(self, command: str, **values: object) -> dict[str, Any]:
        self._number += 1
        message = json.dumps([0, self._number, command, values]).encode()
        self._connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._read()
        assert number == self._number
        assert error is None, (command, error)
        return dict(result)

    def _read(self) -> Any:
        length = b""
        while (one := self._answers.read(1)) != b":":
            if not one:
                raise AssertionError("The browser has ended.")
            length += one
        return json.loads(self._answers.read(int(length)))


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Firefox with its profile in a folder."""
    profile = folder / "firefox"
    profile.mkdir()
    lines = (
        f"user_pref({json.dumps(name)}, {json.dumps(one)});\n" for name, one in PREFERENCES.items()
    )
    (profile / "user.js").write_text("".join(lines))
    command = [str(FIREFOX), "--headless", "--no-remote", "--profile", str(profile)]
    process = subprocess.Popen(
        [*command, "--marionette", "--remote-allow-system-access"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={
            **os.environ,
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "MOZ_HEADLESS_WIDTH": "2600",
            "MOZ_HEADLESS_HEIGHT": "2000",
        },
    )
    port = profile / "MarionetteActivePort"
    try:
        while not port.exists() or not port.read_text():
            assert process.poll() is None, "Firefox has ended."
            time.sleep(0.02)
        place = "127.0.0.1", int(port.read_text())
        with (
            socket.create_connection(place, PATIENCE) as connection,
            connection.makefile("rb") as answers,
        ):
            yield Firefox(connection, answers)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
