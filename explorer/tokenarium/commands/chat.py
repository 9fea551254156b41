"""``tokenarium chat``: messages as a chat template writes them, and their tokens by role."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_json,
    write_table,
)
from tokenarium.models.chat.chat_template import (
    ChatTemplate,
    read_chat_file,
    read_chat_templates,
)
from tokenarium.models.chat.chat_tokens import ChatTokens, Written, chat_tokens
from tokenarium.models.chat.conversation import SAMPLE, STARTS, Message, best_start, from_json
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.piece import readable
from tokenarium.models.text.text_map import TextMap
from tokenarium.work.templating import TemplateProcess

ROLE_ENDS = ":"
"""Between a role and its content in an argument: ``user:Hello``."""


def chat(
    tokenizer: TokenizerArgument,
    messages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ROLE:CONTENT]…",
            help='Messages, such as "user:Hello"; without them and --file, a sample.',
            show_default=False,
        ),
    ] = None,
    file: FileOption = None,
    template: Annotated[
        Path | None,
        typer.Option(
            help="A template (.jinja), a tokenizer_config.json, or a folder with one; else the tokenizer's own.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            help="Which of several templates, or one to start from (ChatML …).", show_default=False
        ),
    ] = "",
    prompt: Annotated[
        bool,
        typer.Option("--prompt/--no-prompt", help="With the invitation to answer at the end."),
    ] = True,
    show: Annotated[
        bool, typer.Option("--show", "-s", help="A row for each token, with its role.")
    ] = False,
    text_only: Annotated[
        bool, typer.Option("--text", help="Write only the text that the template makes.")
    ] = False,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Writes messages by a chat template, and how many tokens each role costs.

    A file has a list of objects with role and content in JSON, or an object with that list as messages. The template
    runs in a process of its own, which is ended where it takes too much time or memory. The exit code is 1 where the
    template refuses the messages.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        chosen = _template(opened, template, name)
        asked = _messages(messages or [], file)
        process = TemplateProcess()
        try:
            made = process.write(chosen, asked, prompt)
        finally:
            process.stop()
        if text_only:
            typer.echo(made.chat.text, nl=False)
            return
        encoding = opened.encode(made.chat.text, special="all")
        spans = array_of(encoding.spans).reshape(-1, 2)
        text_map = TextMap(made.chat.text)
        special = tuple(opened.special_tokens.values())
        tokens = chat_tokens(
            made.chat, asked, made.contents, text_map, array_of(encoding.ids), spans, special
        )
        if as_json:
            write_json(_values(opened, chosen, made, tokens, list(encoding.ids)))
        else:
            _write(opened, chosen, made, tokens, list(encoding.ids), show)


def _template(opened: tc.Tokenizer, path: Path | None, name: str) -> ChatTemplate:
    """Returns the template that is asked for; without one of the tokenizer's own, a start whose markers it knows."""
    starts = {one.title: one.template() for one in STARTS}
    if path is not None:
        found = read_chat_templates(path) if path.is_dir() else read_chat_file(path)
        if not found:
            raise tc.TokenariumError(f"{path} has no chat template: choose another file or folder.")
    else:
        source = Path(opened.source.path or "")
        folder = source if source.is_dir() else source.parent
        found = read_chat_templates(folder) if opened.source.files else []
    if name:
        every = {**starts, **{one.name: one for one in found}}
        if name not in every:
            raise tc.TokenariumError(f"There is no template {name!r}: there is {', '.join(every)}.")
        return every[name]
    if found:
        return found[0]
    place = best_start(lambda marker: len(opened.encode(marker, "all")) == 1)
    start = STARTS[place].template()
    typer.secho(
        f"{opened.name} has no chat template of its own: this is {start.name}.", dim=True, err=True
    )
    return start


def _messages(given: list[str], file: Path | None) -> list[Message]:
    """Returns the messages of arguments, or of a file; else the sample."""
    if given:
        messages = []
        for one in given:
            role, sign, content = one.partition(ROLE_ENDS)
            if not sign or not role.strip():
                raise tc.TokenariumError(
                    f"{one!r} is no message: write the role, a colon and the content, such as user:Hello."
                )
            messages.append(Message(role.strip(), content.removeprefix(" ")))
        return messages
    if file is None:
        return list(SAMPLE)
    text = text_of(None, file)
    try:
        kept = json.loads(text)
        kept = kept.get("messages") if isinstance(kept, dict) else kept
    except (ValueError, RecursionError) as error:
        raise tc.FormatError(f"{file} is not JSON: {error}.") from None
    found = from_json(json.dumps(kept))
    if not found:
        raise tc.FormatError(
            f"{file} has no messages: a list of objects with role and content is needed."
        )
    return found


def _values(
    opened: tc.Tokenizer,
    template: ChatTemplate,
    made: Written,
    tokens: ChatTokens,
    ids: list[int],
) -> dict[str, Any]:
    return {
        "tokenizer": opened.name,
        "template": template.name,
        "text": made.chat.text,
        "exact": made.chat.exact,
        "tokens": tokens.total,
        "outside": tokens.outside,
        "added": tokens.added if tokens.added >= 0 else None,
        "roles": [
            {
                "role": one.role,
                "messages": one.messages,
                "tokens": one.tokens,
                "added": one.added if one.added >= 0 else None,
            }
            for one in tokens.rows
        ],
        "broken": tokens.broken,
        "ids": ids,
    }


def _write(
    opened: tc.Tokenizer,
    template: ChatTemplate,
    made: Written,
    tokens: ChatTokens,
    ids: list[int],
    show: bool,
) -> None:
    typer.echo(made.chat.text)
    rows = [
        (
            one.role,
            f"{one.messages:,}" if one.messages else "",
            f"{one.tokens:,}",
            f"{one.added:,}" if one.added >= 0 else "unknown",
        )
        for one in tokens.rows
    ]
    heads = [("role", False), ("messages", True), ("tokens", True), ("of the\ntemplate", True)]
    write_table(heads, rows, f"{opened.name}, template {template.name}: {tokens.total:,} tokens")
    if show:
        assert tokens.parts.rules is not None
        piece = opened.vocabulary.piece
        shown = [
            (str(token), readable(piece(token)), tokens.rows[int(rule)].role)
            for token, rule in zip(ids, tokens.parts.rules, strict=True)
        ]
        write_table([("id", True), ("token", False), ("role", False)], shown, "", wrapping=(1,))
    if not made.chat.exact:
        typer.echo("Where one role ends and the next begins is guessed.")
    if tokens.broken:
        typer.echo(
            f"Cut like any other text, as there is no such token: {', '.join(tokens.broken)}."
        )
