"""``tokenarium chat``: messages as a chat template writes them, and their tokens by role."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.commands.terminal import (
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_json,
    write_table,
    write_tables,
)
from tokenarium.models.chat.chat_figures import ChatFigures, chat_figures, source_notes
from tokenarium.models.chat.chat_inputs import Inputs
from tokenarium.models.chat.chat_notes import chat_notes
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import RoleCost, Written, lost_note
from tokenarium.models.chat.conversation import (
    BOUNDS,
    SAMPLE,
    STARTS,
    Conversation,
    Message,
    best_start,
    conversation_from,
    read_conversation,
)
from tokenarium.models.chat.origins import source_of
from tokenarium.models.chat.safe_encoding import libraries_for, safe_program
from tokenarium.models.chat.template_files import chosen as chosen_of
from tokenarium.models.chat.template_files import (
    read_chat_file,
    read_chat_templates,
    templates_of,
)
from tokenarium.models.text.piece import readable
from tokenarium.models.text.text_map import TextMap
from tokenarium.work.templating import TemplateProcess
from tokenarium_core.bounded_json import read_json
from tokenarium_core.formats.chat_part import own_tokens

ROLE_ENDS = ":"
"""Between a role and its content in an argument: ``user:Hello``."""


def chat(
    tokenizer: TokenizerArgument,
    messages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ROLE:CONTENT]…",
            help='Messages, such as "user:Hello"; without them and --file, a sample.',
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", help="A conversation in JSON, or - for the standard input."),
    ] = None,
    tools: Annotated[Path | None, typer.Option(help="A JSON file with the list of tools.")] = None,
    documents: Annotated[
        Path | None, typer.Option(help="A JSON file with the list of documents.")
    ] = None,
    variables: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "--var",
            metavar="NAME=JSON",
            help="A variable of the template, such as enable_thinking=false; may be repeated.",
        ),
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            help="A template (.jinja), a tokenizer_config.json, or a folder with one; by default, the tokenizer's own."
        ),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            help="Which of several templates, such as tool_use, or one to start from (ChatML …)."
        ),
    ] = "",
    prompt: Annotated[
        bool | None,
        typer.Option(
            "--prompt/--no-prompt",
            help="End with the prompt for an answer, or without it (the default with --continue, or if the file says so).",
            show_default="--prompt",
        ),
    ] = None,
    resumed: Annotated[
        str,
        typer.Option(
            "--continue",
            metavar="FIELD",
            help="Leave a field of the last message open for the model to continue: content, or reasoning_content.",
        ),
    ] = "",
    show: Annotated[
        bool, typer.Option("--show", "-s", help="A row for each token, with its role.")
    ] = False,
    text_only: Annotated[
        bool, typer.Option("--text", help="Write only the text that the template makes.")
    ] = False,
    program: Annotated[
        str,
        typer.Option(
            metavar="LIBRARY",
            help="Write a program that encodes the chat safely: tokenarium_core, tokenizers, transformers or tiktoken.",
        ),
    ] = "",
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Writes messages by a chat template, and how many tokens each role costs.

    The text is that of apply_chat_template in transformers. A file contains a list of messages in JSON, or an object
    with that list as messages; it may also contain tools, documents, chat_template_kwargs, add_generation_prompt and
    continue_final_message, which the options override. The template gets every field of a message. The template runs in
    its own process, which is stopped if it needs too much time or memory. The exit code is 1 if the template rejects
    the messages.

    The source of a token is what its text comes from: the template itself, the name of a role, the content of a message,
    a tool call or its result, a tool's schema. A warning names a second BOS, and text of the chat that becomes a special
    token; --program encodes that text as plain text.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        request = _conversation(messages or [], file)
        request = _with_options(request, tools, documents, variables or [], prompt, resumed)
        inputs = request.inputs
        chosen = _template(opened, template, name, inputs.tools is not None)
        process = TemplateProcess()
        try:
            chat_text = process.write(
                chosen.template, request.messages, bool(request.prompt), inputs
            )
        finally:
            process.stop()
        if text_only:
            typer.echo(chat_text.chat.text, nl=False)
            notes = chat_notes(opened, chosen.template, chosen.own, chat_text, request.unknown)
            for warning in notes.wrong:
                typer.secho(warning, dim=True, err=True)
            return
        encoding = opened.encode(chat_text.chat.text, special="all")
        figures = chat_figures(
            opened,
            chosen.template,
            chosen.own,
            request.messages,
            chat_text,
            TextMap(chat_text.chat.text),
            encoding,
            request.unknown,
        )
        shown = Shown(opened, request, chosen, chat_text, figures, list(encoding.ids))
        if program:
            _check_library(opened, program)
            typer.echo(safe_program(opened, program, figures.safe), nl=False)
            return
        if as_json:
            write_json(_values(shown))
        else:
            _write(shown, show)


class Chosen(NamedTuple):
    """The template that is used; ``own``: whether it is the tokenizer's, or was chosen by an option."""

    template: ChatTemplate
    own: bool


