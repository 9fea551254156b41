"""The dialog "Chat": a template writes messages as one text, which is shown as tokens by role."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

import tokenarium_core as tc
from tokenarium.models.chat.chat_figures import ChatFigures, chat_figures, source_notes
from tokenarium.models.chat.chat_inputs import Inputs
from tokenarium.models.chat.chat_template import ChatTemplate, TemplateFault
from tokenarium.models.chat.chat_tokens import ChatTokens, Written, lost_note
from tokenarium.models.chat.conversation import (
    BOUNDS,
    SAMPLE,
    STARTS,
    Conversation,
    Message,
    as_json,
    best_start,
    conversation_of,
    read_conversation,
    to_json,
)
from tokenarium.models.chat.safe_encoding import libraries_for, safe_program
from tokenarium.models.chat.template_files import (
    chosen,
    read_chat_file,
    templates_of,
)
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import readable
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session import settings
from tokenarium.session.encodings import SMALL_TEXT
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.views.kept import Kept, kept_control
from tokenarium.views.workspace import soon
from tokenarium.widgets.chat.chat_dialog import ChatDialog
from tokenarium.widgets.file_dialogs import ask_file
from tokenarium.work.templating import TemplateProcess
from tokenarium_core.bounded_json import read_json
from tokenarium_core.formats.chat_part import own_tokens
from tokenarium_core.plain_files import read_file
from tokenarium_core.progress import Progress

RENDER_MS = 40
"""Milliseconds without typing after which a template runs."""

LOOK_MS = 4
"""Milliseconds between checks whether the template has answered."""

PATIENCE_MS = 400
"""Milliseconds after which the dialog says that the template is running."""

FIRST_SLICE_MS = 1.0
JOB = "chat"
START = "start:"
"""The prefix of the keys of the templates to start from."""

NAMED_MARKERS = 4
"""The most markers that a note names; it counts the others."""


class TemplateChoice(NamedTuple):
    """A template that can be chosen: a unique ``key``, its name, and its origin."""

    key: str
    title: str
    origin: str
    template: ChatTemplate


class Asked(NamedTuple):
    """A template and its input; ``own``: whether it is the tokenizer's, or from a file."""

    messages: list[Message]
    inputs: Inputs
    template: ChatTemplate
    own: bool


class Rendered(NamedTuple):
    """What a template wrote for some messages, and its text."""

    asked: Asked
    made: Written
    text_map: TextMap

    @property
    def roles(self) -> list[str]:
        """The roles of the messages."""
        return [message.role for message in self.asked.messages]


