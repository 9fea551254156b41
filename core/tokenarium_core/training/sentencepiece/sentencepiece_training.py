"""The options of training as in SentencePiece, and the model made from its pieces.

The names and defaults are those of ``TrainerSpec`` and ``NormalizerSpec`` in google/sentencepiece's
``src/sentencepiece_model.proto``, its checks those of ``src/trainer_interface.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from tokenarium_core.details import Source
from tokenarium_core.errors import NotAvailable, TokenariumError
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    packed_piece,
    read_sentencepiece,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import packed
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import (
    MODEL_TYPES,
    SentencePieceSettings,
    read_settings,
)
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.rule_table import compiled_table
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.sentencepiece.piece_rules import PieceRules
from tokenarium_core.training.trainer import INPUT_FORMAT, Option
from tokenarium_core.vocabulary import MAX_IDS

_LAST_ID: Final = MAX_IDS - 1

NORMALIZATIONS: Final = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]
"""SentencePiece's compiled rules. NFKC is Unicode's; ``nmt`` also turns line endings, tabs and the like into spaces
and removes control characters; ``cf`` folds case; ``identity`` leaves characters as they are."""

SENTENCEPIECE_OPTIONS: Final = [
    Option(
        "character_coverage",
        0.9995,
        "The share of the corpus whose characters become entries; rarer ones are unknown, or bytes.",
        least=0.98,
        most=1.0,
    ),
    Option("required_chars", "", "Characters that become entries however rare they are."),
    Option(
        "byte_fallback", False, "256 entries for the bytes, which stand for unknown characters."
    ),
    Option(
        "normalization",
        "nmt_nfkc",
        "What is done to characters first. nfkc: Unicode's NFKC; nmt_nfkc: also white space and control characters"
        " unified; nfkc_cf and nmt_nfkc_cf: also upper case folded; identity: characters stay as they are.",
        choices=NORMALIZATIONS,
    ),
    Option(
        "normalization_rule_tsv",
        "",
        "Rules of your own instead of the normalization: in each line the code points of a text in hexadecimal, a tab, and"
        " those of its replacement.",
        is_content=True,
    ),
    Option(
        "add_dummy_prefix", True, "A space before each text, so that a first word is like others."
    ),
    Option(
        "remove_extra_whitespaces",
        True,
        "Removes spaces at both ends, and all but one of several in a row.",
    ),
    Option("treat_whitespace_as_suffix", False, "Spaces end words instead of beginning them."),
    Option("split_by_unicode_script", True, "No entry holds letters of two scripts."),
    Option(
        "split_by_number",
        True,
        "No entry holds digits and letters; off: they go with any script.",
    ),
    Option("split_by_whitespace", True, "No entry continues after a space."),
    Option("split_digits", False, "Each digit is an entry of its own."),
    Option("allow_whitespace_only_pieces", False, "Pieces of several spaces, as code has them."),
    Option("max_sentencepiece_length", 16, "The most characters of an entry.", least=1, most=512),
    Option(
        "max_sentence_length",
        0,
        "Lines of more bytes are left out; 0: none are (SentencePiece itself has 4,192).",
        least=0,
        most=0x7FFFFFFF,  # of the field in the model's file
    ),
    Option(
        "input_sentence_size",
        0,
        "How many lines are trained on; 0: all.",
        least=0,
    ),
    Option(
        "shuffle_input_sentence",
        True,
        "If not all lines are used: they are chosen from the whole corpus, the same lines each time; off: the first"
        " lines are used.",
    ),
    Option("unk_id", 0, "The id of the unknown token.", least=0, most=_LAST_ID),
    Option("bos_id", 1, "The id of the beginning of a text; -1: none.", least=-1, most=_LAST_ID),
    Option("eos_id", 2, "The id of the end of a text; -1: none.", least=-1, most=_LAST_ID),
    Option("pad_id", -1, "The id of the padding token; -1: none.", least=-1, most=_LAST_ID),
    Option("unk_piece", "<unk>", "How the unknown token is written."),
    Option("bos_piece", "<s>", "How the beginning of a text is written."),
    Option("eos_piece", "</s>", "How the end of a text is written."),
    Option("pad_piece", "<pad>", "How the padding token is written."),
    Option("unk_surface", " ⁇ ", "What an unknown character is decoded to."),
    Option("control_symbols", list[str](), "Pieces that no text becomes, as <s> and </s> are."),
    Option(
        "user_defined_symbols",
        list[str](),
        "Pieces that a text always keeps whole; a line break may be one.",
    ),
    Option(
        "pretokenization_delimiter",
        "",
        "A mark in the corpus that no entry crosses, such as |||; it is removed before training. The tokenizer does"
        " not know it: texts to encode have none.",
    ),
    INPUT_FORMAT,
]
"""The options of both BPE and Unigram; the values, except for ``input_format``, are those of
`SentencePieceTraining`."""

AUTO_COVERAGE: Final = Option(
    "auto_character_coverage",
    False,
    "Which characters become entries is decided together with the merges: those that save most tokens, whatever the"
    " character_coverage. All others become bytes, so it needs byte_fallback.",
)
"""The option of BPE; Unigram has one of the same name, which chooses differently."""

UNIGRAM: Final = "UNIGRAM"
BPE: Final = "BPE"

_MARK: Final = "▁"
_OWN_RULES: Final = "user_defined"  # as SentencePiece calls rules that are not its own
_FIRST_NAMES: Final = ["unk_id", "bos_id", "eos_id", "pad_id"]
# Types of pieces in the file.
_NORMAL: Final = 1
_UNKNOWN_TYPE: Final = 2
_CONTROL: Final = 3
_USER_DEFINED: Final = 4
_BYTE: Final = 6
_MODEL_NUMBERS: Final = {name: number for number, name in MODEL_TYPES.items()}
_compiled: Final[dict[str, bytes]] = {}
_compiled_from: Final[dict[str, str]] = {}  # the table of `_OWN_RULES` that was compiled last


@final
class SentencePieceTraining:
    """The checked options of one training, and the parts that follow from them.

    ``symbols`` are the pieces that are not learned, in the order of their ids in ``symbol_ids``: the unknown piece,
    and those for the beginning and end of a text and for padding, each at its own id (below 0: it does not exist);
    control and user-defined symbols, then the bytes, at the first free ids. Learned pieces take the other ids.
    ``types`` are their types in the file. ``rules`` say what a piece may be, ``normalizer`` is the stage that
    prepares the corpus; as in SentencePiece, it does not know user-defined symbols yet, which a trained model keeps
    unchanged.

    ``normalization_rule_tsv`` is the content of a table of rules, see `read_rules`; they replace
    ``normalization``.

    ``pretokenization_delimiter`` is matched in the normalized text, where ``▁`` stands for a space.

    ``max_sentence_length`` is in bytes; longer lines are skipped (0: none are; the default in SentencePiece is 4192).
    ``input_sentence_size`` is how many lines are trained on (0: all): the first, or with ``shuffle_input_sentence`` a
    sample of the whole corpus, which is reproducible, though different from the one that SentencePiece's generator
    picks.

    Raises TokenariumError for impossible options, NotAvailable if the rules of a normalization are missing because
    sentencepiece is not installed.
    """

    def __init__(
        self,
        *,
        character_coverage: float = 0.9995,
        required_chars: str = "",
        byte_fallback: bool = False,
        normalization: str = "nmt_nfkc",
        normalization_rule_tsv: str = "",
        add_dummy_prefix: bool = True,
        remove_extra_whitespaces: bool = True,
        treat_whitespace_as_suffix: bool = False,
        split_by_unicode_script: bool = True,
        split_by_number: bool = True,
        split_by_whitespace: bool = True,
        split_digits: bool = False,
        allow_whitespace_only_pieces: bool = False,
        max_sentencepiece_length: int = 16,
        max_sentence_length: int = 0,
        control_symbols: Sequence[str] = (),
        user_defined_symbols: Sequence[str] = (),
        unk_id: int = 0,
        bos_id: int = 1,
        eos_id: int = 2,
        pad_id: int = -1,
        unk_piece: str = "<unk>",
        bos_piece: str = "<s>",
        eos_piece: str = "</s>",
        pad_piece: str = "<pad>",
        unk_surface: str = " ⁇ ",
        pretokenization_delimiter: str = "",
        auto_character_coverage: bool = False,
        input_sentence_size: int = 0,
        shuffle_input_sentence: bool = True,
    ) -> None:
        if not 0.98 <= character_coverage <= 1.0:
            raise TokenariumError(
                f"character_coverage = {character_coverage:g} has to be between 0.98 and 1: it is"
                " the share of the corpus whose characters become entries."
            )
        if not 1 <= max_sentencepiece_length <= 512:
            raise TokenariumError(
                f"max_sentencepiece_length = {max_sentencepiece_length:,} has to be between 1 and"
                " 512 characters."
            )
        if normalization not in NORMALIZATIONS:
            raise TokenariumError(
                f"normalization = {normalization!r} is not known: choose one of"
                f" {', '.join(NORMALIZATIONS)}."
            )
        self.character_coverage = character_coverage
        self.required_chars = required_chars
        self.byte_fallback = byte_fallback
        if normalization_rule_tsv:
            normalization = _OWN_RULES
            self._charsmap = _compiled_rules(_OWN_RULES, normalization_rule_tsv)
        elif normalization == "identity":
            self._charsmap = b""
        else:
            self._charsmap = _compiled_rules(normalization)
        self.normalization = normalization
        self.add_dummy_prefix = add_dummy_prefix
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.treat_whitespace_as_suffix = treat_whitespace_as_suffix
        self.split_by_unicode_script = split_by_unicode_script
        self.split_by_number = split_by_number
        self.split_by_whitespace = split_by_whitespace
        self.split_digits = split_digits
        self.allow_whitespace_only_pieces = allow_whitespace_only_pieces
        self.max_sentencepiece_length = max_sentencepiece_length
        self.max_sentence_length = max_sentence_length
        self.control_symbols = list(control_symbols)
        self.user_defined_symbols = list(user_defined_symbols)
        self.unk_surface = unk_surface
        if set(pretokenization_delimiter) & set(" \n\0"):
            raise TokenariumError(
                f"pretokenization_delimiter = {pretokenization_delimiter!r} has a space, a line break or a NUL, which"
                " it cannot have: lines have no line breaks, and spaces are already ▁ when it is looked for."
            )
        self.pretokenization_delimiter = pretokenization_delimiter
        if auto_character_coverage and not byte_fallback:
            raise TokenariumError(
                "auto_character_coverage = True needs byte_fallback = True: characters that are not entries become"
                " bytes."
            )
        if auto_character_coverage and required_chars:
            raise TokenariumError(
                f"auto_character_coverage = True chooses all characters, and required_chars = {required_chars!r} chooses"
                " some: leave one of them out."
            )
        self.auto_character_coverage = auto_character_coverage
        self.input_sentence_size = input_sentence_size
        self.shuffle_input_sentence = shuffle_input_sentence
        self._first_ids = [unk_id, bos_id, eos_id, pad_id]
        self._first_pieces = [unk_piece, bos_piece, eos_piece, pad_piece]
        self.symbols: list[str] = []
        self.symbol_ids: list[int] = []
        self.types: list[int] = []
        self._name_symbols()
        self.required_codes = self._codes()
        self.rules = PieceRules(
            max_sentencepiece_length,
            split_by_unicode_script,
            split_by_number,
            split_by_whitespace,
            split_digits,
            treat_whitespace_as_suffix,
            allow_whitespace_only_pieces,
        )
        self.normalizer = SentencePieceNormalizer(
            normalization,
            Charsmap(self._charsmap, normalization) if self._charsmap else None,
            add_dummy_prefix,
            remove_extra_whitespaces,
            True,
            treat_whitespace_as_suffix,
            [],
        )

    def check_size(self, vocab_size: int, characters: int = 0) -> None:
        """Raises TokenariumError if the symbols, and this many characters, do not fit into a vocabulary."""
        needed = len(self.symbols) + characters
        if vocab_size >= max(needed, len(self.symbols) + 1):
            self._check_ids(vocab_size)
            return
        if characters == 0:
            raise TokenariumError(
                f"A vocabulary of {vocab_size:,} is too small: the control and user-defined symbols and the bytes"
                f" alone need {needed:,}. Ask for more than that."
            )
        raise TokenariumError(
            f"A vocabulary of {vocab_size:,} is too small: {len(self.symbols):,} symbols and the {characters:,}"
            f" characters of the corpus need {needed:,}. Ask for at least that many, or lower character_coverage (it"
            f" is {self.character_coverage:g})."
        )

    def _check_ids(self, vocab_size: int) -> None:
        largest = max(self._first_ids)
        if largest >= vocab_size:
            raise TokenariumError(
                f"{_FIRST_NAMES[self._first_ids.index(largest)]} = {largest:,} is not in a vocabulary of"
                f" {vocab_size:,}: its last id is {vocab_size - 1:,}. Ask for a larger one, or choose another id."
            )

    def tokenizer(
        self, kind: str, pieces: list[bytes], scores: list[float], name: str
    ) -> Tokenizer:
        """Returns the tokenizer of trained pieces: the same as the one read from `model_file`."""
        tokenizer = read_sentencepiece(self.model_file(kind, pieces, scores), name, name)
        tokenizer.source = Source("trained", "")
        return tokenizer

    def model_file(self, kind: str, pieces: list[bytes], scores: list[float]) -> bytes:
        """Returns the content of a ``.model`` file: the symbols at their ids, between and after them the ``pieces``.

        A symbol whose id is beyond the existing pieces comes after the last one. ``kind`` is `UNIGRAM` or `BPE`. In
        the pieces, a space stands for ``▁``.
        """
        parts: list[bytes] = []
        ids: dict[str, int] = {}
        learned = 0
        for symbol, type, id in zip(self.symbols, self.types, self.symbol_ids, strict=True):
            while len(parts) < id and learned < len(pieces):
                text = pieces[learned].decode().replace(" ", _MARK)
                ids[text] = len(parts)
                parts.append(packed_piece(text, scores[learned], _NORMAL))
                learned += 1
            ids[symbol] = len(parts)
            parts.append(packed_piece(symbol, 0.0, type))
        for number in range(learned, len(pieces)):
            text = pieces[number].decode().replace(" ", _MARK)
            ids[text] = len(parts)
            parts.append(packed_piece(text, scores[number], _NORMAL))
        trainer = self._trainer_settings(kind, ids, len(parts))
        parts.append(packed(2, trainer.content()))
        rules = SentencePieceSettings("normalizer_spec")
        rules.put("name", self.normalization)
        rules.put("precompiled_charsmap", self._charsmap)
        rules.put("add_dummy_prefix", self.add_dummy_prefix)
        rules.put("remove_extra_whitespaces", self.remove_extra_whitespaces)
        rules.put("escape_whitespaces", True)
        parts.append(packed(3, rules.content()))
        return b"".join(parts)

    def _trainer_settings(self, kind: str, ids: dict[str, int], size: int) -> SentencePieceSettings:
        trainer = SentencePieceSettings("trainer_spec")
        for name, piece, chosen in zip(
            _FIRST_NAMES, self._first_pieces, self._first_ids, strict=True
        ):
            trainer.put(name, ids[piece] if chosen >= 0 else -1)
            trainer.put(name.replace("_id", "_piece"), piece)
        trainer.put("input_sentence_size", self.input_sentence_size)
        trainer.put("shuffle_input_sentence", self.shuffle_input_sentence)
        trainer.put("model_type", _MODEL_NUMBERS[kind])
        trainer.put("vocab_size", size)
        trainer.put("character_coverage", self.character_coverage)
        if self.required_chars:
            trainer.put("required_chars", self.required_chars)
        trainer.put("byte_fallback", self.byte_fallback)
        trainer.put("treat_whitespace_as_suffix", self.treat_whitespace_as_suffix)
        trainer.put("split_by_unicode_script", self.split_by_unicode_script)
        trainer.put("split_by_number", self.split_by_number)
        trainer.put("split_by_whitespace", self.split_by_whitespace)
        trainer.put("split_digits", self.split_digits)
        trainer.put("allow_whitespace_only_pieces", self.allow_whitespace_only_pieces)
        trainer.put("max_sentencepiece_length", self.max_sentencepiece_length)
        if self.max_sentence_length:
            trainer.put("max_sentence_length", self.max_sentence_length)
        trainer.put("unk_surface", self.unk_surface)
        if self.auto_character_coverage:
            trainer.put("auto_character_coverage", True)
        if self.pretokenization_delimiter:
            trainer.put("pretokenization_delimiter", self.pretokenization_delimiter)
        if self.control_symbols:
            trainer.put("control_symbols", self.control_symbols)
        if self.user_defined_symbols:
            trainer.put("user_defined_symbols", self.user_defined_symbols)
        return trainer

    def _codes(self) -> set[int]:
        """Returns the required characters as code points, a space for ``▁``, except those that are entries anyway."""
        codes: set[int] = set()
        for character in self.required_chars:
            if character in self.control_symbols:
                raise TokenariumError(
                    f"{character!r} is a control symbol, which no text becomes, and a required character: leave it out"
                    " of one of them."
                )
            if character != "\0" and character not in self.user_defined_symbols:
                codes.add(0x20 if character == _MARK else ord(character))
        return codes

    def _name_symbols(self) -> None:
        """Gives the symbols their ids and types, as ``TrainerInterface::InitMetaPieces`` does."""
        symbols_by_id: dict[int, str] = {}
        kinds: dict[str, int] = {}
        for name, piece, id in zip(_FIRST_NAMES, self._first_pieces, self._first_ids, strict=True):
            if id < 0 and name != _FIRST_NAMES[0]:
                continue
            _check_symbol(piece)
            if id < 0:
                raise TokenariumError(f"{name} = {id} is not possible: every model has {piece}.")
            if id in symbols_by_id:
                raise TokenariumError(
                    f"{name} = {id:,} is already the id of {symbols_by_id[id]}: give each its own id."
                )
            if piece in kinds:
                raise TokenariumError(f"The symbol {piece!r} is named twice: name it once.")
            symbols_by_id[id] = piece
            kinds[piece] = _CONTROL if kinds else _UNKNOWN_TYPE
        chosen = [*self.control_symbols, *self.user_defined_symbols]
        free = 0
        for number, symbol in enumerate(chosen):
            _check_symbol(symbol)
            if symbol == self._first_pieces[0]:
                raise TokenariumError(f"{symbol} already exists: leave it out of the symbols.")
            if symbol in chosen[:number]:
                raise TokenariumError(f"The symbol {symbol!r} is named twice: name it once.")
            if symbol not in kinds:
                while free in symbols_by_id:
                    free += 1
                symbols_by_id[free] = symbol
            kinds[symbol] = _CONTROL if number < len(self.control_symbols) else _USER_DEFINED
        if self.byte_fallback:
            for byte in range(256):
                spelled = f"<0x{byte:02X}>"
                if spelled in kinds:
                    raise TokenariumError(
                        f"The symbol {spelled!r} is the name of a byte, which byte_fallback adds: leave it out of the"
                        " symbols."
                    )
                while free in symbols_by_id:
                    free += 1
                symbols_by_id[free] = spelled
                kinds[spelled] = _BYTE
        self.symbol_ids = sorted(symbols_by_id)
        self.symbols = [symbols_by_id[id] for id in self.symbol_ids]
        self.types = [kinds[symbol] for symbol in self.symbols]


def _check_symbol(symbol: str) -> None:
    """Raises TokenariumError for a text that cannot be a symbol."""
    if not symbol or "\0" in symbol:
        raise TokenariumError(
            f"{symbol!r} cannot be a symbol: it is empty, or contains a NUL. Leave it out."
        )


def _compiled_rules(name: str, table: str = "") -> bytes:
    """Returns SentencePiece's compiled rules of a normalization, which only its library has, or those of a table."""
    if table:
        if _compiled_from.get(name) != table:
            _compiled[name] = _charsmap_of(compiled_table(table), name)
            _compiled_from[name] = table
    elif name not in _compiled:
        try:
            import sentencepiece
        except ImportError as error:
            raise NotAvailable(
                f"The rules of the normalization {name} are in the package sentencepiece: pip install"
                ' "tokenarium-core[sentencepiece]", or choose normalization = identity.'
            ) from error
        stage = sentencepiece.SentencePieceNormalizer(rule_name=name)
        _compiled[name] = _charsmap_of(stage.serialized_normalizer_spec(), name)
    return _compiled[name]


def _charsmap_of(spec: bytes, name: str) -> bytes:
    """Returns the compiled rules in a serialized ``NormalizerSpec``."""
    charsmap: bytes = read_settings("normalizer_spec", spec, name).precompiled_charsmap
    return charsmap
