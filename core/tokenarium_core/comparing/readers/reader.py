"""What a reader is: a program that reads tokenizer files, by name and version, and its rules for a file.

A rule is where a program makes something else of a file than the library that defines its format. It changes a
`ReaderDraft`, which begins as the file itself: its `tokenizer.json`, the tokenizer that was made of it, or a refusal. A file
without a rule that applies has the ids of that library.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, final

from tokenarium_core.errors import FormatError, NotAvailable, TokenariumError
from tokenarium_core.formats.hf.hf_format import SOURCE, read_huggingface
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings
from tokenarium_core.formats.settings_files import CONFIG, MODEL_CONFIG
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.plain_files import read_file
from tokenarium_core.tokenizer import Tokenizer

_LARGEST: Final = 1 << 30  # bytes of a tokenizer.json
_LARGEST_SETTINGS: Final = 1 << 26


@final
class ReaderFile:
    """A file or folder that programs read, opened as the library that defines its format reads it.

    ``format`` and ``path`` are those of `Tokenizer.source`; ``folder`` has the files beside it. ``whole`` is its
    `tokenizer.json`, None if there is none.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        source = tokenizer.source
        if not source.path:
            raise NotAvailable(
                f"{tokenizer.name} is in no file: export it, and open the file that other programs are to read."
            )
        self.tokenizer = tokenizer
        self.format = source.format
        self.path = Path(source.path)
        self.files = list(source.files)
        self.is_folder = self.path.is_dir()
        self.folder = self.path if self.is_folder else self.path.parent
        main = self.files[0] if self.files else self.path
        if self.is_folder and main.parent != self.folder:  # a folder of it, as in a pipeline
            self.folder = main.parent
        self.main = main
        whole = main if self.format == "huggingface" and main.name.endswith(".json") else None
        if whole is None and self.is_folder and (self.folder / SOURCE).is_file():
            whole = self.folder / SOURCE
        self.whole: Path | None = whole
        self._content = b""

    def has(self, name: str) -> bool:
        """Returns whether there is a file of this name beside it."""
        return (self.folder / name).is_file()

    @property
    def configured(self) -> bool:
        """Whether it is a folder with settings of transformers."""
        return self.is_folder and (self.has(CONFIG) or self.has(MODEL_CONFIG))

    def fields(self) -> dict[str, Any]:
        """Returns the object of its `tokenizer.json`, a new one in each call; FormatError or NotAvailable if it has none."""
        if self.whole is None:
            raise NotAvailable(f"{self.path} has no {SOURCE}.")
        if not self._content:
            self._content = read_file(self.whole, _LARGEST)
        fields = json.loads(self._content)
        if not isinstance(fields, dict):
            raise FormatError(f"{self.whole} is not an object.")
        return fields

    def config(self, name: str = CONFIG) -> dict[str, Any]:
        """Returns the object of a file of settings beside it; an empty one if there is none, or it is none."""
        try:
            fields = json.loads(read_file(self.folder / name, _LARGEST_SETTINGS))
        except (OSError, ValueError, RecursionError):
            return {}
        return fields if isinstance(fields, dict) else {}

    def settings(self) -> SlowSettings:
        """Returns the settings beside it as transformers reads them; FormatError for wrong ones."""
        return SlowSettings(self.folder if self.is_folder else None)


class TextEncoder:
    """What gives ids to a text as a program does, where no `Tokenizer` can."""

    def encode_ids(self, text: str) -> list[int]:
        """Returns the ids of a text."""
        raise NotImplementedError


