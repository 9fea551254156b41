"""The settings that a SentencePiece model stores, parsed by the protobuf library, and told as they are stored."""

from __future__ import annotations

from typing import Any, Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.wire_format import WireReader

_TITLES: Final = {"TrainerSpec": "trainer_spec", "NormalizerSpec": "normalizer_spec"}


def parsed(message: str, content: bytes, source: str) -> Any:
    """Returns a message ("TrainerSpec", "NormalizerSpec") of the protobuf library.

    Raises FormatError for content that is none, NotAvailable where the library is not installed.
    """
    try:
        from google.protobuf.message import DecodeError
        from sentencepiece import sentencepiece_model_pb2
    except ImportError as error:
        raise NotAvailable(
            f"SentencePiece models need the packages sentencepiece and protobuf: {error}."
        ) from error
    kind = getattr(sentencepiece_model_pb2, message)
    try:
        settings = kind.FromString(content)
        for field, value in settings.ListFields():
            str(value)  # texts are decoded here
            if field.type == field.TYPE_STRING:
                for text in [value] if isinstance(value, (str, bytes)) else value:
                    if isinstance(text, bytes):  # as some versions give what is no text
                        text.decode()
        return settings
    except (DecodeError, UnicodeDecodeError) as error:
        names = {field.number: field.name for field in kind.DESCRIPTOR.fields}
        reader = WireReader(content, 0, len(content), source, _TITLES[message], names)
        while reader.advance():  # tells the place
            pass
        raise FormatError(
            f"The field {_TITLES[message]!r} of {source} is not what SentencePiece writes: {error}."
        ) from error


def shortened(text: str, most: int) -> str:
    """Returns the beginning of a text that is longer than ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def details_of(group: str, settings: Any) -> list[Detail]:
    """Returns the fields that are stored, in the order of the format's definition."""
    details: list[Detail] = []
    stored = {field.name: (field, value) for field, value in settings.ListFields()}
    for name in [field.name for field in settings.DESCRIPTOR.fields]:
        if name in stored:
            field, value = stored[name]
            details.append(Detail(group, name, _told(field, value)))
    return details


def _told(field: Any, value: Any) -> str:
    """Returns a value as text, as protobuf's text format has it, a line a value where there are several."""
    if field.enum_type is not None:
        return str(field.enum_type.values_by_number[value].name)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    if isinstance(value, (str, int)):
        return shortened(str(value), 2000)
    return "\n".join([str(part) for part in value])
