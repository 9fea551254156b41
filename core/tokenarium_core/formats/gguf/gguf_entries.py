"""The entries of a GGUF file's tokenizer by id, with their types, and the special tokens among them.

Control and unknown tokens are special tokens, user-defined ones are matched in any text. Phi-3's tokens include all
whitespace after them.

Source: ``src/llama-vocab.cpp`` in ggml-org/llama.cpp, from ``llama_vocab::impl::load`` on.
"""

from __future__ import annotations

from math import isnan
from typing import Final, final

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.gguf.gguf_cuts import GgufCuts
from tokenarium_core.formats.gguf.gguf_file import GgufMetadata
from tokenarium_core.vocabulary import MAX_IDS

FIELDS: Final = "tokenizer.ggml."
"""The common prefix of the names of fields about the tokenizer."""

MARK: Final = "▁"
"""What stands for a space in entries, or for the beginning of a word."""

# The types of tokens, which are those of SentencePiece's pieces.
NORMAL_TYPE: Final = 1
UNKNOWN_TYPE: Final = 2
CONTROL_TYPE: Final = 3
USER_DEFINED_TYPE: Final = 4
UNUSED_TYPE: Final = 5
BYTE_TYPE: Final = 6
_TYPES: Final = (NORMAL_TYPE, UNKNOWN_TYPE, CONTROL_TYPE, USER_DEFINED_TYPE, UNUSED_TYPE, BYTE_TYPE)

# Texts that llama.cpp takes for control tokens whatever their type is, the second only if no field names such a token.
_ENDS: Final = frozenset(
    [
        "<|eot_id|>",
        "<|im_end|>",
        "<|end|>",
        "<|return|>",
        "<|call|>",
        "<|flush|>",
        "<|calls|>",
        "<end_of_turn>",
        "<|endoftext|>",
        "</s>",
        "<|eom_id|>",
        "<EOT>",
        "_<EOT>",
        "[EOT]",
        "[EOS]",
        "<|end_of_text|>",
        "<end_of_utterance>",
        "<eos>",
        "<turn|>",
        "<|tool_response>",
        "<｜end▁of▁sentence｜>",
        "[e~[",
    ]
)
_BY_ROLE: Final = [
    (
        "fim_pre prefix",
        "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|> <|prefix|>",
    ),
    (
        "fim_suf suffix",
        "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|> <|suffix|>",
    ),
    (
        "fim_mid middle",
        "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|> <|middle|>",
    ),
    ("fim_pad", "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]"),
    ("fim_rep", "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>"),
    ("fim_sep", "<|file_sep|>"),
]
_SHOWN_TEXTS: Final = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")


