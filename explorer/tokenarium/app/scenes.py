"""Makes a scene of what the window shows, and shows one again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.models.compare.prices import PriceList, price_of
from tokenarium.models.counted import listed, printable, some_sentences
from tokenarium.models.scene import ReadScene, Scene, SceneText, SceneTokenizer
from tokenarium.models.scene_texts import MOST_INLINE, sha256, text_path, written_text
from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, State
from tokenarium.models.tokenizers.offers import away_sentence
from tokenarium.session.catalogue import nearest_shipped, published_files
from tokenarium.session.session import OPENING_TEXT, Session
from tokenarium.style.appearance import SCHEMES, TOKEN_PALETTES, Appearance
from tokenarium.views.kept import Kept, text_of, texts_of
from tokenarium.views.workspace import PagedWorkspace, Workspace, WorkspacePart
from tokenarium.widgets.text.text_opening import TextOpening, is_large
from tokenarium_core import TokenariumError
from tokenarium_core.formats.places import is_there
from tokenarium_core.plain_files import file_sha256
from tokenarium_core.progress import Progress

MOST_HASHED = 64 << 20
"""The most bytes of a tokenizer's file that are hashed to identify it: more would take several frames."""

NOT_KNOWN = "not known here"
NO_MEANING = "not valid here"
NOTHING_HAS = "not found here"

MOST_SHOWN = 100
"""Characters of a tokenizer's name in a message."""

WRONG = (LookupError, AttributeError, TypeError, ValueError, ArithmeticError)
"""What `Kept.show` raises for a value that has no meaning here."""

AGAIN_MS = 60
PATIENCE_MS = 1_200
"""How often a setting is tried that waits for a computation, and for how long if no job runs."""


class Above(NamedTuple):
    """Something that can be open above the page, such as a dialog, by an id that never changes.

    ``shown`` returns whether it is open, ``open`` opens it, and ``keeps`` returns its settings while it is open.
    Opening must only show something: scenes come from anywhere.
    """

    id: str
    shown: Callable[[], bool]
    open: Callable[[], object]
    keeps: Callable[[], Iterable[Kept]] = tuple


class Shows(Protocol):
    """The window, as far as scenes need it."""

    @property
    def workspace(self) -> Workspace:
        """The current workspace."""

    @property
    def spaces(self) -> Iterable[Workspace]:
        """The workspaces that were shown so far."""

    def show_workspace(self, workspace_id: str) -> None:
        """Shows a workspace."""

    def pane_keeps(self) -> Iterable[Kept]:
        """Returns the settings of the panels around the workspace."""

    def above(self) -> Iterable[Above]:
        """Returns what can be open above the page."""

    @property
    def works(self) -> bool:
        """Whether something above the page is still being made."""


