"""Every action of the app, declared once: menus, tool buttons and the command palette come from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from tokenarium_core.formats.registry import KNOWN

MENUS = (
    "File",
    "Edit",
    "Text",
    "Tokenizers",
    "View",
    "Play",
    "Scripts",
    "Compare",
    "Train",
    "Go",
    "Help",
)
"""The menus, from left to right."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a person can ask for.

    ``handler`` and ``enabled`` name methods of the window or its helpers: ``enabled`` tells whether the action can
    be asked for now. A checkable action hands its new state to the handler, and ``checked`` names
    the method that tells it. Actions with the same ``choice`` exclude each other. A line stands in
    the menu before an action that ``starts_section``.
    """

    id: str
    text: str
    menu: str
    shortcut: str
    handler: str
    tip: str = ""
    enabled: str = ""
    checked: str = ""
    choice: str = ""
    argument: str = ""
    starts_section: bool = False


# fmt: off
ACTIONS: tuple[Action, ...] = (
    Action("open_text", "&Open text …", "File", "Ctrl+O", "open_text", "Reads a text file"),
    Action("open_tokenizer", "Open &tokenizer …", "File", "Ctrl+Shift+O", "open_tokenizer", f"Adds a tokenizer file: {KNOWN}"),
    Action("find_tokenizers", "&Find tokenizers …", "File", "Ctrl+Shift+F", "find_tokenizers", "Looks for tokenizers on this computer, and gets those of the catalogue and of Hugging Face"),
    Action("save_tokenizer", "&Save tokenizer as …", "File", "Ctrl+Shift+S", "save_tokenizer", "Writes the current tokenizer in a format of Hugging Face, tiktoken, SentencePiece or our own, and proves it", enabled="has_tokenizer"),
    Action("export_png", "Export view as &PNG …", "File", "Ctrl+E", "export_png", "Writes the workspace as it is seen now", starts_section=True),
    Action("export_svg", "Export view as S&VG …", "File", "Ctrl+Shift+E", "export_svg", "Writes the workspace as it is seen now, as vectors"),
    Action("export_steps", "E&xport steps …", "File", "Ctrl+Alt+E", "export_steps", "Writes a step of the player as PNG or SVG, or its steps as GIF or numbered pictures", enabled="has_animation"),
    Action("export_entries", "Export vocabulary ro&ws …", "File", "Ctrl+Alt+V", "export_entries", "Writes the entries that the filter leaves, as CSV or JSON", enabled="has_entries"),
    Action("export_findings", "Export fin&dings …", "File", "Ctrl+Alt+D", "export_findings", "Writes what the diagnostics found, as text or JSON", enabled="has_findings"),
    Action("quit", "&Quit", "File", "Ctrl+Q", "close", starts_section=True),

    Action("undo_library", "&Undo library change", "Edit", "Ctrl+Alt+Z", "undo_library", "Undoes the last change of the library; the text has its own undo", enabled="can_undo_library"),
    Action("redo_library", "&Redo library change", "Edit", "Ctrl+Alt+Shift+Z", "redo_library", enabled="can_redo_library"),
    Action("copy_text", "Copy &text", "Edit", "Ctrl+Shift+C", "copy_text", "Copies the selected bytes as text, or all of the text", enabled="has_text", starts_section=True),
    Action("copy_ids", "Copy token &ids", "Edit", "Ctrl+Shift+I", "copy_ids", "Copies the current tokenizer's ids of the selection, or of all", enabled="has_tokens"),
    Action("copy_json", "Copy tokens as &JSON", "Edit", "Ctrl+Shift+J", "copy_json", "Copies ids, bytes and spans of the selection, or of all", enabled="has_tokens"),
    Action("clear_selection", "Clear &selection", "Edit", "Ctrl+Shift+A", "clear_selection", enabled="has_selection", starts_section=True),

    Action("edit_text", "&Edit the text", "Text", "Ctrl+T", "edit_text", "Puts the cursor into the text"),
    Action("samples", "Choose a &sample …", "Text", "Ctrl+M", "choose_sample", "Lists the sample texts"),
    Action("paste_text", "&Paste as the whole text", "Text", "Ctrl+Shift+V", "paste_text", "Replaces the text by the clipboard", enabled="clipboard_has_text"),
    Action("clear_text", "&Clear the text", "Text", "Ctrl+Shift+Backspace", "clear_text", enabled="has_text"),
    Action("begin_again", "&Begin again what was stopped", "Text", "F5", "begin_again", "Encodes and counts the text anew, where that was stopped before its end", enabled="was_stopped"),

    Action("toggle_tokenizer", "Turn &on or off", "Tokenizers", "Ctrl+Return", "toggle_tokenizer", "Turns the tokenizer that is selected in the library on or off", enabled="library_has_selection"),
    Action("get_tokenizer", "&Get it", "Tokenizers", "Ctrl+G", "get_tokenizer", "Downloads the selected tokenizer's files", enabled="selection_can_be_fetched"),
    Action("move_up", "Move &up", "Tokenizers", "Alt+Up", "move_up", enabled="library_has_selection"),
    Action("move_down", "Move &down", "Tokenizers", "Alt+Down", "move_down", enabled="library_has_selection"),
    Action("remove_tokenizer", "&Remove from the library", "Tokenizers", "Ctrl+Del", "remove_tokenizer", "Takes a tokenizer file out of the library; the file stays", enabled="selection_is_a_file"),
    Action("about_tokenizer", "&About this tokenizer …", "Tokenizers", "Ctrl+Shift+D", "about_tokenizer", "Tells the current tokenizer's stages, its entries, and what its file stores", enabled="has_tokenizer", starts_section=True),
    Action("check_reference", "&Check against the reference library", "Tokenizers", "Ctrl+Shift+K", "check_reference", "Encodes the text with the library that owns the format, and compares the ids", enabled="has_tokenizer"),
    Action("check_reference_on_file", "Check a f&ile against the reference library …", "Tokenizers", "Ctrl+Alt+K", "check_reference_on_file", "The same, on a text file", enabled="has_tokenizer"),
    Action("chat", "C&hat …", "Tokenizers", "Ctrl+Shift+H", "chat", "Writes messages by a chat template, and shows their tokens by role", enabled="has_tokenizer"),
    Action("recognise_special", "Recognise special &tokens", "Tokenizers", "Ctrl+D, R", "recognise_special", "On: <|endoftext|> in the text becomes its one id. Off: it is cut like any other text", checked="special_is_recognised", starts_section=True),

    Action("show_whitespace", "Show &whitespace", "View", "Ctrl+D, W", "set_show_whitespace", "Makes blanks, line ends and control characters visible", checked="shows_whitespace"),
    Action("annotate_none", "&No annotations", "View", "Ctrl+D, N", "set_annotations", checked="annotations_are", choice="annotations", argument="none", starts_section=True),
    Action("annotate_ids", "Annotate with &ids", "View", "Ctrl+D, I", "set_annotations", "Writes each token's id under it", checked="annotations_are", choice="annotations", argument="ids"),
    Action("annotate_bytes", "Annotate with &bytes", "View", "Ctrl+D, B", "set_annotations", "Writes each token's bytes under it", checked="annotations_are", choice="annotations", argument="bytes"),
    Action("show_library", "Show the &library", "View", "Ctrl+B", "show_library", checked="library_is_shown", starts_section=True),
    Action("show_text", "Show the te&xt", "View", "Ctrl+J", "show_text", checked="text_is_shown"),
    Action("show_inspector", "Show the ins&pector", "View", "Ctrl+I", "show_inspector", checked="inspector_is_shown"),
    Action("show_pipeline", "Show the s&tages", "View", "Ctrl+D, P", "show_pipeline", "Raw, normalised, pre-token, pieces and ids of the selected characters, in one line", checked="pipeline_is_shown"),
    Action("scheme_system", "Colours of the &system", "View", "Ctrl+D, S", "set_colour_scheme", checked="colour_scheme_is", choice="scheme", argument="system", starts_section=True),
    Action("scheme_light", "Li&ght colours", "View", "Ctrl+D, L", "set_colour_scheme", checked="colour_scheme_is", choice="scheme", argument="light"),
    Action("scheme_dark", "&Dark colours", "View", "Ctrl+D, D", "set_colour_scheme", checked="colour_scheme_is", choice="scheme", argument="dark"),

    Action("larger", "La&rger", "View", "Ctrl++", "larger", "Shows everything a step larger, as for a projector, from the next start on", starts_section=True),
    Action("smaller", "S&maller", "View", "Ctrl+-", "smaller", "Shows everything a step smaller, from the next start on"),
    Action("normal_size", "Normal si&ze", "View", "Ctrl+0", "normal_size", "Shows everything as large as the system says, from the next start on"),

    Action("tokens", "&Tokens", "Go", "Ctrl+1", "go_to_workspace", "The text as each tokenizer cuts it", checked="workspace_is", choice="workspace", argument="tokens"),
    Action("pretokens", "&Pre-tokens", "Go", "Ctrl+2", "go_to_workspace", "The text as each pattern cuts it before the merges", checked="workspace_is", choice="workspace", argument="pretokens"),
    Action("merges", "&Merges", "Go", "Ctrl+3", "go_to_workspace", "How the model makes tokens, step by step", checked="workspace_is", choice="workspace", argument="merges"),
    Action("bytes", "&Bytes", "Go", "Ctrl+4", "go_to_workspace", "Characters, code points, bytes and tokens, aligned", checked="workspace_is", choice="workspace", argument="bytes"),
    Action("vocabulary", "V&ocabulary", "Go", "Ctrl+5", "go_to_workspace", "All entries of the current tokenizer", checked="workspace_is", choice="workspace", argument="vocabulary"),
    Action("scripts", "&Scripts", "Go", "Ctrl+6", "go_to_workspace", "How each vocabulary was spent, by script", checked="workspace_is", choice="workspace", argument="scripts"),
    Action("compare", "&Compare", "Go", "Ctrl+7", "go_to_workspace", "The chosen tokenizers beside each other, in figures", checked="workspace_is", choice="workspace", argument="compare"),
    Action("train_workspace", "T&rain", "Go", "Ctrl+8", "go_to_workspace", "Trains tokenizers, and shows how they come about", checked="workspace_is", choice="workspace", argument="train"),
    Action("vocabulary_entries", "Entr&ies", "Go", "Ctrl+D, E", "show_vocabulary_page", "The entries of the current tokenizer in a table", checked="vocabulary_page_is", choice="vocabulary_page", argument="entries", starts_section=True),
    Action("vocabulary_diagnostics", "&Diagnostics", "Go", "Ctrl+D, X", "show_vocabulary_page", "What is odd about the current tokenizer", checked="vocabulary_page_is", choice="vocabulary_page", argument="diagnostics"),
    Action("show_in_vocabulary", "Sho&w in vocabulary", "Go", "Ctrl+L", "show_in_vocabulary", "Shows the entry of the selected token among the others", enabled="can_show_in_vocabulary"),
    Action("next_difference", "&Next difference", "Go", "F8", "next_difference", "Selects the next place where patterns or tokenizers cut differently", enabled="has_differences", starts_section=True),
    Action("previous_difference", "Pre&vious difference", "Go", "Shift+F8", "previous_difference", "Selects the place before where patterns or tokenizers cut differently", enabled="has_differences"),
    Action("play", "P&lay or pause", "Play", "Ctrl+Space", "play", "Plays the merges of the stretch, or pauses", enabled="can_play"),
    Action("step_back", "Step &back", "Play", "Alt+Left", "step_back", enabled="can_play"),
    Action("step_on", "Step &on", "Play", "Alt+Right", "step_on", enabled="can_play"),
    Action("play_start", "To the st&art", "Play", "Alt+Home", "play_start", enabled="can_play"),
    Action("play_end", "To the &end", "Play", "Alt+End", "play_end", enabled="can_play"),
    Action("slower", "&Slower", "Play", "Ctrl+Alt+Down", "slower", enabled="can_play", starts_section=True),
    Action("faster", "&Faster", "Play", "Ctrl+Alt+Up", "faster", enabled="can_play"),
    Action("merge_steps", "Ste&ps of the tokenizers", "Play", "Ctrl+D, 3", "show_merge_page", "What the model does to the selection, step by step", checked="merge_page_is", choice="merge_page", argument="steps", starts_section=True),
    Action("merge_sizes", "&Vocabulary size", "Play", "Ctrl+D, V", "show_merge_page", "The text as the first merges of a vocabulary cut it, as many as you like", checked="merge_page_is", choice="merge_page", argument="sizes"),
    Action("size_log", "Lo&g scale of sizes", "Play", "Ctrl+D, G", "set_log_sizes", "Twice the size takes the same room everywhere", enabled="shows_sizes", checked="sizes_are_log"),
    Action("size_ratio", "B&ytes per token at each size", "Play", "Ctrl+D, Y", "set_size_ratio", "Draws bytes per token instead of tokens", enabled="shows_sizes", checked="sizes_have_ratio"),
    Action("merge_why", "&Why not one token?", "Play", "Ctrl+D, 4", "show_merge_page", "What keeps a string from being one token", checked="merge_page_is", choice="merge_page", argument="why"),
    Action("merge_training", "Trai&ning", "Play", "Ctrl+D, 5", "show_merge_page", "Trains a tokenizer, and plays its merges back", checked="merge_page_is", choice="merge_page", argument="training"),
    Action("train", "T&rain", "Play", "Ctrl+D, M", "train", "Learns merges from the corpus that is chosen on the page Training"),
    Action("keep_training", "&Keep the trained tokenizer", "Play", "Ctrl+D, K", "keep_training", "Writes the trained tokenizer to a file, and adds it to the library", enabled="has_training"),
    Action("side_by_side", "Two tokenizers side by s&ide", "Play", "Ctrl+D, 2", "set_side_by_side", "Plays the next tokenizer beside the current one", enabled="plays_tokenizers", checked="is_side_by_side", starts_section=True),
    Action("in_step", "In s&tep", "Play", "Ctrl+D, T", "set_in_step", "Both go to the same step", enabled="is_side_by_side", checked="is_in_step"),

    Action("train_training", "Trainin&g", "Train", "Ctrl+D, 6", "show_train_page", "What to train, and how it goes", checked="train_page_is", choice="train_page", argument="training"),
    Action("train_sizes", "&Vocabulary size", "Train", "Ctrl+D, 7", "show_train_page", "What each size of a trained vocabulary brings, and what it costs a model", checked="train_page_is", choice="train_page", argument="sizes"),
    Action("train_race", "&Race of the ways of BPE", "Train", "Ctrl+D, 8", "show_train_page", "Three ways to the same merges, and what each costs as the corpus grows", checked="train_page_is", choice="train_page", argument="race"),
    Action("train_kept", "Trained &tokenizers", "Train", "Ctrl+D, 9", "show_train_page", "All that were trained and kept", checked="train_page_is", choice="train_page", argument="kept"),
    Action("stop_training", "&Stop the training and keep what there is", "Train", "Ctrl+Alt+S", "stop_training", "Makes a tokenizer of what was learned so far", enabled="can_stop_training", starts_section=True),

    Action("compare_table", "T&able of figures", "Compare", "Ctrl+D, F7", "show_compare_page", "Tokens, fertility, efficiency and more, of each tokenizer", checked="compare_page_is", choice="compare_page", argument="table"),
    Action("compare_languages", "&Languages", "Compare", "Ctrl+D, F8", "show_compare_page", "How many tokens the same content takes in each language", checked="compare_page_is", choice="compare_page", argument="languages"),
    Action("compare_differences", "&Differences", "Compare", "Ctrl+D, F9", "show_compare_page", "Where the tokenizers cut the text differently, and of what kind that is", checked="compare_page_is", choice="compare_page", argument="differences"),
    Action("compare_overlap", "O&verlap of the vocabularies", "Compare", "Ctrl+D, F10", "show_compare_page", "Which entries the vocabularies share, by their bytes", checked="compare_page_is", choice="compare_page", argument="overlap"),
    Action("compare_text", "Count this &text", "Compare", "Ctrl+Alt+T", "compare_text", "Counts the text of the window, after each change", checked="compares_text", starts_section=True),
    Action("compare_files", "Count &files …", "Compare", "Ctrl+Alt+O", "compare_files", "Counts text files in place of the text, in other processes"),
    Action("compare_folder", "Count a f&older …", "Compare", "Ctrl+Alt+Shift+O", "compare_folder", "Counts all texts of a folder, and of those in it"),
    Action("parallel_shipped", "Languages: the &program's sentences", "Compare", "Ctrl+Alt+P", "parallel_shipped", "Compares languages on the sentences that come with the program", checked="compares_shipped", starts_section=True),
    Action("parallel_folder", "Languages: texts of a folde&r …", "Compare", "Ctrl+Alt+Shift+P", "parallel_folder", "Compares languages on a folder with a text file for each, named after it"),
    Action("choose_languages", "Languages: c&hoose …", "Compare", "Ctrl+Alt+G", "choose_languages", "Which of the languages are compared"),
    Action("copy_comparison", "&Copy the table", "Compare", "Ctrl+Alt+C", "copy_comparison", "Copies what the page shows as a table with tabs", enabled="has_comparison", starts_section=True),
    Action("save_comparison", "&Save the table as CSV …", "Compare", "Ctrl+Alt+Shift+V", "save_comparison", "Writes what the page shows as a table", enabled="has_comparison"),

    Action("script_vocabulary", "Scripts of the &vocabularies", "Scripts", "Ctrl+Alt+6, 1", "show_script_page", "Which share of each vocabulary the scripts have", checked="script_page_is", choice="script_page", argument="vocabulary"),
    Action("script_text", "Scripts of the &text's tokens", "Scripts", "Ctrl+Alt+6, 2", "show_script_page", "Which share of the tokens of the text the scripts have", checked="script_page_is", choice="script_page", argument="text"),
    Action("script_characters", "&Characters with a token of their own", "Scripts", "Ctrl+Alt+6, 3", "show_script_page", "Which characters of each script are an entry alone", checked="script_page_is", choice="script_page", argument="characters"),
    Action("script_treemap", "Treemap of one voca&bulary", "Scripts", "Ctrl+Alt+6, 4", "show_script_page", "One vocabulary as an area, and what of it each script has", checked="script_page_is", choice="script_page", argument="treemap"),
    Action("script_lengths", "&Lengths of entries by script", "Scripts", "Ctrl+Alt+6, 5", "show_script_page", "How many characters the entries of each script have", checked="script_page_is", choice="script_page", argument="lengths"),
    Action("script_share", "&Shares of scripts", "Scripts", "Ctrl+Alt+6, S", "set_script_scale", "The bars are shares, in percent", enabled="shows_script_shares", checked="script_scale_is", choice="script_scale", argument="share", starts_section=True),
    Action("script_log", "Shares of scripts on a lo&g scale", "Scripts", "Ctrl+Alt+6, L", "set_script_scale", "The bars are shares: each factor takes the same room", enabled="shows_script_shares", checked="script_scale_is", choice="script_scale", argument="log"),
    Action("script_difference", "Shares of scripts, &difference", "Scripts", "Ctrl+Alt+6, D", "set_script_scale", "The bars are percentage points more or less than the reference has", enabled="shows_script_shares", checked="script_scale_is", choice="script_scale", argument="difference"),
    Action("script_ratio", "Shares of scripts, &ratio", "Scripts", "Ctrl+Alt+6, R", "set_script_scale", "The bars are how many times the share of the reference it is", enabled="shows_script_shares", checked="script_scale_is", choice="script_scale", argument="ratio"),

    Action("next_pane", "Next pan&e", "Go", "F6", "next_pane", "Moves the focus: library, text, workspace, inspector", starts_section=True),
    Action("previous_pane", "Previous p&ane", "Go", "Shift+F6", "previous_pane"),

    Action("palette", "&Command palette …", "Help", "Ctrl+K", "open_palette", "Finds any action, workspace, sample or tokenizer"),
    Action("shortcuts", "&Keyboard shortcuts …", "Help", "F1", "show_shortcuts", "Lists the keys of every action"),
    Action("about", "&About Tokenarium", "Help", "Shift+F1", "about", starts_section=True),
)
# fmt: on


class ActionSet:
    """The `QAction` objects of a window, by id, in its menu bar; `refresh` brings their state up to date.

    ``hosts`` have the methods that actions name; the first host that has one is asked.
    """

    def __init__(self, window: QMainWindow, hosts: Sequence[object]) -> None:
        self._window = window
        self._hosts = hosts
        self._actions: dict[str, QAction] = {}
        self._choices: dict[str, QActionGroup] = {}
        self.menus: dict[str, QMenu] = {
            name: window.menuBar().addMenu(f"&{name}") for name in MENUS
        }
        for spec in ACTIONS:
            if spec.starts_section:
                self.menus[spec.menu].addSeparator()
            action = self._make(spec)
            self._actions[spec.id] = action
            self.menus[spec.menu].addAction(action)
            window.addAction(action)  # so that its keys work with the menu bar hidden

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def refresh(self) -> None:
        """Asks anew which actions can be asked for, and which are checked."""
        for spec in ACTIONS:
            action = self._actions[spec.id]
            if spec.enabled:
                action.setEnabled(bool(self._method(spec.enabled)()))
            if spec.checked:
                ask = self._method(spec.checked)
                action.setChecked(bool(ask(spec.argument) if spec.argument else ask()))

    def _make(self, spec: Action) -> QAction:
        action = QAction(spec.text, self._window)
        action.setObjectName(spec.id)
        action.setShortcut(QKeySequence(spec.shortcut))
        plain = plain_text(spec)
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{spec.tip or plain} ({keys})")
        action.setStatusTip(spec.tip)
        handler = self._method(spec.handler)
        if spec.checked:
            action.setCheckable(True)
        if spec.choice:
            group = self._choices.setdefault(spec.choice, QActionGroup(self._window))
            group.addAction(action)
        if spec.argument:
            action.triggered.connect(lambda: handler(spec.argument))
        elif spec.checked:
            action.triggered.connect(handler)
        else:
            action.triggered.connect(lambda _on: handler())
        return action

    def _method(self, name: str) -> Callable[..., object]:
        host = next(host for host in self._hosts if hasattr(host, name))
        method: Callable[..., object] = getattr(host, name)
        return method


def plain_text(spec: Action) -> str:
    """Returns an action's text without the mark of its access key."""
    return spec.text.replace("&", "")