@final
class Entries:
    """The entries of a file by id, checked: ``texts``, ``types`` and ``scores``; and the ids around a text."""

    def __init__(self, metadata: GgufMetadata, kind: str, cuts: GgufCuts) -> None:
        self.metadata = metadata
        self.source = metadata.source
        self.texts: list[str] = []
        self.ids: dict[str, int] = {}
        raw = metadata.texts(FIELDS + "tokens")
        count = len(raw)
        if count == 0:
            raise FormatError(
                f"{self.source} has no entries: the field 'tokenizer.ggml.tokens' is empty."
            )
        if count > MAX_IDS:
            raise FormatError(
                f"{self.source} has {count:,} entries, more than the {MAX_IDS:,} that this program holds."
            )
        for id, piece in enumerate(raw):
            piece = piece.partition(b"\0")[0]  # to llama.cpp an entry ends there
            try:
                text = piece.decode() if piece else f"[EMPTY_{id}]"  # so llama.cpp calls it
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"{self.source}: entry {id} is {piece!r}, which is not UTF-8."
                ) from error
            if self.ids.setdefault(text, id) != id:
                raise FormatError(
                    f"{self.source}: the entries {self.ids[text]} and {id} are both {text!r}."
                )
            self.texts.append(text)
        self.types = self._types(count)
        self.scores = metadata.scores(FIELDS + "scores") or [0.0] * count
        if len(self.scores) < count:
            raise FormatError(
                f"{self.source} has {count:,} entries, but only {len(self.scores):,} scores."
            )
        self.scores = self.scores[:count]  # llama.cpp does not look at more
        for id in range(count):
            if isnan(self.scores[id]):
                raise FormatError(
                    f"{self.source}: entry {id} has the score NaN, which is not a number."
                )
        self.bos = self._role("bos", {"llama": 1, "bert": 101, "gpt2": 11}.get(kind, -1))
        self.eos = self._role("eos", {"llama": 2, "t5": 1, "gpt2": 11}.get(kind, -1))
        self.unknown = self._role("unknown", {"llama": 0, "bert": 100, "t5": 2}.get(kind, -1))
        self.separator = self._role("seperator", 102 if kind == "bert" else -1)
        adds_bos = metadata.flag(FIELDS + "add_bos_token", cuts.bos or kind == "llama")
        adds_eos = metadata.flag(FIELDS + "add_eos_token", kind == "t5")
        self.before: list[int] = []
        self.after: list[int] = []
        if kind == "bert":
            self.before = [self.bos] if self.bos >= 0 else []
            self.after = [self.separator] if self.separator >= 0 else []
        else:
            if (adds_bos or kind == "gemma4") and self.bos >= 0:
                self.before = [self.bos]
            if adds_eos and self.eos >= 0:
                self.after = [self.eos]

    def _types(self, count: int) -> list[int]:
        """Returns the type of each entry, from the field and from the texts that llama.cpp knows."""
        stored = self.metadata.whole_numbers(FIELDS + "token_type")
        if stored and len(stored) < count:
            raise FormatError(
                f"{self.source} has {count:,} entries, but only {len(stored):,} types of them."
            )
        types = [
            stored[id] if stored and stored[id] in _TYPES else NORMAL_TYPE for id in range(count)
        ]
        known = set(_ENDS)
        for roles, texts in _BY_ROLE:
            if all(self.metadata.number(f"{FIELDS}{role}_token_id") < 0 for role in roles.split()):
                known.update(texts.split())
        for text in known:
            id = self.ids.get(text, -1)
            if id >= 0:
                types[id] = CONTROL_TYPE
        shown = list(_SHOWN_TEXTS)
        has = self.ids.keys()
        if {"<|return|>", "<|call|>"} <= has or (
            "<|flush|>" in has and ("<|call|>" in has or "<|calls|>" in has)
        ):
            shown.append("<|end|>")
        for text in shown:
            id = self.ids.get(text, -1)
            if id >= 0:
                types[id] = USER_DEFINED_TYPE
        if "<|tool_response>" in has and "</s>" in has:
            types[self.ids["</s>"]] = NORMAL_TYPE
        return types

    def _role(self, role: str, default: int) -> int:
        """Returns the id of a special token, -1 if there is none; one that does not exist counts as missing."""
        id = self.metadata.number(f"{FIELDS}{role}_token_id")
        if not 0 <= id < len(self.texts):
            id = default
        return id if id < len(self.texts) else -1

    def special_ids(self) -> list[int]:
        """Returns the ids of the control and unknown tokens."""
        return [id for id, type in enumerate(self.types) if type in (CONTROL_TYPE, UNKNOWN_TYPE)]

    def added(self) -> list[AddedToken]:
        """Returns the tokens that are matched before a text is split, including the whitespace that some models' tokens absorb."""
        pre = self.metadata.text(FIELDS + "pre")
        name = self.metadata.text("general.name").lower()
        architecture = self.metadata.text("general.architecture")
        takes_left: tuple[str, ...] = ()
        takes_right = False
        if pre.startswith(("jina-v2-de", "jina-v2-es", "jina-v2-code")) or architecture.startswith(
            ("nomic-bert-moe", "jina-bert-v3")
        ):
            takes_left = ("<mask>",)
        elif "phi-3" in name or "phi3" in name:
            takes_right = True
        elif "modern-bert" in name:
            takes_left = ("[MASK]",)
        tokens: list[AddedToken] = []
        for id, type in enumerate(self.types):
            if type not in (CONTROL_TYPE, UNKNOWN_TYPE, USER_DEFINED_TYPE):
                continue
            text = self.texts[id]
            tokens.append(
                AddedToken(
                    text,
                    id,
                    special=type != USER_DEFINED_TYPE,
                    lstrip=text in takes_left,
                    rstrip=takes_right and text not in ("<unk>", "<s>", "<|endoftext|>"),
                )
            )
        return tokens

    def template(self) -> Template | None:
        """Returns the ids around a text; None for nothing."""
        if not self.before and not self.after:
            return None
        names = [self.texts[id] for id in self.before]
        return Template(
            " ".join([*names, "…", *[self.texts[id] for id in self.after]]), self.before, self.after
        )