class Shown(NamedTuple):
    """What is written about a chat."""

    tokenizer: tc.Tokenizer
    asked: Conversation
    chosen: Chosen
    made: Written
    figures: ChatFigures
    ids: list[int]

    @property
    def mask(self) -> list[int] | None:
        """1 for each token that the template marks as generated, otherwise 0; None if it marks none."""
        mask = self.figures.mask
        return mask.astype(int).tolist() if mask is not None else None

    @property
    def roles(self) -> list[str]:
        """The roles of the messages."""
        return [message.role for message in self.asked.messages]

    @property
    def sources(self) -> list[str]:
        """The source of each token."""
        found = self.figures.sources
        assert found.parts.rules is not None
        return [found.rows[rule].source for rule in found.parts.rules[:].tolist()]


def _template(opened: tc.Tokenizer, path: Path | None, name: str, with_tools: bool) -> Chosen:
    """Returns the template to use; if the tokenizer has none of its own, one to start from whose markers it knows."""
    starts = {one.title: one.template() for one in STARTS}
    if path is not None:
        own = own_tokens(opened)
        templates = (
            read_chat_templates(path, own) if os.path.isdir(path) else read_chat_file(path, own)
        )
        if not templates:
            raise tc.TokenariumError(f"{path} has no chat template: choose another file or folder.")
        if len(templates) == 1 and os.path.isfile(path) and not name:
            return Chosen(templates[0], True)
    else:
        templates = templates_of(opened) if opened.source.files else []
    if name in starts and name not in [one.name for one in templates]:
        return Chosen(starts[name], True)
    if name and not templates:
        raise tc.TokenariumError(f"There is no template {name!r}: choose from {', '.join(starts)}.")
    if templates:
        return Chosen(chosen_of(templates, name, with_tools), True)
    place = best_start(lambda marker: len(opened.encode(marker, "all")) == 1)
    start = STARTS[place].template()
    typer.secho(
        f"{opened.name} has no chat template of its own: this is {start.name}.", dim=True, err=True
    )
    return Chosen(start, False)


def _conversation(given: list[str], file: Path | None) -> Conversation:
    """Returns the conversation from the arguments or a file, or the sample."""
    fields = Conversation([]) if file is None else read_conversation(text_of(None, file), str(file))
    if not given:
        return fields if file is not None else Conversation(list(SAMPLE))
    messages = []
    for argument in given:
        role, sign, content = argument.partition(ROLE_ENDS)
        if not sign or not role.strip():
            raise tc.TokenariumError(
                f"{argument!r} is not a message: write the role, a colon and the content, such as user:Hello."
            )
        messages.append(Message(role.strip(), content.removeprefix(" ")))
    if file is not None:
        raise tc.TokenariumError("Messages and a file are both given: give only one of them.")
    return Conversation(messages)


def _with_options(
    asked: Conversation,
    tools: Path | None,
    documents: Path | None,
    variables: list[str],
    prompt: bool | None,
    resumed: str,
) -> Conversation:
    """Returns a conversation changed as the options say."""
    given: dict[str, Any] = {}
    for name, file in (("tools", tools), ("documents", documents)):
        if file is not None:
            given[name] = _json(text_of(None, file), str(file))
    settings: dict[str, Any] = {}
    for variable in variables:
        name, sign, value = variable.partition("=")
        if not sign or not name.strip():
            raise tc.TokenariumError(
                f"{variable!r} sets nothing: write a name, = and a value in JSON, such as enable_thinking=false."
            )
        settings[name.strip()] = _json(value, f"The value of --set {name.strip()}")
    options = conversation_from([], {**given, "chat_template_kwargs": settings})
    inputs = asked.inputs
    inputs = Inputs(
        inputs.tools if options.inputs.tools is None else options.inputs.tools,
        inputs.documents if options.inputs.documents is None else options.inputs.documents,
        {**inputs.variables, **options.inputs.variables},
        resumed or options.inputs.resumed or inputs.resumed,
    )
    for one_said in (options.prompt, asked.prompt, not inputs.resumed):
        prompt = one_said if prompt is None else prompt
    return asked._replace(inputs=inputs, prompt=prompt)