@final
class ReaderDraft:
    """What a program makes of a file, while its rules are applied.

    A rule changes the fields of `json`, sets ``tokenizer``, or says with a sentence why the program refuses the file
    (``refusal``), or why nothing is known about it here (``unknown``).
    """

    def __init__(self, file: ReaderFile) -> None:
        self.file = file
        self.tokenizer: Tokenizer | None = None
        self.encoder: TextEncoder | None = None
        """Set instead of ``tokenizer`` if no tokenizer here does the same."""
        self.refusal = ""
        self.unknown = ""
        self.note = ""
        """What the rule that is applied says of this file, beside its sentence."""
        self.scores: list[float] | None = None
        self._fields: dict[str, Any] | None = None

    @property
    def ended(self) -> bool:
        """Whether no other rule matters."""
        return bool(self.refusal or self.unknown)

    def json(self) -> dict[str, Any]:
        """Returns the fields of the `tokenizer.json` that the program runs, to be changed."""
        if self._fields is None:
            self._fields = self.file.fields()
        return self._fields

    def replace(self, fields: dict[str, Any], scores: list[float] | None = None) -> None:
        """Replaces all fields; ``scores`` are those of a Unigram model, which JSON would not represent exactly."""
        self._fields = fields
        self.scores = scores

    def made(self) -> Tokenizer:
        """Returns the tokenizer that the program makes; FormatError if this program cannot run it."""
        if self.tokenizer is not None:
            return self.tokenizer
        own = self.file.tokenizer
        if self._fields is None:
            return own
        self._flag_added(self._fields.get("added_tokens") or [])
        scores = self.scores
        vocab = self._fields["model"]["vocab"]
        if scores is None and isinstance(vocab, list) and isinstance(own.model, Unigram):
            scores = [float(score) for score in own.model.vocabulary.scores[: len(vocab)]]
        content = json.dumps(self._fields, ensure_ascii=False)
        return read_huggingface(
            content.encode("utf-8", "surrogatepass"), own.name, None, None, scores
        )

    def _flag_added(self, added: list[dict[str, Any]]) -> None:
        """Flags added tokens as special as in the file: programs match either kind in a text, so that no id depends on it."""
        special = {
            token.content: token.special for token in self.file.tokenizer.added_tokens.tokens
        }
        for token in added:
            if token.get("normalized") is None:
                token["normalized"] = not token.get("special", False)
            token["special"] = special.get(token["content"], False)


@final
class ReaderRule:
    """What a program does differently with some files.

    ``id``: its name in JSON. ``sentence``: what it does. ``source``: where that is written or was seen. ``apply`` changes the
    draft and returns True if the rule applies to its file.
    """

    def __init__(
        self, id: str, sentence: str, source: str, apply: Callable[[ReaderDraft], bool]
    ) -> None:
        self.id = id
        self.sentence = sentence
        self.source = source
        self.apply = apply


@final
class Reader:
    """A program that reads tokenizer files, at one version, which is the one that its rules were compared with.

    ``formats`` are the names of the formats that it reads (`Source.format`); ``takes`` returns a sentence about a file of
    these formats that it does not read for another reason, and an empty text for the others. ``rules`` are applied in
    their order. ``group``: the program without its version.
    """

    def __init__(
        self,
        group: str,
        version: str,
        formats: tuple[str, ...],
        rules: tuple[ReaderRule, ...] = (),
        takes: Callable[[ReaderFile], str] | None = None,
        *,
        compared: str = "",
        about: str = "",
    ) -> None:
        self.group = group
        self.version = version
        self.formats = formats
        self.rules = rules
        self.takes = takes
        self.compared = compared
        """The date of the last comparison with the program, as YYYY-MM-DD."""
        self.about = about
        """How it is called, for users."""

    @property
    def name(self) -> str:
        """The program with its version."""
        return f"{self.group} {self.version}" if self.version else self.group

    def read(self, file: ReaderFile) -> Reading:
        """Returns what the program makes of a file; it opens no program, and only reads files."""
        reading = Reading(self)
        if file.format not in self.formats:
            reading.not_read = f"{self.group} does not read files of this format."
            return reading
        if self.takes is not None:
            reading.not_read = self.takes(file)
            if reading.not_read:
                return reading
        draft = ReaderDraft(file)
        try:
            for rule in self.rules:
                draft.note = ""
                if rule.apply(draft):
                    reading.rules.append(rule)
                    reading.notes.append(draft.note)
                if draft.ended:
                    break
            reading.refusal = draft.refusal
            reading.unknown = draft.unknown
            if not draft.ended:
                reading.encoder = draft.encoder
                reading.tokenizer = draft.made()
        except TokenariumError as error:
            reading.unknown = f"This cannot be run here: {error}"
        # Names of their own: compiled, a variable has one type.
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as wrong:
            reading.unknown = f"The settings are not those of {self.group}: {wrong!r:.200}"
        except OSError as failure:
            reading.unknown = f"A file cannot be read: {failure.strerror or failure}"
        return reading


@final
class Reading:
    """What a program makes of a file: one of ``tokenizer``, ``refusal``, ``unknown`` and ``not_read`` is set.

    With an ``encoder``, its ids count, and not those of the tokenizer. The last three are sentences: why the program refuses the file, why its ids are not known here, and why the
    file is none for it. ``rules`` are those that applied, ``notes`` what each says of this file.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.tokenizer: Tokenizer | None = None
        self.encoder: TextEncoder | None = None
        self.refusal = ""
        self.unknown = ""
        self.not_read = ""
        self.rules: list[ReaderRule] = []
        self.notes: list[str] = []