class ChattingCommands:
    """The commands of the dialog "Chat"."""

    def __init__(self, session: Session, store: Settings, window: QWidget) -> None:
        self._session = session
        self._store = store
        self._window = window
        self._tokenizer: tc.Tokenizer | None = None
        self._name = ""
        self._opened: list[TemplateChoice] = []
        self._choices: list[TemplateChoice] = []
        self._place = 0
        self._picked = ""  # the key of the user's choice; by default the tokenizer's own template
        self._edits: dict[str, str] = {}
        self._before: dict[str, object] = {}  # the state of the last run of this window
        self._problem = ""  # of the files next to the tokenizer
        self._rendered: Rendered | None = None
        self._figures: ChatFigures | None = None
        self.dialog: ChatDialog | None = None
        self._soon = soon(session, self._render, RENDER_MS)
        self._process = TemplateProcess()
        self._asked: Asked | None = None
        self._unknown: tuple[str, ...] = ()  # fields of the conversation that no template gets
        self._look = QTimer(session, interval=LOOK_MS)
        self._look.timeout.connect(self._take)
        self._patience = soon(session, lambda: self._say_running(True), PATIENCE_MS)

    def chat(self) -> None:
        """Opens the dialog with the last messages."""
        if self.dialog is None:
            self.dialog = self._make_dialog()
            self.dialog.prompt.setChecked(self._store.get(settings.CHAT_PROMPT))
            conversation = self._before_this()
            self.dialog.messages.set_messages(conversation.messages, conversation.inputs)
        self.dialog.open_over(self._window)
        self._follow()
        self._render()

    def state(self) -> dict[str, object] | None:
        """Returns the messages, and the templates that were edited, for the next run; None if nothing was opened."""
        if self.dialog is None:
            return self._before or None
        return {
            "messages": self._conversation(),
            "templates": dict(self._edits),
            "picked": self._picked,
        }

    def take_state(self, state: object) -> None:
        """Restores the `state` of another run, ignoring invalid values."""
        if not isinstance(state, dict):
            return
        self._before = state
        templates, picked = state.get("templates"), state.get("picked")
        if isinstance(templates, dict):
            self._edits.update((str(key), str(source)) for key, source in templates.items())
        if isinstance(picked, str):
            self._picked = picked
        if self.dialog is not None:
            before = self._before_this()
            self.dialog.messages.set_messages(before.messages, before.inputs)
            if self.dialog.isVisible():
                self._offer()

    def _before_this(self) -> Conversation:
        """Returns the messages of the last run of this window, or else of any window.

        Returns the sample if there was none.
        """
        of_window = self._before.get("messages")
        conversation = conversation_of(json.dumps(of_window)) if of_window is not None else None
        conversation = conversation or conversation_of(self._store.get(settings.CHAT_MESSAGES))
        return conversation or Conversation(list(SAMPLE))

    def keeps(self) -> tuple[Kept, ...]:
        """Returns the current template, with its changes, and the tab; only while the dialog is open."""
        dialog = self.dialog
        if dialog is None:
            return ()
        return (
            Kept("messages", self._conversation, self._take_kept),
            Kept("template", dialog.choice.currentText, self._pick_named),
            Kept("source", lambda: self._edits.get(self._choices[self._place].key, ""), self._take_source),
            kept_control("tab", dialog.tabs),
            kept_control("colours", dialog.colours),
        )  # fmt: skip

    def _conversation(self) -> Any:
        assert self.dialog is not None
        messages = self.dialog.messages
        return as_json(messages.messages(), messages.inputs)

    def _take_kept(self, values: object) -> None:
        conversation = conversation_of(json.dumps(values))
        if conversation is None:
            raise ValueError("These are no messages.")
        if values != self._conversation():
            self._take_conversation(conversation)

    def _pick_named(self, title: object) -> None:
        titles = [choice.title for choice in self._choices]
        place = titles.index(str(title))
        assert self.dialog is not None
        self.dialog.choice.setCurrentIndex(place)
        self._pick(place)

    def _take_source(self, source: object) -> bool:
        if self.busy:
            return False  # if the source has an error, the last text of the template stays
        if source:
            self._edit(str(source))
        else:
            self._reset()
        return True

    @property
    def busy(self) -> bool:
        """Whether the text will soon be written again."""
        return self._soon.isActive() or self._look.isActive()

    def stop(self) -> None:
        """Stores the messages and ends the process, such as when the window closes."""
        self._soon.stop()
        self._rest()
        self._process.stop()
        self._keep()

    def open_file(self) -> None:
        """Asks for a file with a conversation or with templates."""
        kinds = "Conversations and chat templates (*.json *.jinja *.jinja2 *.txt);;All files (*)"
        title = "Open a conversation or a chat template"
        name = ask_file("templates", self.dialog, title, kinds)
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> None:
        """Shows the conversation of a file, or chooses its first template; shows a message if it has neither."""
        assert self.dialog is not None
        try:
            conversation = _conversation_in(path)
            if conversation is not None:
                self._take_conversation(conversation)
                return
            own = own_tokens(self._tokenizer) if self._tokenizer is not None else {}
            templates = read_chat_file(path, own)
        except tc.TokenariumError as error:
            self.dialog.show_problem(f"{path.name} was not opened. {error}")
            return
        opened = [
            TemplateChoice(f"{path}:{t.name}", _title(path.name, t), f"from {path}", t)
            for t in templates
        ]
        keys = {choice.key for choice in opened}
        self._opened = [*opened, *(choice for choice in self._opened if choice.key not in keys)]
        for key in keys:
            self._edits.pop(key, None)
        self._picked = opened[0].key
        self._offer()

    def paste(self) -> None:
        """Shows the conversation in the clipboard, or a message if it contains none."""
        assert self.dialog is not None
        text = QGuiApplication.clipboard().text()
        try:
            self._take_conversation(read_conversation(text, "What was copied"))
        except tc.TokenariumError as error:
            self.dialog.show_problem(f"The clipboard has no conversation. {error}")

    def _take_conversation(self, conversation: Conversation) -> None:
        assert self.dialog is not None
        self._unknown = conversation.unknown
        if conversation.prompt is not None:
            self.dialog.prompt.setChecked(conversation.prompt)
        self.dialog.messages.set_messages(conversation.messages, conversation.inputs)
        self.dialog.tabs.setCurrentIndex(0)

    def use_as_text(self) -> None:
        """Makes the written chat the text of the window, with its special tokens."""
        if self._rendered is None or self.dialog is None:
            return
        self.dialog.accept()
        self._session.set_special("all")
        self._session.set_text(self._rendered.made.chat.text)

    def _make_dialog(self) -> ChatDialog:
        dialog = ChatDialog(self._window)
        dialog.changed.connect(self._soon.start)
        dialog.template_picked.connect(self._pick)
        dialog.source_edited.connect(self._edit)
        dialog.reset_requested.connect(self._reset)
        dialog.file_requested.connect(self.open_file)
        dialog.sample_requested.connect(lambda: self._take_conversation(Conversation(list(SAMPLE))))
        dialog.paste_requested.connect(self.paste)
        dialog.messages.inputs_changed.connect(self._choose_again)
        dialog.use_requested.connect(self.use_as_text)
        dialog.pointed.connect(self._tell)
        dialog.finished.connect(self._close)
        dialog.ids_toggled.connect(
            lambda on: self._session.set_annotations("ids" if on else "none")
        )
        self._session.current_changed.connect(self._follow)
        self._session.tokenizers_changed.connect(self._follow)
        self._session.display_changed.connect(self._show_display)
        return dialog

    # The list of templates.

    def _follow(self) -> None:
        """Switches to the current tokenizer, if it has changed."""
        item = self._session.current
        tokenizer = item.tokenizer if item is not None else None
        if self.dialog is None or not self.dialog.isVisible():
            return
        if self._choices and tokenizer is self._tokenizer:
            return
        self._tokenizer = tokenizer
        self._name = item.name if item is not None else ""
        self.dialog.setWindowTitle(f"Chat, as tokens of {self._name}" if self._name else "Chat")
        self._show_display()
        self._offer()

    def _offer(self) -> None:
        """Lists the templates of the tokenizer's folder, of opened files, and those to start from."""
        assert self.dialog is not None
        item = self._session.current
        own = self._own(item) if item is not None else []
        starts = [
            TemplateChoice(
                f"{START}{start.title}", start.title, "a template to start from", start.template()
            )
            for start in STARTS
        ]
        self._choices = [*own, *self._opened, *starts]
        keys = [choice.key for choice in self._choices]
        first = self._first(own)
        self._place = keys.index(self._picked) if self._picked in keys else first
        self.dialog.set_choices([choice.title for choice in self._choices], self._place)
        self._show_template()
        self._soon.start()

    def _choose_again(self) -> None:
        """Chooses the template again: some tokenizers have one for tools."""
        if self._choices:
            self._offer()

    def _first(self, own: list[TemplateChoice]) -> int:
        """Returns the index of the default template."""
        if not own:
            return len(self._opened) + best_start(self._knows)
        assert self.dialog is not None
        templates = [choice.template for choice in own]
        try:
            with_tools = self.dialog.messages.inputs.tools is not None
            return templates.index(chosen(templates, "", with_tools))
        except tc.FormatError:  # none is the default template
            return 0

    def _knows(self, marker: str) -> bool:
        """Whether the tokenizer has one token for a marker."""
        return self._tokenizer is not None and len(self._tokenizer.encode(marker, "all")) == 1

    def _own(self, item: LibraryItem) -> list[TemplateChoice]:
        """Returns the templates of the tokenizer's file, or in its folder."""
        self._problem = ""
        assert item.tokenizer is not None
        path = item.tokenizer.source.path
        try:
            templates = templates_of(item.tokenizer)
        except tc.TokenariumError as error:
            self._problem = f"The template of {item.name} is not offered. {error}"
            return []
        return [
            TemplateChoice(f"{path}:{t.name}", _title(item.name, t), f"from {path}", t)
            for t in templates
        ]

    def _pick(self, place: int) -> None:
        self._place = place
        self._picked = self._choices[place].key
        self._show_template()
        self._soon.start()

    def _edit(self, source: str) -> None:
        choice = self._choices[self._place]
        if source == choice.template.source:
            self._edits.pop(choice.key, None)
        else:
            self._edits[choice.key] = source
        self._picked = choice.key
        self._show_template()
        self._soon.start()

    def _reset(self) -> None:
        self._edits.pop(self._choices[self._place].key, None)
        self._show_template()
        self._soon.start()

    def _show_template(self) -> None:
        assert self.dialog is not None
        choice = self._choices[self._place]
        edited = choice.key in self._edits
        source = self._edits.get(choice.key, choice.template.source)
        tokens = choice.template.tokens
        names = ", ".join(f"{name} = {text}" for name, text in tokens.items())
        origin = f"{choice.origin}, edited" if edited else choice.origin
        self.dialog.set_template(source, origin, names or "It names no special tokens.", edited)

    # The text and its tokens.

    def _template(self) -> ChatTemplate:
        choice = self._choices[self._place]
        source = self._edits.get(choice.key)
        if source is None:
            return choice.template
        return ChatTemplate(choice.template.name, source, choice.template.tokens)

    def _render(self) -> None:
        """Starts to write the messages again; after an error the last text stays."""
        dialog = self.dialog
        if dialog is None or not dialog.isVisible():
            return
        self._soon.stop()
        self._keep()
        messages = dialog.messages
        try:
            own = not self._choices[self._place].key.startswith(START)
            request = Asked(messages.messages(), messages.inputs, self._template(), own)
            self._asked = request
            prompt = dialog.prompt.isChecked() and not request.inputs.resumed
            self._process.ask(request.template, request.messages, prompt, request.inputs)
        except tc.TokenariumError as error:
            self._fail(error)
            return
        self._look.start()
        if not self._patience.isActive():
            self._patience.start()

    def _take(self) -> None:
        """Shows what the template has written, once it has answered."""
        try:
            answer = self._process.answer()
        except tc.TokenariumError as error:
            self._fail(error)
            return
        if answer is not None:
            self._rest()
            self._take_written(answer)

    def _take_written(self, made: Written) -> None:
        assert self.dialog is not None
        assert self._asked is not None
        self.dialog.show_problem(self._problem)
        self._rendered = Rendered(self._asked, made, TextMap(made.chat.text))
        self._encode(self._rendered)

    def _fail(self, error: tc.TokenariumError) -> None:
        assert self.dialog is not None
        self._rest()
        line = error.line if isinstance(error, TemplateFault) else 0
        last = " Below is the text before the error." if self._rendered is not None else ""
        self.dialog.show_problem(f"{error}{last}", line)
        if isinstance(error, TemplateFault):  # a variable may be what is missing
            self.dialog.inputs.show_inputs(self.dialog.messages.inputs, error.undefined)

    def _rest(self) -> None:
        """Stops looking for an answer."""
        self._look.stop()
        self._patience.stop()
        self._say_running(False)

    def _say_running(self, running: bool) -> None:
        if self.dialog is not None:
            self.dialog.show_running(running)

    def _close(self) -> None:
        """Ends the process when the dialog closes; the next time, the dialog starts another."""
        self._rest()
        self._process.stop()

    def _encode(self, rendered: Rendered) -> None:
        """Encodes a small text at once; starts a job for a large one."""
        jobs = self._session.jobs
        jobs.cancel(JOB)
        if self._tokenizer is None:
            self._show(rendered, None, "Turn a tokenizer on to see the tokens.")
            return
        try:
            work = self._tokenizer.encode_job(rendered.made.chat.text, "all")
            small = rendered.text_map.byte_count <= SMALL_TEXT
            finished = work.step(1e9 if small else FIRST_SLICE_MS).finished
        except tc.TokenariumError as error:
            self._show(rendered, None, str(error))
            return
        tokenizer = self._tokenizer

        def take(progress: Progress) -> None:
            if progress.finished:
                self._count(rendered, tokenizer, work.encoding)

        def fail(error: tc.TokenariumError) -> None:
            self._show(rendered, None, str(error))

        if finished:
            self._count(rendered, tokenizer, work.encoding)
        else:
            self._show(rendered, None, "Encoding …")
            jobs.start(JOB, "Encoding the chat", work, take, fail)

    def _count(self, rendered: Rendered, tokenizer: tc.Tokenizer, encoding: tc.Encoding) -> None:
        request, made = rendered.asked, rendered.made
        figures = chat_figures(
            tokenizer,
            request.template,
            True,
            request.messages,
            made,
            rendered.text_map,
            encoding,
            self._unknown,
        )
        sentences = [_counts(self._name, figures.tokens)]
        if figures.mask is not None:
            count = int(figures.mask.sum())
            sentences.append(
                f"The template marks {count:,} tokens as what the assistant generates."
            )
        notes = figures.notes
        sentences += source_notes(figures, rendered.roles)
        sentences += [lost_note(figures.tokens), *notes.wrong, *notes.odd, _broken(figures.tokens)]
        self._show(rendered, figures, " ".join(filter(None, sentences)))
        assert self.dialog is not None
        self.dialog.safe.show_parts(
            figures.safe,
            libraries_for(tokenizer),
            lambda library: safe_program(tokenizer, library, figures.safe),
        )

    def _show(self, rendered: Rendered, figures: ChatFigures | None, notes: str) -> None:
        assert self.dialog is not None
        self._figures = figures
        self.dialog.show_chat(rendered.text_map, figures, notes)
        self.dialog.inputs.show_inputs(self.dialog.messages.inputs, rendered.made.undefined)

    def _tell(self, place: int) -> None:
        """Describes the token under the pointer."""
        assert self.dialog is not None
        if place < 0 or self._figures is None or self._rendered is None:
            self.dialog.where.setText("")
            return
        parts = self._figures.tokens.parts
        assert parts.ids is not None
        assert parts.rules is not None
        start, end = parts.span(place)
        piece = readable(self._rendered.text_map.utf8_of(start, end))
        role = self._figures.tokens.rows[int(parts.rules[place])].role
        source = self._figures.source_in_words(
            place, self._rendered.made.parts, self._rendered.roles
        )
        self.dialog.where.setText(
            f"{role}: “{piece}”, id {int(parts.ids[place]):,}, from {source}, bytes {start:,} to {end:,}"
        )

    def _show_display(self) -> None:
        if self.dialog is not None:
            self.dialog.view.set_show_whitespace(self._session.show_whitespace)
            self.dialog.view.set_annotations(self._session.annotations)
            self.dialog.set_ids_shown(self._session.annotations == "ids")

    def _keep(self) -> None:
        if self.dialog is not None:
            messages = self.dialog.messages
            data = to_json(messages.messages(), messages.inputs)
            self._store.set(settings.CHAT_MESSAGES, data)
            self._store.set(settings.CHAT_PROMPT, self.dialog.prompt.isChecked())


