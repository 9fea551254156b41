"""Builds the `tokenizer.json` of a tokenizer in slow form: the stages of its class, and its added tokens.

Tokens get the ids that tokenizers gives them (``add_tokens`` in ``tokenizer/added_vocabulary.rs``), and are added in
the order of transformers 5 (``TokenizersBackend.__init__`` in ``tokenization_utils_tokenizers.py``).
"""

from __future__ import annotations

import base64
from typing import Any, Final, final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_settings import ATTRIBUTES, SlowSettings, SlowToken, text_of
from tokenarium_core.formats.hf.hf_vocabulary import CODE_POINTS, code_point_of
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import SentencePieceSettings

Stage = dict[str, Any]
"""A stage as in a `tokenizer.json`."""

TEXT: Final = "$A"
SECOND: Final = "$B"
"""The two texts in a template."""

WORD_END: Final = "</w>"
"""What marks the end of a word in entries of other pairs than GPT-2's."""

CONTROL: Final = 3
USER_DEFINED: Final = 4
"""Types of pieces in a SentencePiece model."""


@final
class SlowBuilder:
    """A tokenizer being made: what the class has set so far, and the tokens in the order in which they were added.

    ``values`` are the remaining arguments of the class; `take` removes one. ``used`` are the settings that
    had an effect.
    """

    def __init__(self, settings: SlowSettings) -> None:
        self.settings = settings
        self.values = dict(settings.values)
        self.used: list[str] = []
        self.vocabulary: dict[str, int] = {}
        self.code_points = False  # whether each character is an entry, instead of a vocabulary
        self.model: Stage = {}
        self.normalizer: Stage | None = None
        self.pre_tokenizer: Stage | None = None
        self.decoder: Stage | None = None
        self.post_processor: Stage | None = None
        self.special: dict[str, object] = {}  # the named special tokens
        self.extra: list[object] = []
        self.language = ""  # of a text, where the class puts one around it
        self.languages: list[str] = []  # the tokens of all of them
        self._added: dict[str, int] = {}
        self._largest = -1  # id of an added token
        self._by_id: dict[int, SlowToken] = {}
        self._sequence: list[Stage] = []

    # Settings.

    def take(self, name: str, default: object) -> object:
        """Returns an argument of the class; one that the files set to null is None, not the default."""
        if name in self.values:
            self._use(name)
            return self.values.pop(name)
        return default

    def flag(self, name: str, default: bool) -> bool:
        """Returns a boolean argument; null is false. Raises FormatError for other values."""
        value = self.take(name, default)
        if value is not None and not isinstance(value, bool):
            raise self.settings.error(name, "true or false", value)
        return bool(value)

    def choice(self, name: str, default: bool | None) -> bool | None:
        """Returns an argument that is true, false or null."""
        value = self.take(name, default)
        if value is not None and not isinstance(value, bool):
            raise self.settings.error(name, "true, false or null", value)
        return value

    def count(self, name: str, default: int) -> int:
        """Returns an integer argument."""
        value = self.take(name, default)
        if type(value) is not int or not 0 <= value <= 100_000:
            raise self.settings.error(name, "a whole number up to 100,000", value)
        return value

    def token(self, name: str, default: str | None) -> object:
        """Returns an argument that is a special token: a text, a `SlowToken` or None; it is one of the tokenizer's."""
        value = self.take(name, default)
        self.values[name] = value
        return value

    def tokens(self, **defaults: str | None) -> None:
        """Takes several such arguments, each with its default, in order."""
        for name, default in defaults.items():
            self.token(name, default)

    def _use(self, name: str) -> None:
        if name in self.settings.origins and name not in self.used:
            self.used.append(name)

    # Stages.

    def metaspace_stages(self, scheme: str) -> None:
        """Splits a text at white space, then writes ``▁`` for spaces; decodes accordingly."""
        self.pre_tokenizer = sequence(
            "pretokenizers", [{"type": "WhitespaceSplit"}, metaspace(scheme)]
        )
        self.decoder = metaspace(scheme)

    def charsmap_stage(self, charsmap: bytes) -> None:
        """Normalizes by the character map of a SentencePiece model, if it has one."""
        if charsmap:
            self.normalizer = precompiled(charsmap)

    # Tokens.

    def id_of(self, token: object) -> int | None:
        """Returns the id of a token, that of the unknown token for a text that is not a token, None if there is none."""
        if token is None:
            return None
        text = text_of(token)
        id = self._known(text)
        if id is not None:
            return id
        unknown = self.special.get("unk_token")
        if unknown is None:
            return None
        return self._known(text_of(unknown))

    def _known(self, text: str) -> int | None:
        """Returns the id of an added token or an entry; None for other texts."""
        if text in self._added:
            return self._added[text]
        if self.code_points:
            code_point = code_point_of(text)
            return code_point if code_point >= 0 else None
        return self.vocabulary.get(text)

    def is_added(self, text: str) -> bool:
        """Returns whether a text is an added token."""
        return text in self._added

    def add(self, tokens: list[SlowToken]) -> None:
        """Adds tokens: those in the vocabulary keep their ids, others get the next ones."""
        for token in tokens:
            known = self._known(token.content)
            if not token.content or (known is not None and token.same(self._by_id.get(known))):
                continue
            if known is None:
                size = CODE_POINTS if self.code_points else len(self.vocabulary)
                known = max(size, self._largest + 1)
            self._largest = max(self._largest, known)
            self._added[token.content] = known
            self._by_id[known] = token
            self._sequence.append(
                {
                    "id": known,
                    "content": token.content,
                    "single_word": token.single_word,
                    "lstrip": token.lstrip,
                    "rstrip": token.rstrip,
                    "normalized": token.in_normalized,
                    "special": token.special,
                }
            )

    def finish(self) -> None:
        """Adds all tokens, and puts the beginning and the end around a text if that is set.

        All classes share this; call it when the stages of the class are set.
        """
        values = self.values
        if values.get("fix_mistral_regex"):
            raise self.settings.error("fix_mistral_regex", "false", True)
        explicit = "add_bos_token" in values or "add_eos_token" in values
        bos_first = bool(self.take("add_bos_token", False))
        eos_last = bool(self.take("add_eos_token", False))
        self._name_special()
        adding: list[object] = [token for _, token in sorted(self.settings.added.items())]
        known = {text_of(token) for token in adding}
        alike: dict[str, list[object]] = {}  # other added tokens, by their text
        for value in [*self.special.values(), *self.extra]:
            if value is not None and text_of(value) not in known:
                others = alike.setdefault(text_of(value), [])
                if not _has(others, value):
                    others.append(value)
                    adding.append(value)
        named = {text_of(value) for value in self.special.values() if value is not None}
        tokens: list[SlowToken] = []
        for value in adding:
            if isinstance(value, SlowToken):
                if value.content in named:
                    value.special = True
                tokens.append(value)
            elif isinstance(value, str):
                tokens.append(SlowToken(value, True))
            else:
                raise self.settings.error("extra_special_tokens", "a list of tokens", value)
        self.add(tokens)
        if explicit or self.post_processor is None:
            bos = self.special.get("bos_token") if bos_first else None
            eos = self.special.get("eos_token") if eos_last else None
            self.around(
                [(bos, 0)] if bos is not None else [], [(eos, 0)] if eos is not None else []
            )

    def add_all_special(self) -> None:
        """Adds all tokens once more as special ones, as ``_post_init`` does it; call it after `finish`."""
        tokens: list[SlowToken] = []
        for token in [*self.special.values(), *self.extra]:
            if isinstance(token, SlowToken):
                flags = (token.lstrip, token.rstrip, token.single_word)
                tokens.append(
                    SlowToken(token.content, True, token.normalized, flags[0], flags[1], flags[2])
                )
            elif token is not None:
                tokens.append(SlowToken(text_of(token), True))
        self.add(tokens)

    def special_by_name(self) -> None:
        """Makes those added tokens special that an argument names, as classes in Python do; call it after `finish`."""
        named = [*self.special.values(), *self.extra]
        texts = {text_of(value) for value in named if value is not None}
        for token in self._sequence:
            token["special"] = token["content"] in texts

    def around(
        self,
        before: list[tuple[object, int]],
        after: list[tuple[object, int]],
        ids: dict[str, int] | None = None,
    ) -> None:
        """Puts tokens before and after each of two texts, or the only one; see `template`."""
        first = [*before, (TEXT, 0), *after]
        second = [(token, 1) for token, _ in before]
        second.append((SECOND, 1))
        second += [(token, 1) for token, _ in after]
        self.template(first, first + second, ids)

    def template(
        self,
        single: list[tuple[object, int]],
        pair: list[tuple[object, int]],
        ids: dict[str, int] | None = None,
    ) -> None:
        """Sets the templates for one text and for two: tokens and texts, each with its type id.

        ``ids`` are the ids of tokens that differ from the vocabulary.
        """
        tokens: Stage = {}
        for part, _ in [*single, *pair]:
            if not _is_text(part):
                text = text_of(part)
                id = ids[text] if ids is not None and text in ids else self.id_of(part)
                if id is None or " " in text or ":" in text or text[:1] == "$":
                    raise FormatError(
                        f"{self.settings.kind} puts the token {text!r} around a text, which is not in the vocabulary,"
                        " or has a space, a colon or a dollar sign that a template cannot name. Correct the settings"
                        " of the folder, or open the vocabulary file by itself."
                    )
                tokens[text] = {"id": text, "ids": [id], "tokens": [text]}
        self.post_processor = {
            "type": "TemplateProcessing",
            "single": [_part(part, type) for part, type in single],
            "pair": [_part(part, type) for part, type in pair],
            "special_tokens": tokens,
        }

    def _name_special(self) -> None:
        """Sorts the arguments that are special tokens: those with a name, and the others."""
        values = self.values
        if "additional_special_tokens" in values and "extra_special_tokens" not in values:
            values["extra_special_tokens"] = values.pop("additional_special_tokens")
        self.special = dict.fromkeys(ATTRIBUTES)
        own: dict[str, object] = {}
        by_class: dict[str, object] = {}
        for name, value in list(values.items()):
            if name in ATTRIBUTES:
                self._use(name)
                if value is not None and not isinstance(value, (str, SlowToken)):
                    raise self.settings.error(name, "a token", value)
                self.special[name] = value
            elif name == "extra_special_tokens":
                self._use(name)
                if isinstance(value, dict):
                    own.update(value)
                elif value is not None:
                    if not isinstance(value, list):
                        raise self.settings.error(name, "a list of tokens", value)
                    self.extra = list(value)
            elif name == "model_specific_special_tokens" and isinstance(value, dict):
                by_class.update(value)
            elif name.endswith("_token") and isinstance(value, (str, SlowToken)):
                self._use(name)
                own[name] = value
        own.update(by_class)
        for name, value in own.items():
            self._use(name)
            if not isinstance(value, (str, SlowToken)):
                raise self.settings.error(name, "a token", value)
            self.special[name] = value

    def fields(self) -> Stage:
        """Returns all of it as the object of a `tokenizer.json`."""
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": self._sequence,
            "normalizer": self.normalizer,
            "pre_tokenizer": self.pre_tokenizer,
            "post_processor": self.post_processor,
            "decoder": self.decoder,
            "model": self.model,
        }


