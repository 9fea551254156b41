"""What a bundle of MediaPipe (``.task``) says of its tokenizer, in its member ``METADATA``.

It is the message ``LlmParameters`` of protobuf: how a text is changed before the model, and what the runtime puts
around it. Source: ``mediapipe/tasks/cc/genai/inference/proto/llm_params.proto`` and ``prompt_template.proto`` of
google-ai-edge/mediapipe; ``mediapipe/tasks/python/genai/bundler/llm_bundler.py`` writes it.
"""

from __future__ import annotations

from typing import Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import BYTES, VARINT, WireReader

_START: Final = 6
_STOP: Final = 5
_CHANGES: Final = 7
_TEMPLATE: Final = 8
_FIELDS: Final = {
    _START: "start_token",
    _STOP: "stop_tokens",
    _CHANGES: "input_output_normalizations",
    _TEMPLATE: "prompt_template",
}
_BYTES_AS_CHARACTERS: Final = 1
_AFFIXES: Final = {1: "session_prefix", 2: "prompt_prefix", 3: "prompt_suffix"}


def bundle_details(about: bytes, source: str) -> list[Detail]:
    """Returns what a bundle puts around texts, for people; ``about`` is its member ``METADATA``.

    Raises FormatError for a bundle that writes bytes as characters before the model, and for a damaged description.
    """
    rows: list[Detail] = []
    fields = WireReader(about, 0, len(about), source, "LlmParameters", _FIELDS)
    while fields.advance():
        number = fields.field
        value = about[fields.start : fields.stop]
        changes = value if fields.wire == BYTES else bytes([fields.value & 127])
        if (
            number == _CHANGES
            and fields.wire in (BYTES, VARINT)
            and _BYTES_AS_CHARACTERS in changes
        ):
            raise FormatError(
                f"{source} writes the bytes of a text as GPT-2's characters before its SentencePiece model"
                " (enable_bytes_to_unicode_mapping), which this program does not do: the ids would differ. Open the"
                " tokenizer.json of the model that it was made of."
            )
        if fields.wire != BYTES:
            continue
        if number == _TEMPLATE:
            affixes = WireReader(
                about, fields.start, fields.stop, source, "PromptTemplate", _AFFIXES
            )
            while affixes.advance():
                if affixes.wire == BYTES and affixes.field in _AFFIXES:
                    text = about[affixes.start : affixes.stop].decode("utf-8", "replace")
                    rows.append(Detail("prompt template", _AFFIXES[affixes.field], repr(text)))
        elif number in (_START, _STOP):
            rows.append(Detail("bundle", _FIELDS[number], repr(value.decode("utf-8", "replace"))))
    return rows
