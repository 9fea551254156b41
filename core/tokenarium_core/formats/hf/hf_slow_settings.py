"""The settings next to a tokenizer in slow form, in the order in which transformers reads them.

A tokenizer is in slow form if a folder has no `tokenizer.json`, but the vocabulary of the class in
``tokenizer_config.json``: a SentencePiece model, a ``vocab.txt``, or ``vocab.json`` with ``merges.txt``. These files
are read: ``tokenizer_config.json``, ``special_tokens_map.json``, ``added_tokens.json``, and the type of the model in
``config.json``.

Sources: transformers 5, ``AutoTokenizer.from_pretrained`` (``models/auto/tokenization_auto.py``) for the class, and
``PreTrainedTokenizerBase._from_pretrained`` (``tokenization_utils_base.py``) for the settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, final

from mypy_extensions import mypyc_attr

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.hf.hf_class_data import CLASSES, MISNAMED, MODEL_CLASSES
from tokenarium_core.formats.hf.hf_fields import shown
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.settings_files import ADDED, CONFIG, MODEL_CONFIG, SPECIAL
from tokenarium_core.plain_files import read_file

ATTRIBUTES: Final = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)
"""The special tokens that every class knows, in the order in which they are added."""

GENERIC: Final = "TokenizersBackend"
"""The class for files that name none, or one that transformers does not know."""

_NAMELESS: Final = (GENERIC, "PythonBackend", "PreTrainedTokenizerFast", "MistralCommonBackend")
_LARGEST: Final = 1 << 26
_FLAGS: Final = ("single_word", "lstrip", "rstrip", "special")


@final
class SlowToken:
    """A token with its options, as ``tokenizers.AddedToken`` has them.

    ``normalized`` is None if it follows from ``special``: special tokens are matched in the original text.
    """

    def __init__(
        self,
        content: str,
        special: bool = False,
        normalized: bool | None = None,
        lstrip: bool = False,
        rstrip: bool = False,
        single_word: bool = False,
    ) -> None:
        self.content = content
        self.special = special
        self.normalized = normalized
        self.lstrip = lstrip
        self.rstrip = rstrip
        self.single_word = single_word

    @property
    def in_normalized(self) -> bool:
        """Whether it is matched in the normalized text."""
        return not self.special if self.normalized is None else self.normalized

    def same(self, other: object) -> bool:
        """Returns whether another token has the same content and options; a plain text never equals it."""
        return (
            isinstance(other, SlowToken)
            and self.content == other.content
            and self.special == other.special
            and self.in_normalized == other.in_normalized
            and self.lstrip == other.lstrip
            and self.rstrip == other.rstrip
            and self.single_word == other.single_word
        )


@mypyc_attr(native_class=False)
class OwnCode(FormatError):
    """A folder whose tokenizer is defined by code in it (``auto_map``), for a class unknown to transformers."""


@final
class SlowSettings:
    """The settings of a folder.

    ``kind``: the class in transformers, ``named``: its name in the files, empty if they do not name it; ``values``: the
    arguments of the class; ``added``: tokens by their ids, from ``added_tokens_decoder`` or ``added_tokens.json``;
    ``files``: the files that were read; ``origins``: the file of each setting.
    """

    def __init__(self, folder: Path | None) -> None:
        """Reads the settings of a folder; None for the defaults of a class."""
        self.folder = folder if folder is not None else Path()
        self._reads = folder is not None
        self.files: list[Path] = []
        self.origins: dict[str, str] = {}
        self.added: dict[int, SlowToken] = {}
        config = self._object(CONFIG)
        special = self._object(SPECIAL)
        added = self._object(ADDED)
        model = self._object(MODEL_CONFIG)
        named = config.get("tokenizer_class")
        if named is not None and not isinstance(named, str):
            raise FormatError(
                f"{CONFIG} of {folder}: tokenizer_class is {shown(named)}, not a name: transformers also refuses it."
                " Correct it, or open the vocabulary file by itself."
            )
        self.named = _text(named) or _text(model.get("tokenizer_class"))
        self.model_type = _text(model.get("model_type"))
        self.kind = class_for(self.named, self.model_type, _text(model.get("model_name")))
        if (
            "model_type" in model
            and model["model_type"] is None
            and named is None
            and not self.named
        ):
            raise FormatError(
                f"{MODEL_CONFIG} of {folder}: model_type is null, and no file names a tokenizer_class: transformers also"
                " refuses it. Name one of them, or open the vocabulary file by itself."
            )
        if named == "" and _slow(_of_model(self.model_type)) in ("", _slow(self.named)):
            self.kind = GENERIC  # it looks for a class of this name, and finds none
        elif named == "" and not self.named:
            self.kind = GENERIC
        if not _resolved(self.named) and config.get("auto_map") is not None:
            raise OwnCode(
                f"{CONFIG} of {folder} says that the tokenizer is made by its own code ({self.named or 'auto_map'},"
                " by auto_map), and this program runs no code from a folder. Open a tokenizer.json saved by that"
                " code, or the vocabulary file in the folder by itself: its ids of text are those of the model if"
                " that code only adds special tokens."
            )
        for name in config:
            self.origins[name] = CONFIG
        self.values: dict[str, object] = {}
        self._collect(dict(config), special, added)

    def error(self, name: str, wanted: str, value: object) -> FormatError:
        """Returns the error for a setting with an invalid value."""
        file = self.origins.get(name, CONFIG)
        return FormatError(
            f"{file}: {name} is {shown(value)}, not {wanted}: {self.kind} of transformers also refuses it. Correct"
            " it, or open the vocabulary file by itself."
        )

    def not_run(self, name: str, needed: str) -> FormatError:
        """Returns the error for a setting whose value transformers runs, and this program does not."""
        return FormatError(
            f"{self.origins.get(name, CONFIG)}: {name} is set, and {self.kind} then {needed}, which this program does not do:"
            " the ids would differ. Use transformers for this model."
        )

    def _collect(
        self, values: dict[str, object], special: dict[str, object], added: dict[str, object]
    ) -> None:
        for name in ("tokenizer_class", "init_inputs"):
            if values.pop(name, None) and name == "init_inputs":
                raise self.error(name, "empty", "a list of arguments")
        if "additional_special_tokens" in values and not values.get("extra_special_tokens"):
            values["extra_special_tokens"] = values.pop("additional_special_tokens")
            self.origins["extra_special_tokens"] = CONFIG
        own: dict[str, object] = {}
        for name in list(values):
            if name.endswith("_token") and name not in ATTRIBUTES and isinstance(values[name], str):
                own[name] = values.pop(name)
        extra = values.get("extra_special_tokens")
        if isinstance(extra, dict):
            own.update(values.pop("extra_special_tokens"))  # type: ignore[call-overload]
        if own:
            values["model_specific_special_tokens"] = own
        by_content: dict[str, SlowToken] = {}
        stored = values.pop("added_tokens_decoder", None)
        if stored is not None:
            self._decoder(stored, by_content)
        else:
            self._legacy(values, special, added, by_content)
        for name, value in values.items():
            values[name] = self._converted(name, value)
        for name in ATTRIBUTES:
            known = values.get(name)
            if known is not None:
                if not isinstance(known, (str, SlowToken)):
                    raise self.error(name, "a token", known)
                values[name] = by_content.get(text_of(known), known)
        self.values = values

    def _decoder(self, stored: object, by_content: dict[str, SlowToken]) -> None:
        """Reads ``added_tokens_decoder``: tokens by their ids."""
        if not isinstance(stored, dict):
            raise self.error("added_tokens_decoder", "an object of tokens by their ids", stored)
        for number, value in stored.items():
            if not str(number).isdecimal() or not isinstance(value, dict):
                raise self.error(
                    "added_tokens_decoder", "an object of tokens by their ids", {number: value}
                )
            token = self._token("added_tokens_decoder", value)
            self.added[int(number)] = token
            by_content[token.content] = token

    def _legacy(
        self,
        values: dict[str, object],
        special: dict[str, object],
        added: dict[str, object],
        by_content: dict[str, SlowToken],
    ) -> None:
        """Reads the files that count if there is no ``added_tokens_decoder``."""
        for name, value in special.items():
            self.origins[name] = SPECIAL
            if name == "extra_special_tokens" and isinstance(value, list):
                before = values.get("extra_special_tokens") or []
                together = list(before) if isinstance(before, list) else []
                texts = {item for item in together if isinstance(item, str)}
                for item in value:
                    if isinstance(item, dict) and "special" in item:
                        raise self.error(name, "without the field 'special'", item)
                    if isinstance(item, dict):
                        together.append(self._token(name, item, True))
                    elif not isinstance(item, str):
                        raise self.error(name, "a list of tokens", item)
                    elif item not in texts:
                        texts.add(item)
                        together.append(item)
                values[name] = together
            elif isinstance(value, dict) and name != "extra_special_tokens":
                values[name] = self._token(name, value, True)
            else:
                values[name] = value
        extra = values.get("extra_special_tokens")
        if isinstance(extra, dict):
            own = values.get("model_specific_special_tokens")
            together_by_name: dict[str, object] = dict(own) if isinstance(own, dict) else {}
            together_by_name.update(extra)
            values["model_specific_special_tokens"] = together_by_name
            del values["extra_special_tokens"]
        if added:
            known = {text_of(values[name]) for name in ATTRIBUTES if values.get(name)}
            extra = values.get("extra_special_tokens")
            if isinstance(extra, list):
                known.update([text_of(token) for token in extra])
            for content, number in added.items():
                if type(number) is not int or number < 0:
                    raise FormatError(
                        f"{ADDED}: the id of {content!r} is {shown(number)}, not a whole number."
                    )
                is_special = content in known
                token = SlowToken(content, is_special, not is_special)
                self.added[number] = token
                by_content[content] = token

    def _converted(self, name: str, value: object) -> object:
        """Returns a value with its tokens as objects; ``__type`` marks them."""
        if isinstance(value, dict):
            if value.get("__type") == "AddedToken":
                return self._token(name, value)
            return {key: self._converted(name, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._converted(name, inner) for inner in value]
        return value

    def _token(self, name: str, value: dict[str, object], special: bool | None = None) -> SlowToken:
        content = value.get("content")
        flags = [value.get(flag, False) for flag in _FLAGS]
        normalized = value.get("normalized")
        if (
            not isinstance(content, str)
            or not isinstance(normalized, (bool, type(None)))
            or not all(isinstance(flag, bool) for flag in flags)
        ):
            raise self.error(name, "a token", value)
        single_word, lstrip, rstrip, is_special = [bool(flag) for flag in flags]
        if special is not None:
            is_special = special
        return SlowToken(content, is_special, normalized, lstrip, rstrip, single_word)

    def _object(self, name: str) -> dict[str, object]:
        """Returns the fields of a file in the folder; none if it does not exist."""
        path = self.folder / name
        if not self._reads or not path.is_file():
            return {}
        try:
            fields = whole_json(read_file(path, _LARGEST), f"{name} of {self.folder}")
        except OSError as error:
            raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error
        if not isinstance(fields, dict):
            raise FormatError(f"{name} of {self.folder} is {shown(fields)}, not an object.")
        self.files.append(path)
        return fields


def class_for(named: str, model_type: str, model_name: str) -> str:
    """Returns the class in transformers for the names in the files: a tokenizer's class, a model's type and name."""
    mapped = _of_model(model_type)
    if named and mapped and _slow(mapped) != _slow(named):
        registered = _slow(mapped)
        if registered not in _NAMELESS:
            misnamed = MISNAMED.split()
            wrong = model_type in misnamed or model_name in misnamed
            resolved = _resolved(registered if wrong else named)
            if resolved and resolved not in _NAMELESS:
                return resolved
        return GENERIC
    if named:
        resolved = _resolved(_slow(named)) or _resolved(named)
    else:
        resolved = _resolved(mapped)
    return GENERIC if not resolved or resolved in _NAMELESS else resolved


def text_of(token: object) -> str:
    """Returns the text of a token, as Python's ``str`` gives it."""
    return token.content if isinstance(token, SlowToken) else str(token)


def _slow(name: str) -> str:
    return name.removesuffix("Fast")


def _of_model(model_type: str) -> str:
    """Returns the class for a model type; empty if it is unknown."""
    for name, kinds in MODEL_CLASSES.items():
        if model_type and model_type in kinds.split():
            return name
    return ""


def _resolved(name: str) -> str:
    """Returns the class with a name; empty if there is none."""
    for kind, names in CLASSES.items():
        if name and (name in names.split() or _slow(name) in names.split()):
            return kind
    return ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
