"""What releases of llama.cpp make of a GGUF file: they differ in the names that they know, and in WordPiece.

A release refuses a file whose kind of model (``tokenizer.ggml.model``) or pre-tokenizer (``tokenizer.ggml.pre``) it does not
know. For a name that two of these releases know, no text was found with different ids.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Final

from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderRule
from tokenarium_core.encoding import Template
from tokenarium_core.formats.gguf.gguf_entries import FIELDS
from tokenarium_core.formats.gguf.gguf_file import GgufMetadata, read_metadata
from tokenarium_core.formats.gguf.gguf_models import tokenizer_of
from tokenarium_core.formats.gguf.gguf_wordpiece import LlamaBertNormalizer
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.normalizers.normalizer import Normalizer, NormalizerSequence
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.bert_characters import BertCharacterTable, table_of
from tokenarium_core.unicode.codepoints import CODE_POINTS, spans_in
from tokenarium_core.unicode.llama_codepoints_data import DECOMPOSED

_SOURCE: Final = "libllama of @node-llama-cpp/linux-x64 3.1.1 to 3.22.1, as it runs"

_RELEASES: Final = (
    *(
        "b3889",
        "b3995",
        "b4234",
        "b4291",
        "b4435",
        "b4529",
        "b4600",
        "b4753",
        "b4980",
        "b5590",
        "b5640",
        "b6122",
    ),
    *(
        "b6301",
        "b6431",
        "b6673",
        "b7324",
        "b7836",
        "b8121",
        "b8179",
        "b8352",
        "b8390",
        "b10068",
        "b10361",
    ),
    *("v0.4.0", "v0.5.0"),
)
"""The releases that were compared, the oldest first."""

_NEW_NAMES: Final = {
    "b3889": (
        "bloom chameleon chatglm-bpe codeshell command-r dbrx deepseek-coder deepseek-llm default exaone falcon gpt-2"
        " gpt3-finnish jais jina-de jina-es jina-v1-en jina-v2-code jina-v2-de jina-v2-es llama-bpe llama-v3 llama3 mpt olmo phi-2 poro-chat qwen2 refact"
        " smaug-bpe smollm stablelm2 starcoder tekken viking"
    ),
    "b4291": "minerva-7b",
    "b4435": "deepseek-v3 falcon3 gigachat megrez roberta-bpe",
    "b4529": "deepseek-r1-qwen",
    "b4980": "gpt-4o superbpe",
    "b5590": "bailingmoe glm4 llama4 pixtral seed-coder trillion",
    "b6122": "a.x-4.0 exaone4 falcon-h1 hunyuan hunyuan-dense kimi-k2 lfm2 mellum midm-2.0",
    "b6673": "grok-2 llada-moe",
    "b7324": "afmoe bailingmoe2 granite-docling minimax-m2",
    "b7836": "exaone-moe kormo modern-bert solar-open youtu",
    "b8121": "jais-2 joyai-llm qwen35 tiny_aya",
    "b8179": "jina-v5-nano kanana2",
    "b10068": (
        "cohere2moe f2llmv2 gemma4 granite-embed-multi-311m granite-embed-multi-97m mellum2 minicpm5 sarvam-moe talkie"
        " whitespace"
    ),
    "b10361": "laguna",
    "v0.5.0": "hy_v4 spark2_5 ufakzeka",
}
"""The names of ``tokenizer.ggml.pre`` by the first of these releases that knows them."""

_NEW_KINDS: Final = {"plamo2": "b6122", "gemma4": "b10068", "whitespace": "b10068"}
"""The kinds of ``tokenizer.ggml.model`` that the first release did not know, by the first that does."""

_OF_MERGES: Final = ("gpt2", "gemma4", "whitespace")
_JINA: Final = ("jina-v2-code", "jina-v2-de", "jina-v2-es")
_JINA_FREE: Final = "b5640"  # the first release that reads these without a token <mask>
_CLS_IS_BOS: Final = "b4529"  # the first release that has no other id for it
_MARKS_REMOVED: Final = "b10068"  # the first release that removes marks, and reads the options
_OLD_CLS: Final = 101


def _age(release: str) -> int:
    return _RELEASES.index(release)


def first_release(pre: str) -> str:
    """Returns the first of the releases compared that knows a name of ``tokenizer.ggml.pre``; empty if none does."""
    for release, names in _NEW_NAMES.items():
        if pre in names.split():
            return release
    return ""


def _metadata(draft: ReaderDraft) -> GgufMetadata:
    path = draft.file.main
    return _read(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: str, time: int) -> GgufMetadata:
    """Returns the metadata of a file, which each rule of each release asks for; ``time``: when the file was changed."""
    return read_metadata(Path(path))


def _kind(release: str, draft: ReaderDraft) -> bool:
    kind = _metadata(draft).text(FIELDS + "model")
    since = _NEW_KINDS.get(kind)
    if since is None or _age(release) >= _age(since):
        return False
    draft.refusal = f"unknown tokenizer: '{kind}'"
    return True


def _pre(release: str, draft: ReaderDraft) -> bool:
    metadata = _metadata(draft)
    name = metadata.text(FIELDS + "pre")
    if not name or metadata.text(FIELDS + "model") not in _OF_MERGES:
        return False
    since = first_release(name)
    if since and _age(release) >= _age(since):
        if name not in _JINA or _age(release) >= _age(_JINA_FREE):
            return False
        if draft.file.tokenizer.token_to_id("<mask>") is None:
            draft.refusal = "error loading model vocabulary: _Map_base::at"
        return draft.ended
    draft.refusal = f"unknown pre-tokenizer type: '{name}'"
    return True


def _glm4(draft: ReaderDraft) -> bool:
    metadata = _metadata(draft)
    if metadata.text(FIELDS + "pre") != "glm4" or metadata.text(FIELDS + "model") != "gpt2":
        return False
    values = {**metadata.values, FIELDS + "pre": b"chatglm-bpe"}  # which splits in the same way
    made = GgufMetadata(metadata.source, values)
    draft.tokenizer = tokenizer_of(made, draft.file.tokenizer.name, None)
    return True


def _cls(draft: ReaderDraft) -> bool:
    metadata = _metadata(draft)
    own = draft.file.tokenizer
    template = own.template
    if metadata.text(FIELDS + "model") != "bert" or template is None or not template.before:
        return False
    first = metadata.number(FIELDS + "cls_token_id")
    first = _OLD_CLS if first < 0 else first
    if template.before[0] == first:
        return False
    if first >= len(own.vocabulary):
        draft.unknown = f"There is no entry {first}."
        return True
    around = Template(template.name, [first, *template.before[1:]], list(template.after))
    draft.tokenizer = _changed(own, own.normalizer, around)
    return True


def _marks(draft: ReaderDraft) -> bool:
    if _metadata(draft).text(FIELDS + "model") != "bert":
        return False
    own = draft.tokenizer or draft.file.tokenizer
    first = BertNormalizer(strip_accents=False, lowercase=False, table=_first_characters())
    earlier = NormalizerSequence([first, LlamaBertNormalizer(False, True)])
    draft.tokenizer = _changed(own, earlier, own.template)
    return True


def _changed(own: Tokenizer, normalizer: Normalizer | None, template: Template | None) -> Tokenizer:
    return Tokenizer(
        own.name,
        own.model,
        own.pre_tokenizer,
        own.added_tokens,
        normalizer,
        own.splitter,
        template,
        own.decoder,
    )


@cache
def _first_characters() -> BertCharacterTable:
    """Returns a table that makes the first character of its decomposition of each character that has one."""
    changes = {
        point: unicodedata.normalize("NFD", chr(point))[0]
        for begin, last in spans_in(DECOMPOSED)
        for point in range(begin, last + 1)
    }
    return table_of(bytearray(CODE_POINTS), changes)


def _reader(release: str) -> Reader:
    """Returns the reader of a release."""
    rules = [
        ReaderRule(
            "llama-kind",
            "A kind of model that the release does not know is refused.",
            _SOURCE,
            partial(_kind, release),
        ),
        ReaderRule(
            "llama-pre",
            "The name of a pre-tokenizer that the release does not know is refused; before b5640, so is that of Jina's version 2"
            " without a token <mask>.",
            _SOURCE,
            partial(_pre, release),
        ),
    ]
    rules.append(
        ReaderRule(
            "llama-glm4",
            "In these releases, a word of GLM 4 that is an entry is merged like any other; later ones take it whole.",
            _SOURCE,
            _glm4,
        )
    )
    if _age(release) < _age(_CLS_IS_BOS):
        rules.append(
            ReaderRule(
                "llama-cls",
                "The id before a text of BERT is tokenizer.ggml.cls_token_id, or 101 without that field, not the BOS id.",
                _SOURCE,
                _cls,
            )
        )
    if _age(release) < _age(_MARKS_REMOVED):
        rules.append(
            ReaderRule(
                "llama-marks",
                "BERT's text is always in lower case and without accents, whatever the file says; combining marks that the"
                " text has as characters stay.",
                _SOURCE,
                _marks,
            )
        )
    return Reader(
        "llama.cpp",
        release,
        ("gguf",),
        tuple(rules),
        compared="2026-11-30",
        about="llama_tokenize with add_special and parse_special",
    )


LLAMA_READERS: Final[tuple[Reader, ...]] = tuple(
    [_reader(release) for release in ("b3889", "b4529", "b5640", "b6673", "b8390", "v0.5.0")]
)
"""Releases of llama.cpp, the oldest first."""
