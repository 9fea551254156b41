"""What a scene shows, opened without a window: its text, and its tokenizers with their names and identities."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import tokenarium_core as tc
from tokenarium.models.scene import FILE_KEY, ReadScene, Scene, SceneTokenizer
from tokenarium.models.scene_texts import sha256, text_path, written_text
from tokenarium.models.text.piece import harmless
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.offers import away_sentence, key_of, offer_of
from tokenarium.models.tokenizers.tokenizer_identity import (
    FIXED,
    family_of_path,
    free_identity,
)
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.web.step_parts import StepReport, untold
from tokenarium_core import TokenariumError
from tokenarium_core.command_values import content_of, decoded_text, name_of_text

Opener = Callable[[SceneTokenizer], tc.Tokenizer]
"""Opens a tokenizer of a scene; TokenariumError if that fails."""


def page_of(scene: Scene) -> str:
    """Returns the page of a scene: its workspace and its id, or ``above.why`` if that card is open above it."""
    workspace = scene.workspace or "tokens"
    return "above.why" if "why" in scene.above else f"{workspace}.{scene.page or workspace}"


class ShownTokenizer(NamedTuple):
    """A tokenizer of a page: its key, its name and its second name, the number of its identity, and itself."""

    key: str
    name: str
    second: str
    identity: int
    tokenizer: tc.Tokenizer


class ShownScene(NamedTuple):
    """A scene with what it needs. ``tokenizers`` are in their order, ``front`` is the place of the one in front.

    ``report`` is told how many of its steps are drawn, if it has many.
    """

    scene: Scene
    text: TextMap
    tokenizers: tuple[ShownTokenizer, ...]
    front: int = 0
    report: StepReport = untold

    @property
    def page(self) -> str:
        """The page that is shown, see `page_of`."""
        return page_of(self.scene)

    @property
    def ordered(self) -> list[ShownTokenizer]:
        """The tokenizers, the one in front first."""
        at = self.front
        return [*self.tokenizers[at : at + 1], *self.tokenizers[:at], *self.tokenizers[at + 1 :]]

    @property
    def asked_text(self) -> str:
        """What the questions of a page are about: the selection, or else the whole text."""
        selection = self.selection
        return self.text.slice(*selection) if selection else self.text.text

    @property
    def selection(self) -> tuple[int, int] | None:
        """The bytes of the text that are selected; None if there are none, as where a file has become shorter."""
        low, high = (min(place, self.text.byte_count) for place in self.scene.selection or (0, 0))
        return (low, high) if low < high else None

    def kept(self, name: str, page: str = "") -> object:
        """Returns a setting of a page, by default of the one that is shown; None if the scene does not have it."""
        return self.scene.pages.get(page or self.page, {}).get(name)


def open_scene(found: ReadScene, opener: Opener) -> tuple[ShownScene, list[str]]:
    """Returns a scene with its text and its tokenizers, and sentences about what differs from it."""
    said = list(found.left_out)
    scene = found.scene
    text = TextMap(_text(found, said))
    tokenizers: list[ShownTokenizer] = []
    for one in scene.tokenizers or ():
        opened = _opened(one, opener, said)
        if opened is not None and opened[0].key not in {there.key for there in tokenizers}:
            named, tokenizer = opened
            identities = [there.identity for there in tokenizers]
            tokenizers.append(named_tokenizer(named, tokenizer, identities))
    front = next((at for at, one in enumerate(tokenizers) if one.key == scene.front), 0)
    return ShownScene(scene, text, tuple(tokenizers), front), said


def named_tokenizer(
    one: SceneTokenizer, tokenizer: tc.Tokenizer, taken: Iterable[int] = ()
) -> ShownTokenizer:
    """Returns a tokenizer with the names and the identity that it has in the library; nothing in the names is harmful."""
    shown = _named(one, tokenizer, taken)
    return shown._replace(name=harmless(shown.name), second=harmless(shown.second))


def _named(one: SceneTokenizer, tokenizer: tc.Tokenizer, taken: Iterable[int]) -> ShownTokenizer:
    key = one.key
    kind, _, source = key.partition(":")
    shipped = next((ours for ours in SHIPPED_TOKENIZERS if ours.id == source), None)
    if kind == "shipped" and shipped is not None:
        return ShownTokenizer(key, shipped.name, shipped.kind, FIXED[key], tokenizer)
    offer = offer_of(key)
    if offer is not None:
        second = offer.tiktoken or (offer.file.name if offer.file is not None else "")
        identity = FIXED.get(key_of(offer))
        if identity is None:
            identity = free_identity(list(taken), ())
        return ShownTokenizer(key, offer.name, second, identity, tokenizer)
    family = family_of_path(Path(source)) if key.startswith(FILE_KEY) else None
    if family is not None:
        return ShownTokenizer(key, *family, tokenizer)
    name = one.name or (name_of(Path(source)) if key.startswith(FILE_KEY) else source)
    name, _, second = name.partition(" · ")
    return ShownTokenizer(key, name, second, free_identity(list(taken), ()), tokenizer)


def _opened(
    one: SceneTokenizer, opener: Opener, said: list[str]
) -> tuple[SceneTokenizer, tc.Tokenizer] | None:
    """Returns a tokenizer, or the first that may take its place; None, with a sentence, if all of them are missing."""
    name = one.name or one.key
    try:
        return one, opener(one)
    except TokenariumError as error:
        reason = str(error)
    for key in one.instead:
        instead = SceneTokenizer(key)
        try:
            tokenizer = opener(instead)
        except TokenariumError:
            continue
        other = named_tokenizer(instead, tokenizer).name
        said.append(away_sentence([name], [one.key], f"; {other} replaces it"))
        return instead, tokenizer
    said.append(f"{name} is left out. {reason}")
    return None


def _text(found: ReadScene, said: list[str]) -> str:
    """Returns the text of a scene: what is in it, a sample, or a file; empty, with a sentence, if that is missing."""
    text, path = found.scene.text, text_path(found)
    if text is None:
        return ""
    if text.beside and path is None:
        said.append("The text is not here: it is stored next to a session file.")
    if path is None:
        return written_text(text, said)
    try:
        content = decoded_text(content_of(path), name_of_text(path))
    except (TokenariumError, OSError) as error:
        said.append(f"The text is not here. {error}")
        return ""
    if text.sha256 and sha256(content.encode("utf-8", "surrogatepass")) != text.sha256:
        said.append(f"{path.name} has changed since this was saved.")
    return content