@final
class SlowPieces:
    """A SentencePiece model: its pieces with scores and types, its trainer's and normalizer's settings."""

    def __init__(
        self, pieces: list[tuple[str, float, int]], trainer: SentencePieceSettings, charsmap: bytes
    ) -> None:
        self.pieces = pieces
        self.trainer = trainer
        self.charsmap = charsmap

    @property
    def scored(self) -> list[tuple[str, float]]:
        """The pieces and their scores."""
        return [(piece, score) for piece, score, _ in self.pieces]

    def added(self) -> list[object]:
        """Returns the control and the user-defined pieces as tokens to add."""
        return [
            SlowToken(piece, kind == CONTROL, False)
            for piece, _, kind in self.pieces
            if kind in (CONTROL, USER_DEFINED)
        ]


def sequence(kind: str, steps: list[Stage]) -> Stage:
    """Returns several stages as one: ``kind`` is "normalizers", "pretokenizers" or "decoders"."""
    return {"type": "Sequence", kind: steps}


def replace(pattern: str, content: str, regex: bool = False) -> Stage:
    """Returns the stage that replaces a string, or the matches of a regular expression."""
    searched = {"Regex" if regex else "String": pattern}
    return {"type": "Replace", "pattern": searched, "content": content}


def metaspace(scheme: str, split: bool = True) -> Stage:
    """Returns the stage that writes ``▁`` for a space."""
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}


def precompiled(charsmap: bytes) -> Stage:
    """Returns the stage with the character map of a SentencePiece model."""
    return {
        "type": "Precompiled",
        "precompiled_charsmap": base64.b64encode(charsmap).decode("ascii"),
    }


def _has(tokens: list[object], wanted: object) -> bool:
    for token in tokens:
        if isinstance(wanted, SlowToken):
            if wanted.same(token):
                return True
        elif isinstance(token, str) and token == wanted:
            return True
    return False


def _is_text(part: object) -> bool:
    return isinstance(part, str) and part in (TEXT, SECOND)


def _part(part: object, type: int) -> Stage:
    if _is_text(part):
        return {"Sequence": {"id": "A" if part == TEXT else "B", "type_id": type}}
    return {"SpecialToken": {"id": text_of(part), "type_id": type}}
