"""The base of the commands of workspaces with pages, and the commands of the workspaces Scripts and Train."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, ActionChoice, Section
from tokenarium.models.files import chosen_path, write_whole
from tokenarium.session.session import Session
from tokenarium.views.workspace import (
    BYTES,
    SCRIPTS,
    TOKENS,
    TRAIN,
    Page,
    PagedWorkspace,
    Workspace,
    WorkspaceName,
)
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.message_bar import MessageBar
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from tokenarium.models.scripts.script_bars import Scale
    from tokenarium.views.bytes import BytesWorkspace
    from tokenarium.views.scripts import ScriptsView, SharesPage
    from tokenarium.views.tokens import TokensView
    from tokenarium.views.train import RacePage


class WorkspaceHost(Protocol):
    """What shows one workspace at a time: the window."""

    @property
    def workspace(self) -> Workspace:
        """The current workspace."""

    def show_workspace(self, workspace_id: str) -> None:
        """Shows a workspace, made now if necessary."""


class WorkspaceCommands:
    """Base of the commands of one workspace, which exist before its view is made."""

    name: WorkspaceName

    def __init__(self, session: Session, host: WorkspaceHost, window: QWidget) -> None:
        self._session = session
        self._host = host
        self._window = window

    @property
    def view(self) -> PagedWorkspace | None:
        """The workspace, if it is the current one."""
        shown = self._host.workspace
        return cast(PagedWorkspace, shown) if shown.name == self.name else None

    @property
    def page(self) -> Page | None:
        """Its current page, if it is shown."""
        return self.view.page if self.view is not None else None

    @property
    def page_id(self) -> str:
        """The id of that page; empty if none is shown."""
        return self.page.id if self.page is not None else ""

    def show_page(self, page_id: str) -> None:
        """Shows a page of the workspace."""
        self._host.show_workspace(self.name.id)
        if self.view is not None:
            self.view.show_page(page_id)

    def pages(self, section: Section) -> ActionChoice[str]:
        """Returns a choice of its pages."""
        return ActionChoice[str](
            f"{self.name.id}_page", section, lambda: self.page_id, self.show_page
        )

    def save_text(self, path: Path, text: str) -> None:
        """Writes a file, and shows where it is or why it could not be written."""
        try:
            write_whole(path, text)
        except TokenariumError as error:
            self._session.problem.emit(str(error))
        else:
            self._session.requests.tell_saved(path)


class ScriptCommands(WorkspaceCommands):
    """Chooses a page of the workspace Scripts, and the scale of its bars."""

    name = SCRIPTS

    def declared(self) -> list[Action]:
        """Returns the actions."""
        page = self.pages(Section.SCRIPTS).action
        scale = ActionChoice["Scale"](
            "script_scale",
            Section.BARS,
            self.scale,
            self._set_scale,
            lambda: self.scale() is not None,
        )
        # fmt: off
        return [
            page("vocabulary", "script_vocabulary", "Scripts of the &vocabularies", "Ctrl+R, 1", "The share of each vocabulary that each script has", icon="chart-bar-horizontal"),
            page("text", "script_text", "Scripts of the &text's tokens", "Ctrl+R, 2", "The share of the text's tokens that each script has", icon="text-align-left"),
            page("characters", "script_characters", "&Characters with a token of their own", "Ctrl+R, 3", "Which characters of each script are an entry by themselves", icon="text-t"),
            page("treemap", "script_treemap", "Treemap of one voca&bulary", "Ctrl+R, 4", "One vocabulary as an area, divided by script", icon="squares-four"),
            page("lengths", "script_lengths", "&Lengths of entries by script", "Ctrl+R, 5", "How many characters the entries of each script have", icon="chart-bar"),
            scale.action("share", "script_share", "&Shares of scripts", "Ctrl+R, H", "The bars are shares, in percent", icon="percent"),
            scale.action("log", "script_log", "Shares of scripts on a lo&g scale", "Ctrl+R, L", "The bars are shares: equal factors have equal lengths", icon="chart-line-up"),
            scale.action("difference", "script_difference", "Shares of scripts, &difference", "Ctrl+R, M", "The bars are percentage points above or below the reference", icon="plus-minus"),
            replace(
                scale.action("bytes", "script_bytes", "Average bytes of an entr&y by script", "Ctrl+R, I", "The bars are the mean bytes per entry", icon="ruler"),
                enabled=lambda: self._shares is not None and self._shares.has_sizes,
            ),
            scale.action("ratio", "script_ratio", "Shares of scripts, &ratio", "Ctrl+R, R", "The bars are multiples of the share of the reference", icon="divide"),
        ]
        # fmt: on

    @property
    def _shares(self) -> SharesPage | None:
        return cast("ScriptsView", self.view).shares if self.view is not None else None

    def scale(self) -> Scale | None:
        """Returns the scale of the bars; None if no shares are shown."""
        return self._shares.scale if self._shares is not None else None

    def _set_scale(self, scale: Scale) -> None:
        if self._shares is not None:
            self._shares.set_scale(scale)


class TokensCommands(WorkspaceCommands):
    """Chooses a page of the workspace Tokens, and copies or saves the table of a page of questions."""

    name = TOKENS

    def declared(self) -> list[Action]:
        """Returns the actions."""
        page = self.pages(Section.QUESTIONS).action
        # fmt: off
        return [
            page("tokens", "tokens_page", "Tokens of the te&xt", "Ctrl+Shift+B, 1", "The text once, with the tokens of all tokenizers", icon="text-aa"),
            page("perturb", "tokens_perturb", "Perturb &the text", "Ctrl+Shift+B, 2", "Cases, spaces, typos, normal forms, look-alikes, emoji: what each does to the tokens", icon="shuffle"),
            page("stream", "tokens_stream", "St&ream the tokens", "Ctrl+Shift+B, 3", "Tokens arriving one by one: what can be shown, stop strings, the unstable end of a prompt, token healing", icon="play-circle"),
            page("ways", "tokens_ways", "Count the &ways", "Ctrl+Shift+B, 4", "How many sequences of ids decode to the text, and the best ones", icon="tree-structure"),
            page("covering", "tokens_covering", "Co&mplete a prompt", "Ctrl+Shift+B, 8", "The text as a prompt: all sequences of ids that may begin with it, by where their last id begins", icon="git-branch"),
            Action("token_cost", "W&hat tokens cost …", Section.QUESTIONS, "Ctrl+Shift+B, 7", self._ask_cost, "Enter a context window and a price to see how much of it the text fills, and what it costs", lambda: self.page_id == "tokens", icon="coin"),
            Action("copy_question", "Copy the table o&f the page", Section.QUESTIONS, "Ctrl+Shift+B, 5", self._copy, "Copies what the page shows as a tab-separated table", self._has_table, icon="copy"),
            Action("save_question", "Save the table of the page as CS&V …", Section.QUESTIONS, "Ctrl+Shift+B, 6", self._save, "Writes what the page shows as a table", self._has_table, icon="export"),
        ]
        # fmt: on

    def _ask_cost(self) -> None:
        cast("TokensView", self.view).ask_cost()

    def _has_table(self) -> bool:
        return self.page is not None and self.page_id != "tokens"

    def _copy(self) -> None:
        text = self.page.as_text() if self.page is not None else ""
        if text:
            QGuiApplication.clipboard().setText(text)

    def _save(self) -> None:
        text = self.page.as_csv() if self.page is not None else ""
        if text:
            name, _ = ask_new_file(
                "tables", self._window, "Save the table", f"{self.page_id}.csv", "Table (*.csv)"
            )
            if name:
                self.save_text(chosen_path(name, ".csv"), text)


class ByteCommands(WorkspaceCommands):
    """Chooses a page of the workspace Bytes, and offers to decode a text that is a list of ids."""

    name = BYTES

    def __init__(
        self, session: Session, host: WorkspaceHost, window: QWidget, messages: MessageBar
    ) -> None:
        super().__init__(session, host, window)
        self._messages = messages
        session.text_changed.connect(self._look)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        page = self.pages(Section.DECODE).action
        # fmt: off
        return [
            page("bytes", "bytes_grid", "B&ytes of the text", "Ctrl+D, A", "Characters, code points, bytes and tokens, aligned", icon="hash"),
            page("decode", "decode_ids", "&Decode ids", "Ctrl+D, O", "What a list of ids decodes to, and what is wrong with it", icon="arrow-u-up-left"),
            page("encode", "encode_bytes", "Encode bytes that are &not UTF-8", "Ctrl+Shift+B, H", "The ids of any bytes, typed in hexadecimal or from a file, by byte-level BPE", icon="barcode"),
            page("alphabet", "byte_table", "Byte t&able: GPT-2's alphabet", "Ctrl+Shift+B, A", "The 256 bytes, the characters that GPT-2's files write for them, and their ids", icon="table"),
            page("first_bytes", "first_bytes", "F&irst bytes of characters in UTF-8", "Ctrl+Shift+B, F", "What the first byte of a character says of its length, and how many entries begin with it", icon="number-square-one"),
        ]
        # fmt: on

    def decode(self, ids: str) -> None:
        """Shows what a list of ids decodes to."""
        self.show_page("decode")
        if self.view is not None:
            cast("BytesWorkspace", self.view).decode(ids)

    def encode(self, written: str) -> None:
        """Shows the ids of bytes as users write them."""
        self.show_page("encode")
        if self.view is not None:
            cast("BytesWorkspace", self.view).encode(written)

    def _look(self) -> None:
        """Offers to decode the text if it is a list of ids."""
        text_map = self._session.text_map
        first = text_map.part(0, 1)
        if not first or first not in "[(0123456789ta \n":
            return
        from tokenarium.models.text.id_decoding import LONGEST_LIST, looks_like_ids
        from tokenarium_core.command_values import ids_in

        text = text_map.text if text_map.char_count <= LONGEST_LIST else ""
        if looks_like_ids(text):
            count = len(ids_in(text).ids)
            self._messages.offer(
                f"The text looks like a list of {count:,} ids.",
                "Decode them",
                "Shows what they decode to",
                lambda: self._decode_text(text),
            )

    def _decode_text(self, text: str) -> None:
        self._messages.say("")
        self.decode(text)


class TrainCommands(WorkspaceCommands):
    """Chooses a page of the workspace Train, and stops a training."""

    name = TRAIN

    def declared(self) -> list[Action]:
        """Returns the actions."""
        page = self.pages(Section.TRAIN).action
        # fmt: off
        return [
            page("training", "train_training", "Trainin&g", "Ctrl+D, 6", "What to train, and its progress", icon="flask"),
            page("sizes", "train_sizes", "&Vocabulary size", "Ctrl+D, 7", "What each size of a trained vocabulary saves in tokens and costs a model", icon="ruler"),
            page("race", "train_race", "&Race of the ways of BPE", "Ctrl+D, 8", "Three methods for the same merges, and what each costs as the corpus grows", icon="flag-banner"),
            Action("race_encoding", "R&ace of encoding: a queue against scanning", Section.TRAIN, "Ctrl+Shift+G, E", self.race_encoding, "Two methods for the same ids, and how many positions each looks at as a text grows", icon="timer"),
            Action("race_parts", "Parts of training, ti&med apart", Section.TRAIN, "Ctrl+Shift+G, R", self.race_parts, "How long splitting, counting, picking and replacing take, in three methods for the same merges", icon="chart-line"),
            page("times", "train_times", "Training t&ime", "Ctrl+D, 1", "How long trainings took by the size of the vocabulary, and on which machine", icon="timer"),
            page("kept", "train_kept", "Trained &tokenizers", "Ctrl+D, 9", "All tokenizers that were trained and kept", icon="archive-box"),
            Action("stop_training", "&Stop the training and keep what there is", Section.TRAINING, "Ctrl+R, Q", self.stop_training, "Makes a tokenizer from what was learned so far", self.can_stop_training, icon="stop"),
        ]
        # fmt: on

    def race_encoding(self) -> None:
        """Shows the race of encoding methods."""
        self._show_race(1)

    def race_parts(self) -> None:
        """Shows the parts of trainings, timed apart."""
        self._show_race(2)

    def _show_race(self, race: int) -> None:
        self.show_page("race")
        if self.page_id == "race":
            cast("RacePage", self.page).choose(race)

    def stop_training(self) -> None:
        """Stops the running training, and keeps what it has learned."""
        run = self._session.trainings.running
        if run is not None:
            self._session.trainings.stop(run)

    def can_stop_training(self) -> bool:
        """Whether a training is running whose result can be kept."""
        run = self._session.trainings.running if self._session.trains else None
        return run is not None and run.can_stop