class SceneStage(QObject):
    """The scenes of one window: `make` returns the current one, `show` shows another."""

    shown = Signal()
    """A scene is shown completely, including computed parts."""

    given_up = Signal()
    """Reading the text of a scene was stopped, or another scene is shown."""

    def __init__(
        self,
        window: Shows,
        session: Session,
        appearance: Appearance,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._session = session
        self._appearance = appearance
        self._waiting: dict[str, dict[str, Any]] = {}  # settings of pages that were not shown yet
        self._due: list[tuple[str, Kept, Any]] = []  # waiting settings, with their pages
        self.opens = False
        """Whether the text of a scene is still being read, so the window does not show the scene yet."""
        self._above_due: dict[str, dict[str, Any]] = {}  # what will be opened, with its settings
        self._said: list[str] = []  # what differs from the scene
        self._tried_ms = 0
        self._again = QTimer(self, interval=AGAIN_MS)
        self._again.timeout.connect(self._go_on)

    # Making a scene.

    def make(self, portable: bool = False) -> Scene:
        """Returns a scene of the window.

        ``portable``: for another computer, with hashes of files, with the text if possible, and with what is open above
        the page. Otherwise the text is left out, as the caller has it.
        """
        session, window = self._session, self._window
        current = session.current
        shown = window.workspace
        return Scene(
            text=self._text() if portable else None,
            tokenizers=tuple(
                self._tokenizer(item, portable) for item in session.library if item.on
            ),
            front=current.key if current is not None else "",
            workspace=shown.name.id,
            page=shown.page.id if isinstance(shown, PagedWorkspace) else "",
            selection=session.selection,
            display=_read(_display(session)),
            colours={
                "scheme": self._appearance.scheme,
                "palette": self._appearance.token_palette,
            },
            pages=self._pages(),
            panes=self._panes(),
            above=self.opened() if portable else {},
        )

    def _panes(self) -> dict[str, Any]:
        panes, names = (
            _read(self._window.pane_keeps()),
            {one.name for one in self._window.pane_keeps()},
        )
        waits = {kept.name: value for name, kept, value in self._due if not name}
        return panes | {name: value for name, value in waits.items() if name in names}

    def opened(self, *ids: str) -> dict[str, dict[str, Any]]:
        """Returns what is open above the page, with its settings; with ``ids``, only those."""
        shown = (one for one in self._window.above() if not ids or one.id in ids)
        found = {one.id: _read(one.keeps()) for one in shown if one.shown()}
        due = {id: values for id, values in self._above_due.items() if not ids or id in ids}
        return {**found, **due}

    def _text(self) -> SceneText:
        session = self._session
        text_map, title = session.text_map, session.title
        if text_map.byte_count <= MOST_INLINE or not session.file:
            return SceneText(session.text, title=title)
        return SceneText(file=session.file, sha256=sha256(text_map.utf8), title=title)

    def _tokenizer(self, item: LibraryItem, portable: bool) -> SceneTokenizer:
        if not portable:
            return SceneTokenizer(item.key, item.display_name, pattern=item.pattern)
        published = published_files(item)
        return SceneTokenizer(
            item.key,
            item.display_name,
            _file_hash(Path(item.source)) if item.group.can_be_removed else "",
            item.pattern,
            published[0][0].url if published else "",
            () if item.tokenizer is None else nearest_shipped(item.tokenizer, item.key),
        )

    def _pages(self) -> dict[str, dict[str, Any]]:
        pages = {name: dict(values) for name, values in self._waiting.items()}
        for space in self._window.spaces:
            for name, part in _parts(space):
                kept = _read(part.keeps()) if name not in pages else {}
                if kept:
                    pages[name] = kept
        for name, kept_one, value in self._due:  # what was not shown yet
            if name:
                pages.setdefault(name, {})[kept_one.name] = value
        return pages

    # Showing a scene.

    def show(self, found: ReadScene) -> None:
        """Shows a scene, as one change that can be undone; says what is left out or has changed."""
        scene, said = found.scene, list(found.left_out)
        self._due.clear()
        self._above_due.clear()
        with self._session.edits.undo_stack.step("Open a session"):
            said += self._show_tokenizers(scene)
            said += _show(_display(self._session), scene.display)
            self._show_colours(scene.colours)
            large = self._show_text(found, said)
        if not large:
            self._show_rest(scene, said)

    def _show_tokenizers(self, scene: Scene) -> list[str]:
        if scene.tokenizers is None:
            return []
        said, keys = [], []
        for one in scene.tokenizers:
            key, sentence = self._find(one)
            if sentence:
                said.append(sentence)
            if key and key not in keys:
                keys.append(key)
        edits = self._session.edits
        for item in list(self._session.library):
            if item.on and item.key not in keys:
                edits.turn_on(item.key, False)
        for key in keys:
            edits.turn_on(key, True)
        if scene.front in keys:
            self._session.set_current(scene.front)
        elif keys:
            self._session.set_current(keys[0])
        return said

    def _find(self, one: SceneTokenizer) -> tuple[str, str]:
        """Returns the key of a tokenizer or of its replacement, and a sentence if it is not the same."""
        library, name = self._session.library, printable((one.name or one.key)[:MOST_SHOWN])
        item = library.item(one.key)
        kind, _, source = one.key.partition(":")
        if item is None and kind == "file" and source and "\0" not in source:
            try:
                there = Path(source).is_absolute() and is_there(source)
            except (OSError, ValueError):
                there = False
            if there:
                path = Path(source)
                changed = one.sha256 and _file_hash(path) not in ("", one.sha256)
                added = self._session.edits.add_file(path, one.pattern)
                return (
                    added.key,
                    f"{name} is not the same file as when this was saved." if changed else "",
                )
            same = self._same_file(one)
            if same:
                return same, ""
        elif item is None and kind == "trained":
            trained = self._trained(source)
            if trained:
                return trained, ""
        if item is not None and item.state not in (State.MISSING, State.FETCHING):
            if one.sha256 and item.group is LibraryGroup.FILES:
                if _file_hash(Path(item.source)) not in ("", one.sha256):
                    return item.key, f"{name} is not the same file as when this was saved."
            return item.key, ""
        instead = (library.item(key) for key in one.instead)
        other = next(
            (found for found in instead if found is not None and found.state is not State.MISSING),
            None,
        )
        then = f"; {other.display_name} replaces it" if other is not None else ""
        said = away_sentence([name], [one.key], then)
        if item is None and one.get:
            said += f" It is available at {one.get}."
        return other.key if other is not None else "", said

    def _same_file(self, one: SceneTokenizer) -> str:
        """Returns the key of a file in the library with the same name and content, or ""."""
        name = Path(one.key).name
        for item in self._session.library.group(LibraryGroup.FILES):
            path = Path(item.source)
            if one.sha256 and path.name == name and _file_hash(path) == one.sha256:
                return item.key
        return ""

    def _trained(self, identity: str) -> str:
        from tokenarium.models.training.store import Store
        from tokenarium_core.formats.registered import store_folder

        try:
            store = Store(store_folder())
            found = store.get(identity)
        except TokenariumError:
            return ""
        if found is None:
            return ""
        return self._session.edits.add_trained(found, store.path(found)).key

    def _show_colours(self, colours: dict[str, str]) -> None:
        """Shows the colours of a scene; those of the settings stay as they are."""
        for scheme in SCHEMES:
            if scheme == colours.get("scheme"):
                self._appearance.set_scheme(scheme)
        for palette in TOKEN_PALETTES:
            if palette == colours.get("palette"):
                self._appearance.set_token_palette(palette)

    def _show_text(self, found: ReadScene, said: list[str]) -> bool:
        """Shows the text of a scene; returns whether a job does so and then shows the rest."""
        session, scene, text, path = self._session, found.scene, found.scene.text, text_path(found)
        if text is None:
            return False
        if text.beside and path is None:
            said.append("The text is not here: it is stored next to a session file.")
            return False
        written = written_text(text, said) if path is None else ""
        source = written if path is None else path
        work = TextOpening(source, kept=bool(text.beside))
        name = path.name if path is not None else "the text"
        # The name of a text stored next to a session is its hash.
        called = text.title or "the text" if text.beside else name

        def take(progress: Progress) -> None:
            if not progress.finished:
                return
            if path is not None and text.sha256 and sha256(work.text_map.utf8) != text.sha256:
                said.append(f"{printable(name)} has changed since this was saved.")
            title = text.title or ("" if text.beside or path is None else name)
            file = "" if text.beside else text.file  # the text next to a session is written with it
            session.show_text(work.text_map, title=title, file=file)

        def fail(error: TokenariumError) -> None:
            said.append(f"The text is not here. {error}")

        def take_and_go_on(progress: Progress) -> None:
            take(progress)
            self.opens = self.opens and not progress.finished
            if progress.finished:
                self._show_rest(scene, said)

        def fail_and_go_on(error: TokenariumError) -> None:
            fail(error)
            self.opens = False
            self._show_rest(scene, said)

        if is_large(source):
            self.opens = True
            session.jobs.start(
                OPENING_TEXT,
                f"Opening {printable(called)}",
                work,
                take_and_go_on,
                fail_and_go_on,
                self._give_up,
            )
            return True
        try:
            take(work.step(float("inf")))
        except TokenariumError as error:
            fail(error)
        return False

    def _give_up(self) -> None:
        self.opens = False
        self.given_up.emit()

    def _show_rest(self, scene: Scene, said: list[str]) -> None:
        """Shows what needs the text: the selection, the workspace, its page, and the settings of pages."""
        session, window = self._session, self._window
        self._said = said
        if scene.selection is not None:
            start, end = (min(place, session.text_map.byte_count) for place in scene.selection)
            session.select(*session.text_map.characters(start, end))
        else:
            session.select(0, 0)
        self._waiting = {}  # the scene's page immediately replaces the first one of the workspace
        if scene.workspace:
            window.show_workspace(scene.workspace)
            shown = window.workspace
            known = shown.name.id == scene.workspace
            if known and isinstance(shown, PagedWorkspace):
                page = scene.page or shown.kinds[0].id
                try:  # some pages are not among the kinds, and are loaded on demand
                    shown.show_page(page)
                except StopIteration:
                    known = False
            if not known:
                said.append("This version does not know its page.")
        self._waiting = {name: dict(values) for name, values in scene.pages.items()}
        self._above_due = {name: dict(values) for name, values in scene.above.items()}
        if said:
            session.problem.emit(some_sentences(said))
        self._note_due("", self._window.pane_keeps(), scene.panes)
        self.follow_page()
        if not self.busy:
            self._end()

    def follow_page(self) -> None:
        """Applies the scene's settings for the visible page."""
        shown = self._window.workspace
        for name, part in _parts(shown):
            in_sight = part is shown or (isinstance(shown, PagedWorkspace) and part is shown.page)
            if in_sight and name in self._waiting:
                self._note_due(name, part.keeps(), self._waiting.pop(name))
        if self.busy:
            self._tried_ms = 0
            self._try_due()
            self._again.start()

    def _note_due(self, name: str, keeps: Iterable[Kept], values: dict[str, Any]) -> None:
        """Applies settings in the order in which they are declared; ``name`` is the page's, if they belong to one."""
        known = {one.name: one for one in keeps}
        self._due += [(name, one, values[one.name]) for one in known.values() if one.name in values]
        self._leave_out([one for one in values if one not in known], NOT_KNOWN)

    def _go_on(self) -> None:
        """Tries again, and opens what is above the page once the page is shown; gives up after a while."""
        self._try_due(late=all(kept.late for _, kept, _ in self._due))
        session = self._session
        rests = not (
            session.jobs.running()
            or session.opening
            or self._window.workspace.busy
            or self._window.works
        )
        self._tried_ms = self._tried_ms + AGAIN_MS if rests else 0
        if self._due and self._tried_ms > PATIENCE_MS and rests:
            late = [one for one in self._due if one[1].late]
            early = [one.name for _, one, _ in self._due if not one.late]
            self._leave_out(early or [one.name for _, one, _ in late], NOTHING_HAS)
            self._due = late if early else []  # these waited only for the others
            self._tried_ms = 0
        if not self._due and self._above_due and rests:
            self._open_next()
        if not self.busy:
            self._again.stop()
            self._end()

    def _open_next(self) -> None:
        """Opens the next thing above the page."""
        id = next(iter(self._above_due))
        values = self._above_due.pop(id)
        above = next((one for one in self._window.above() if one.id == id), None)
        if above is None:
            self._leave_out([id], NOT_KNOWN)
            return
        above.open()
        self._tried_ms = 0
        if values:
            self._note_due("", above.keeps(), values)
            self._try_due()

    def _try_due(self, late: bool = False) -> None:
        """Applies the settings that are possible now, with the late ones if ``late``; invalid ones are left out."""
        due, self._due = self._due, []
        meaningless = []
        for name, kept, value in due:
            try:
                too_early = (kept.late and not late) or kept.show(value) is False
            except WRONG:
                meaningless.append(kept.name)
            else:
                if too_early:
                    self._due.append((name, kept, value))
        self._leave_out(meaningless, NO_MEANING)

    def _leave_out(self, names: list[str], reason: str) -> None:
        """Reports the settings that are left out, and everything else that was said about the scene."""
        if names:
            self._said.append(left_out(names, reason))
            self._session.problem.emit(some_sentences(self._said))

    def stop(self) -> None:
        """Drops everything that waits to be shown: the window closes."""
        self._again.stop()
        self._due.clear()
        self._above_due.clear()

    def _end(self) -> None:
        self._said = []
        self.shown.emit()

    @property
    def busy(self) -> bool:
        """Whether a part of a scene waits for a computation."""
        return bool(self._due or self._above_due)


def _parts(space: Workspace) -> Iterator[tuple[str, WorkspacePart]]:
    """Yields a workspace and its pages with their names in a scene."""
    yield space.name.id, space
    if isinstance(space, PagedWorkspace):
        for id, page in space.made.items():
            yield f"{space.name.id}.{id}", page


def _display(session: Session) -> tuple[Kept, ...]:
    """Returns the session's settings that a scene keeps."""
    return (
        Kept("annotations", lambda: session.annotations, lambda shown: session.set_annotations(_one_of(shown, ("none", "ids", "bytes")))),
        Kept("whitespace", lambda: session.show_whitespace, lambda show: session.set_show_whitespace(bool(show))),
        Kept("special", lambda: session.special, lambda special: session.set_special(_one_of(special, ("none", "all")))),
        Kept("bos", lambda: session.add_bos, lambda add: session.set_ends(bool(add), session.add_eos)),
        Kept("eos", lambda: session.add_eos, lambda add: session.set_ends(session.add_bos, bool(add))),
        Kept("decimal", lambda: session.decimal, lambda decimal: session.set_decimal(bool(decimal))),
        Kept("patterns", lambda: list(session.patterns), lambda names: session.set_patterns(texts_of(names))),
        Kept("own_pattern", lambda: session.own_pattern, lambda pattern: session.set_own_pattern(str(pattern))),
        Kept("columns", lambda: sorted(session.figures.columns), lambda ids: session.figures.show_columns(texts_of(ids))),
        Kept("languages_out", lambda: sorted(session.figures.languages_out), lambda codes: session.figures.leave_out(texts_of(codes))),
        Kept("context_tokens", lambda: session.figures.context_tokens, lambda tokens: session.figures.set_cost(int(tokens), session.figures.price_per_million)),
        Kept("prices", lambda: _prices_of_shown(session), lambda prices: _take_prices(session, prices)),
        Kept("price_per_million", lambda: session.figures.price_per_million, lambda price: session.figures.set_cost(session.figures.context_tokens, float(price))),
    )  # fmt: skip


def _prices_of_shown(session: Session) -> dict[str, Any] | None:
    """Returns the prices of models with the tokenizers that are on."""
    price_list = session.figures.price_list
    lines = price_list.lines(item.key for item in session.library if item.on)
    return {"currency": price_list.currency, "models": lines} if lines else None


def _take_prices(session: Session, value: Any) -> None:
    """Takes the prices of a scene where none are entered: the user's own are not replaced."""
    price_list = PriceList(
        tuple(map(price_of, texts_of(value["models"]))), text_of(value["currency"])
    )
    if not session.figures.price_list.prices:
        session.figures.set_prices(price_list)


def _one_of(value: object, values: tuple[str, ...]) -> Any:
    if value not in values:
        raise ValueError
    return value


def _read(kept: Iterable[Kept]) -> dict[str, Any]:
    """Returns settings by their names, without those that have no value now."""
    values = ((one.name, one.read()) for one in kept)
    return {name: value for name, value in values if value is not None}


def _show(kept: Iterable[Kept], values: dict[str, Any]) -> list[str]:
    """Applies settings; returns a sentence for each that is not valid here."""
    known = {one.name: one for one in kept}
    wrong = []
    for name, value in values.items():
        try:
            known[name].show(value)
        except WRONG:
            wrong.append(name)
    return [left_out(wrong, NO_MEANING)] if wrong else []


def left_out(names: list[str], reason: str) -> str:
    """Returns a sentence that settings are left out; ``reason`` says why.

    >>> left_out(["step"], NOT_KNOWN)
    'The setting “step” is left out: not known here.'
    """
    which = "setting" if len(names) == 1 else "settings"
    is_are = "is" if len(names) == 1 else "are"
    return f"The {which} {listed(names)} {is_are} left out: {reason}."


def _file_hash(path: Path) -> str:
    """Returns the hash of a tokenizer's file, or "" if it cannot be computed quickly."""
    return file_sha256(path, MOST_HASHED) or ""