def _conversation_in(path: Path) -> Conversation | None:
    """Returns the conversation of a file, or None if it contains none; raises FormatError for an invalid one."""
    if path.suffix != ".json":
        return None
    try:
        content = read_file(path, BOUNDS.most_bytes + BOUNDS.most_text)
        data = read_json(content, path.name, BOUNDS)
    except (OSError, tc.FormatError):  # the code that reads it as a template reports that
        return None
    if isinstance(data, dict) and "messages" not in data:
        return None
    return read_conversation(content.decode("utf-8", "surrogatepass"), path.name)


def _title(where: str, template: ChatTemplate) -> str:
    return where if template.name in where else f"{where}: {template.name}"


def _counts(name: str, tokens: ChatTokens) -> str:
    """Returns a sentence about the counts."""
    if not tokens.total:
        return ""
    outside = f"{tokens.outside:,}" if tokens.outside else "none"
    note = f"{isolated(name)}: {tokens.total:,} tokens, {outside} of them outside the messages."
    if tokens.added >= 0:
        share = 100 * tokens.added / tokens.total
        note += f" The template itself writes {tokens.added:,} ({share:.0f}%)."
    return note


def _broken(tokens: ChatTokens) -> str:
    """Returns a sentence about markers that are not tokens, if there are any."""
    if not tokens.broken:
        return ""
    named = ", ".join(tokens.broken[:NAMED_MARKERS])
    more = len(tokens.broken) - NAMED_MARKERS
    others = f" and {more:,} more" if more > 0 else ""
    return f"Split like any other text, as there is no such token: {named}{others}."