def _json(text: str, source: str) -> Any:
    try:
        return read_json(text.encode("utf-8", "surrogatepass"), source, BOUNDS)
    except tc.FormatError as error:
        raise tc.FormatError(f"{error} Put a text in quotation marks.") from None


def _check_library(opened: tc.Tokenizer, library: str) -> None:
    libraries = libraries_for(opened)
    if library not in libraries:
        raise tc.TokenariumError(
            f"There is no program for {library} with this tokenizer: choose {' or '.join(libraries)}."
        )


def _values(shown: Shown) -> dict[str, Any]:
    opened, chosen, figures = shown.tokenizer, shown.chosen, shown.figures
    tokens, chat_text = figures.tokens, shown.made
    wrong, odd = figures.notes
    parts = chat_text.parts
    return {
        "tokenizer": opened.name,
        "template": chosen.template.name,
        "text": chat_text.chat.text,
        "exact": not wrong,
        "inexact": wrong,
        "notes": odd,
        "tokens": tokens.total,
        "outside": tokens.outside,
        "added": tokens.added if tokens.added >= 0 else None,
        "roles": [
            {
                "role": row.role,
                "messages": row.messages,
                "tokens": row.tokens,
                "added": row.added if row.added >= 0 else None,
            }
            for row in tokens.rows
        ],
        "broken": tokens.broken,
        "lost_text": tokens.lost_share,
        "ids": shown.ids,
        "assistant_mask": shown.mask,
        "parts": None
        if parts is None
        else [
            {
                "start": part.start,
                "end": part.stop,
                "source": source_of(part.origin, shown.roles),
                "message": part.origin.message if part.origin.message >= 0 else None,
                "field": part.origin.name or None,
            }
            for part in parts
        ],
        "sources": shown.sources,
        "warnings": [warning._asdict() for warning in figures.warnings],
        "safe_ids": [token for part in figures.safe for token in part.ids],
    }


def _write(shown: Shown, show: bool) -> None:
    opened, figures = shown.tokenizer, shown.figures
    tokens = figures.tokens
    typer.echo(shown.made.chat.text)
    columns: list[TableColumn[RoleCost]] = [
        printed_column("role", lambda row: row.role),
        printed_column("messages", lambda row: row.messages or "", lambda n: n and f"{n:,}"),
        printed_column("tokens", lambda row: row.tokens, COUNT),
        printed_column("of the\ntemplate", lambda row: f"{row.added:,}" if row.added >= 0 else "unknown", str),
    ]  # fmt: skip
    title = f"{opened.name}, template {shown.chosen.template.name}: {tokens.total:,} tokens"
    write_tables(Table(columns, tokens.rows, title=title))
    if show:
        assert tokens.parts.rules is not None
        piece = opened.vocabulary.piece
        lines = [
            (str(token), readable(piece(token)), tokens.rows[rule].role, source)
            for token, rule, source in zip(
                shown.ids, tokens.parts.rules.tolist(), shown.sources, strict=True
            )
        ]
        heads = [("id", True), ("token", False), ("role", False), ("source", False)]
        write_table(heads, lines, "", wrapping=(1,))
    if shown.mask is not None:
        typer.echo(
            f"The template marks {sum(shown.mask):,} tokens as what the assistant generates."
        )
    for warning in figures.warnings:
        typer.echo(f"Warning: {warning.sentence} {warning.remedy}")
    wrong, odd = figures.notes
    told = source_notes(figures, shown.roles)
    for sentence in (*wrong, *odd, *told, *filter(None, [lost_note(tokens)])):
        typer.echo(sentence)
    if tokens.broken:
        typer.echo(
            f"Split like any other text, as there is no such token: {', '.join(tokens.broken)}."
        )
