"""The repair of a chat that has two tokens for the beginning: the chat template no longer writes its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import tokenarium_core as tc
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.conversation import SAMPLE, Message
from tokenarium.models.chat.template_files import templates_of
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Level
from tokenarium.models.diagnosis.diagnosis_stored import Renderer
from tokenarium.models.mending.repair import EditAction, FileEdit, Repair, json_of, read_content
from tokenarium_core.formats import SETTINGS_FILES
from tokenarium_core.formats.chat_part import folder_of

TEXT_STARTS: Final = "text_starts"
"""The id of the finding."""

_JINJA: Final = "chat_template.jinja"
_NAME: Final = r"bos_token"
_CONTEXT: Final = 12  # characters around a change, so that it is found and understood


def template_repairs(
    tokenizer: tc.Tokenizer, finding: Diagnosis, render: Renderer
) -> Iterator[Repair]:
    """Yields the repair: a template that writes the same chats without the token for the beginning."""
    if finding.level is Level.FINE or folder_of(tokenizer) is None:
        return
    template = templates_of(tokenizer)[0]
    token = template.tokens.get("bos_token", "")
    source = _without(template, token, render) if token else ""
    edit = _edit(tokenizer, template.source, source) if source else None
    if edit is None:
        return
    said = (
        f"The chat template no longer writes “{token}”, which the tokenizer puts around every text. Programs that encode"
        " what a template wrote without special tokens around it then get no such token."
    )
    title = "Remove it from the template"
    yield Repair(TEXT_STARTS, TEXT_STARTS, title, said, (edit,))


def _without(template: ChatTemplate, token: str, render: Renderer) -> str:
    """Returns the source of a template that writes all chats without the token at their beginning; empty if none is found."""
    chats = [list(SAMPLE), list(SAMPLE[1:]), list(SAMPLE[1:2])]
    before = _written(template, chats, render)
    if not any(text is not None for text in before):
        return ""
    expected = [None if text is None else text.removeprefix(token) for text in before]
    if expected == before:
        return ""
    for source in _candidates(template.source, token):
        changed = ChatTemplate(template.name, source, template.tokens)
        if source != template.source and _written(changed, chats, render) == expected:
            return source
    return ""


def _written(
    template: ChatTemplate, chats: Sequence[list[Message]], render: Renderer
) -> list[str | None]:
    """Returns the texts of some chats, with the beginning of an answer and without; None for those that it refuses."""
    texts: list[str | None] = []
    for messages in chats:
        for prompt in (True, False):
            try:
                texts.append(render(template, messages, prompt).chat.text)
            except tc.TokenariumError:
                texts.append(None)
    return texts


def _candidates(source: str, token: str) -> Iterator[str]:
    """Yields sources without the token: its expression, as a part of a sum, or its text; once, or everywhere."""
    literal = rf"(?:'{re.escape(token)}'|\"{re.escape(token)}\")"
    patterns = (
        (rf"\{{\{{-?\s*{_NAME}\s*-?\}}\}}", ""),
        (rf"(\{{\{{-?\s*){_NAME}(\s*-?\}}\}})", r"\1''\2"),  # which strips the space around it
        (rf"\b{_NAME}\s*[+~]\s*", ""),
        (rf"\s*[+~]\s*{_NAME}\b", ""),
        (rf"\{{\{{-?\s*{literal}\s*-?\}}\}}", ""),
        (rf"{literal}\s*[+~]\s*", ""),
        (re.escape(token), ""),
    )
    for pattern, instead in patterns:
        for count in (1, 0):
            yield re.sub(pattern, instead, source, count=count)


def _edit(tokenizer: tc.Tokenizer, old: str, new: str) -> FileEdit | None:
    """Returns the edit of the file that has the template; None if it is in no file of the folder."""
    config = json_of(tokenizer, SETTINGS_FILES[0])
    field = config.get("chat_template")
    try:
        content = read_content(tokenizer, _JINJA).decode()
    except (tc.TokenariumError, UnicodeDecodeError):
        content = ""
    if content:
        before, after = _changed_part(old, new)
        if content.count(before) != 1:
            return None
        return FileEdit(_JINJA, (), before, after, EditAction.TEXT)
    if field == old:
        return FileEdit(SETTINGS_FILES[0], ("chat_template",), old, new)
    for place, item in enumerate(field if isinstance(field, list) else []):
        if isinstance(item, dict) and item.get("template") == old:
            return FileEdit(SETTINGS_FILES[0], ("chat_template", place, "template"), old, new)
    return None


def _changed_part(old: str, new: str) -> tuple[str, str]:
    """Returns the parts of two texts that differ, with some characters around them.

    >>> _changed_part("{{ bos_token }}{% for", "{% for")
    ('{{ bos_token }}{% for', '{% for')
    """
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    context = _CONTEXT
    while True:
        first, last = max(start - context, 0), max(end - context, 0)
        before = old[first : len(old) - last]
        if old.count(before) == 1 or context > len(old):
            return before, new[first : len(new) - last]
        context *= 2
