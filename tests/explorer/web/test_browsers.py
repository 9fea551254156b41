"""The browsers of the tests: they notice what is wrong with a page, and show the same page alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser

pytestmark = pytest.mark.slow

POLICY = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'\">"


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<script>throw new Error('thrown here')</script>", "thrown here"),
        (f"{POLICY}<img src='data:image/png;base64,AAAA'>", "img-src"),
        (f"{POLICY}<p style='color: red'>", "style-src"),
        ("<img src='http://127.0.0.1:64999/a.png'>", "asks for http://127.0.0.1:64999/a.png"),
    ],
    ids=["exception", "picture", "style", "request"],
)
def test_what_is_wrong_is_noticed(
    one_browser: Browser, tmp_path: Path, html: str, said: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<!DOCTYPE html><title>T</title>{html}")
    one_browser.errors.clear()
    one_browser.open(path)
    assert any(said in error for error in one_browser.errors), one_browser.errors
    one_browser.errors.clear()
    path.write_text("<!DOCTYPE html><title>T</title><script>1</script>")
    one_browser.open(path)
    assert one_browser.errors == []
