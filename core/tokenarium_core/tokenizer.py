"""A tokenizer: its stages one after the other, and its vocabulary.

str -> added tokens -> normalizer -> pre-tokenizer -> model -> template -> Encoding
"""

from __future__ import annotations

import gc
import os
from collections.abc import Collection, Iterable
from importlib import import_module
from typing import Any, Final, final

from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.added_tokens import ALL, NONE, AddedMatch, AddedTokens
from tokenarium_core.arguments import data_of, id_of, ids_of, text_of, texts_of, whole_numbers
from tokenarium_core.byte_texts import check_takes_bytes, encoding_of_bytes, text_length
from tokenarium_core.columns import GatheredIds, Int32s, grown
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.details import Detail, Source
from tokenarium_core.encoding import EncodedTexts, EncodeJob, Encoding, Template
from tokenarium_core.errors import ArgumentError, ArgumentTypeError, IdError
from tokenarium_core.guard import TURNS
from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.models.nested_cuts import MergeLevels, NestedCuts, merge_levels
from tokenarium_core.models.whole_rows import cutter_for
from tokenarium_core.normalized_text import untracked
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS, check_padding, padded, utf8_size
from tokenarium_core.pretokenizers.pretokenizer import (
    PrecomputedCuts,
    PreTokenizer,
    Splitter,
    WholeText,
)
from tokenarium_core.sections import Preparation
from tokenarium_core.text_ends import TextEnds, text_ends
from tokenarium_core.trace import Trace

_SLICE: Final = 2048  # words that are cut before they are encoded: they stay in the nearest cache
_ROOM: Final = 32768  # ids that are gathered at once: they stay in a near cache too
_BLOCK: Final = 32768  # characters that are encoded at once if a text can be cut anywhere
_KEPT: Final = 1 << 20  # the room for ids that is kept from one text to the next
_PATIENT: Final = 1 << 40


@final
class _Options:
    """The special tokens that are recognized in a text, those that must not be in it, and what comes around it."""

    def __init__(
        self, allowed: frozenset[str], disallowed: frozenset[str], around: Template | None
    ) -> None:
        self.allowed = allowed
        self.disallowed = disallowed
        self.around = around


_PLAIN: Final = _Options(frozenset(), frozenset(), None)
"""Special tokens are plain text, and nothing comes around a text."""


@final
class Tokenizer:
    """Turns a text into ids and back.

    ``splitter`` runs before ``pre_tokenizer`` if a pre-tokenizer does more than cut. ``divides``: a long text may be
    encoded in parts, see `EncodeStream`. ``details`` are the settings that
    the file stores, ``source`` says where it came from. ``stored`` are the parts of that file that are written again
    unchanged: see `sentencepiece_format` and `hf_format`.

    Any number of threads may use one tokenizer, or several that share stages: they take turns, and each gets the ids
    that it would get alone. Threads make nothing faster, since compiled code keeps the interpreter's lock; processes
    do, see `encode_ids_batch`. A job (`encode_job`, `nested_cuts`) belongs to one thread at a time. After an error a tokenizer is as good as
    before.

    A tokenizer can be pickled, and so go to other processes: those of files are opened there again, and refused if the
    files have changed since; others go whole. It never changes, so a copy is the tokenizer itself.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        pre_tokenizer: PreTokenizer,
        added_tokens: AddedTokens,
        normalizer: Normalizer | None = None,
        splitter: Splitter | None = None,
        template: Template | None = None,
        decoder: Decoder | None = None,
        details: list[Detail] | None = None,
    ) -> None:
        self.name = name
        self.model = model
        self.vocabulary = model.vocabulary
        self.pre_tokenizer = pre_tokenizer
        self.added_tokens = added_tokens
        self.normalizer = normalizer
        self.splitter = splitter
        self.template = template
        self.decoder = decoder if decoder is not None else Decoder("bytes")
        self.details: list[Detail] = details if details is not None else []
        self.source = Source("", "")
        self.stored: dict[str, bytes] = {}
        self._preparation = Preparation(added_tokens, normalizer, splitter, pre_tokenizer)
        self.divides = (
            splitter is None
            and not added_tokens.always
            and (
                (normalizer is None and pre_tokenizer.divides)
                or (
                    (normalizer is None or normalizer.local)
                    and model.divides
                    and isinstance(pre_tokenizer, WholeText)
                )
            )
        )
        self._cutter = cutter_for(model, pre_tokenizer)
        has_rules = model.reads_rules or splitter is not None or not pre_tokenizer.names_on_demand
        self._words = WordBatch(vec[i32]([0] * _SLICE), vec[u8]([0] * (_SLICE if has_rules else 0)))
        self._out = vec[i32]([0] * 1024)
        # The most bytes of a text that is one word and encoded at once.
        one_word = splitter is None and isinstance(pre_tokenizer, WholeText)
        self._short: i64 = model.short if one_word else 0
        self._gathered = GatheredIds(len(self.vocabulary))
        self._merge_levels: MergeLevels | None = None
        self._used: i64 = 0
        self._text_bytes: i64 = 0  # of the last text as UTF-8, if there is no normalizer

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Pickles where the tokenizer came from, with the hash of what is there, or all of it; see `formats.pickled`."""
        pickled: Any = import_module("tokenarium_core.formats.pickled")  # which imports this class
        return pickled.tokenizer_of_state, (pickled.state_of(self),)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        return self

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}: {len(self.vocabulary):,} entries>"

    def _repr_html_(self) -> str:
        """The stages and the special tokens, as a notebook shows them; see `html_view`, which imports this module."""
        return str(import_module("tokenarium_core.html_view").tokenizer_html(self))

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of the special tokens by their text."""
        return self.added_tokens.special

    @property
    def ends(self) -> TextEnds:
        """The ids that mark the beginning and the end of a text, and which of them the tokenizer adds by itself."""
        format = self.source.format
        if "trainer_spec" in self.stored:  # also where another file keeps the model
            format = "sentencepiece"
        elif self.decoder.name == "Tekken":
            format = "tekken"
        return text_ends(self.special_tokens, self.details, self.template, format)

    def encode_ids(
        self,
        text: str | Any,
        special: str | Collection[str] = NONE,
        allowed_special: str | Collection[str] | None = None,
        disallowed_special: str | Collection[str] | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
    ) -> list[int]:
        """Returns the ids of a text: those of `encode`, with the same options and errors, and faster.

        Without options special tokens in the text are plain text, and nothing is put around it.
        """
        text = text_of(text)
        options = self._options(
            special, allowed_special, disallowed_special, template, add_bos, add_eos
        )
        if options is not _PLAIN:
            return [i64(token) for token in self._encode_by(text, options)]
        turns = TURNS
        gathered = self._gathered
        turns.enter()
        try:
            gathered.begin()
            count = self._encode(text)
            ids = gathered.finish_list(self._out, count)
            self._release()
        finally:
            turns.leave()
        return ids

    def encode_buffer(
        self,
        text: str | Any,
        special: str | Collection[str] = NONE,
        allowed_special: str | Collection[str] | None = None,
        disallowed_special: str | Collection[str] | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
    ) -> Int32s:
        """Returns the ids of `encode_ids` as a buffer of int32: ``np.asarray(memoryview(ids))``, without a copy."""
        options = self._options(
            special, allowed_special, disallowed_special, template, add_bos, add_eos
        )
        return self._encode_by(text_of(text), options)

    def encode_ids_batch(
        self,
        texts: Iterable[str],
        special: str | Collection[str] = NONE,
        allowed_special: str | Collection[str] | None = None,
        disallowed_special: str | Collection[str] | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
        num_threads: int = 1,
    ) -> list[list[int]]:
        """Returns `encode_ids` of each text, with the same options and errors.

        ``num_threads``: how many processors may encode, 0 for all of them. More than one need processes, see
        `batch_workers`: these are started when a batch is large enough, and stay for the next one.
        """
        options = (special, allowed_special, disallowed_special, template, add_bos, add_eos)
        if num_threads < 0:
            raise ArgumentError(
                f"num_threads = {num_threads} has to be 0, for all processors, or more."
            )
        all_texts: list[Any] = list(texts_of(texts))
        # Python would look through the lists of numbers again and again for circles, a fifth of the time.
        collects = gc.isenabled()
        gc.disable()
        try:
            if num_threads == 1:
                return self._lists_of(all_texts, options)
            workers: Any = import_module("tokenarium_core.batch_workers")
            encoder = workers.BatchEncoder(self, options, self._lists_of, self._gathered.lists)
            lists: list[list[int]] = workers.encode_in_processes(encoder, all_texts, num_threads)
            return lists
        finally:
            if collects:
                gc.enable()

    def _lists_of(self, texts: Iterable[Any], options: tuple[Any, ...]) -> list[list[int]]:
        """Returns the ids of each text, with the options of `encode_ids`."""
        special, allowed, disallowed, template, add_bos, add_eos = options
        return [
            self.encode_ids(text, special, allowed, disallowed, template, add_bos, add_eos)
            for text in texts
        ]

    def expect(self, size: int) -> None:
        """Prepares for texts of about ``size`` bytes together, as a corpus has: caches are made as large at once."""
        self.model.expect(size)

    def encode_texts(
        self,
        texts: Iterable[str],
        before: Iterable[int] = (),
        after: Iterable[int] = (),
        special: str | Collection[str] = NONE,
        allowed_special: str | Collection[str] | None = None,
        disallowed_special: str | Collection[str] | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
    ) -> EncodedTexts:
        """Returns the ids of `encode_ids` of each text, with the ids ``before`` and ``after`` it, in one buffer.

        Many short texts are encoded faster so than one by one. The options are those of `encode`, and what they put
        around a text is in ``before`` and ``after``. Raises what `encode` does, and then returns none.
        """
        first = vec[i32]([i32(token) for token in whole_numbers(before)])
        last = vec[i32]([i32(token) for token in whole_numbers(after)])
        options = self._options(
            special, allowed_special, disallowed_special, template, add_bos, add_eos
        )
        ids = vec[i32]()
        lengths = vec[i64]()
        size: i64 = 0
        for one in texts_of(texts):
            text = text_of(one)
            start: i64 = len(ids)
            ids = extend(ids, first)
            ids = extend(ids, self._encode_by(text, options))
            ids = extend(ids, last)
            lengths = append(lengths, i64(len(ids)) - start)
            size += self._text_bytes if self.normalizer is None else i64(utf8_size(text))
        return EncodedTexts(ids, lengths, size)

    def encode_part(self, text: str, begins: bool, ends: bool) -> tuple[Int32s, int, int]:
        """Returns ids of a part of a text, and how many of its characters and UTF-8 bytes they are of.

        Only if the tokenizer ``divides``.

        ``begins`` and ``ends`` say whether the text begins and ends with the part. If it does not end, the last
        characters may be left: they have to come again, with what follows. `EncodeStream` does that.
        """
        turns = TURNS
        gathered = self._gathered
        turns.enter()
        try:
            gathered.begin()
            self.model.expect(len(text))
            count = self._encode_blocks(text, begins, ends)
            ids = gathered.finish_buffer(self._out, count)
            used: int = self._used
            size: int = self._text_bytes
            if self.normalizer is not None:
                size = utf8_size(text[:used])
            self._release()
        finally:
            turns.leave()
        return ids, used, size

    def encode_batch(
        self,
        texts: Iterable[str],
        special: str | Collection[str] = NONE,
        allowed_special: str | Collection[str] | None = None,
        disallowed_special: str | Collection[str] | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
    ) -> list[Encoding]:
        """Returns `encode` of each text, with the same options; `encode_ids_batch` has the ids alone, and is faster."""
        options = self._options(
            special, allowed_special, disallowed_special, template, add_bos, add_eos
        )
        return [self._job(padded(text_of(text)), options, None).whole() for text in texts_of(texts)]

    def encode(
        self,
        text: str | Any,
        special: str | Collection[str] = NONE,
        allowed_special: str | Collection[str] | None = None,
        disallowed_special: str | Collection[str] | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
        trace: Trace | None = None,
    ) -> Encoding:
        """Returns the ids of a text with their places and the cuts; the events go into ``trace``.

        Special tokens in the text are plain text unless the caller says otherwise, so that a text from outside cannot
        forge one. ``special`` names those that are recognized: "none", "all" or a set of them.

        ``allowed_special`` and ``disallowed_special`` are those of tiktoken, with its defaults as soon as one of them
        is given. The allowed ones are recognized: "all" or a set, by default none. A text with a disallowed one is
        refused: "all", which is the default and means all that are not allowed, or a set, also of other texts. With
        ``special``, which takes the place of ``allowed_special``, ``disallowed_special`` may be given too.

        ``template``: with the ids that the tokenizer puts before and after a text, if it has any: what tokenizers
        calls ``add_special_tokens``. ``add_bos``, ``add_eos``: with those of `ends`, if it has any, instead of the
        template.

        Raises SpecialTokenError (a ValueError) for a disallowed token, PatternError for a pattern that fails on this
        text, ArgumentError (a ValueError) for a special token that does not exist in ``special``, and
        ArgumentTypeError (a TypeError) for bytes.
        """
        options = self._options(
            special, allowed_special, disallowed_special, template, add_bos, add_eos
        )
        return self._job(padded(text_of(text)), options, trace).whole()

    def encode_job(
        self,
        text: str | bytes | Any,
        special: str | Collection[str] = NONE,
        allowed_special: str | Collection[str] | None = None,
        disallowed_special: str | Collection[str] | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
        trace: Trace | None = None,
    ) -> EncodeJob:
        """Returns `encode` as a job to be taken in steps; raises the errors about special tokens.

        Instead of a text, the result of `padded` is accepted, so that several tokenizers can share it.
        """
        options = self._options(
            special, allowed_special, disallowed_special, template, add_bos, add_eos
        )
        data = text if isinstance(text, bytes) else padded(text_of(text))
        check_padding(data)
        return self._job(data, options, trace)

    def encode_bytes(self, data: bytes | Any) -> Encoding:
        """Returns the ids of bytes that need not be UTF-8, as tiktoken's ``_encode_bytes``; their spans count bytes.

        Whole UTF-8 gives the ids of the text. Else the text before the first byte that is not UTF-8 is encoded, and its
        last pre-token is merged as one with all bytes that follow: see `byte_texts`. A special token is plain text.

        Raises UnsupportedError for a model that is not byte-level BPE, PatternError as `encode`, ArgumentTypeError for a str.
        """
        data = data_of(data)
        good = text_length(data)
        if good == len(data):
            return self.encode(data.decode())
        check_takes_bytes(self.model, self.name)
        head = self.encode(data[:good].decode())
        TURNS.enter()
        try:
            return encoding_of_bytes(head, data, self.model)
        finally:
            TURNS.leave()

    def added_token_matches(
        self, text: str | Any, special: str | Collection[str] = NONE
    ) -> list[AddedMatch]:
        """Returns the added tokens that `encode` finds in a text, from left to right, also those left as text.

        Each match is the longest token that begins there, and says why it is left as text. ``special`` as in `encode`;
        with "none", a special token is found and left. All tokens that a tokenizer searches are in
        ``added_tokens.tokens``. Raises ArgumentError for a special token that does not exist.
        """
        data = padded(text_of(text))
        matches: list[AddedMatch] = []
        allowed = self.added_tokens.choose(special)
        TURNS.enter()
        try:
            self._preparation.sections(data, len(data) - PADDING, allowed, matches)
        finally:
            TURNS.leave()
        return sorted(matches, key=_start_of)

    def nested_cuts(self, text: str | Any, special: str | Collection[str] = NONE) -> NestedCuts:
        """Returns the tokens of a text by the first N merges, for every N, as a job to be taken in steps.

        ``special`` as in `encode`. Raises UnsupportedError, with the reason, for models whose tokens do not come from
        merges.
        """
        data = padded(text_of(text))
        size = len(data) - PADDING
        allowed = self.added_tokens.choose(special)
        TURNS.enter()
        try:
            if self._merge_levels is None:
                self._merge_levels = merge_levels(self.model)
            sections = self._preparation.sections(data, size, allowed)
        finally:
            TURNS.leave()
        return NestedCuts(sections, self.model, self._merge_levels)

    def decoder_for(self, skip_special_tokens: bool | None) -> Decoder:
        """Returns the decoder that leaves special tokens out, keeps them, or, for None, does what its library does."""
        if skip_special_tokens is None:
            return self.decoder
        special = frozenset(self.added_tokens.special_ids)
        return self.decoder.choosing(special, skip_special_tokens)

    def decode_bytes(
        self, ids: Iterable[int] | Any, skip_special_tokens: bool | None = None
    ) -> bytes:
        """Returns the bytes of the text of some ids; IdError, which is an IndexError, for an id that has none.

        ``skip_special_tokens`` as in `decode`.
        """
        numbers = ids_of(ids)
        decoder = self.decoder_for(skip_special_tokens)
        TURNS.enter()
        try:
            return decoder.decode(self.vocabulary, numbers)
        except TypeError:  # from compiled code, for integers that are not Python's
            return decoder.decode(self.vocabulary, whole_numbers(numbers))
        except ValueError:  # from compiled code, for a number beyond 64 bits
            for number in numbers:
                if not -_PATIENT < number < _PATIENT:
                    raise IdError(
                        f"There is no id {number}: this vocabulary has the ids 0 to {len(self.vocabulary) - 1}."
                    ) from None
            raise
        finally:
            TURNS.leave()

    def decode(self, ids: Iterable[int] | Any, skip_special_tokens: bool | None = None) -> str:
        """Returns the text that the ids stand for; bytes that are not UTF-8 become U+FFFD.

        ``ids`` are integers of any kind: a list, an `Encoding`, an array of numpy, a tensor.

        ``skip_special_tokens`` leaves special tokens out (True) or writes them (False), as in tokenizers and
        transformers. Without it, they are as the library of the format has them by default: left out in a
        `tokenizer.json`, WordPiece and SentencePiece, written in a file of tiktoken.

        Raises IdError (an IndexError) for an id that does not exist, ArgumentTypeError for anything but an integer.
        """
        return self.decode_bytes(ids, skip_special_tokens).decode("utf-8", "replace")

    def decode_batch(
        self, batch: Iterable[Iterable[int]] | Any, skip_special_tokens: bool | None = None
    ) -> list[str]:
        """Returns `decode` of each of several lists of ids: of lists, or of the rows of an array or a tensor."""
        if isinstance(batch, str | bytes) or not hasattr(batch, "__iter__"):
            raise ArgumentTypeError(
                f"Several texts must be a list of lists of ids, not {type(batch).__name__}."
            )
        return [self.decode(ids, skip_special_tokens) for ids in batch]

    @property
    def vocab_size(self) -> int:
        """How many entries there are, with the added tokens: ``len(get_vocab())``, as ``get_vocab_size`` of tokenizers.

        A model may need more rows, since some ids may have no entry: ``len(tokenizer.vocabulary)`` is the largest
        id plus one, which tiktoken calls ``n_vocab``.
        """
        return len(self.vocabulary.ids)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Returns the ids of all entries by their texts, a new dict; without the added tokens that the model does not know.

        The texts are those of the file, as in tokenizers: "Ġlow" in byte-level BPE, where each byte is a character of
        GPT-2's alphabet and "Ġ" is the space, "▁low" in SentencePiece, "##ing" in WordPiece. The entries of a file of
        tiktoken or Tekken are bytes, and are written in GPT-2's alphabet too. `Vocabulary.piece` has the bytes.
        """
        ids = self.vocabulary.ids
        if with_added_tokens:
            return dict(ids)
        outside = self.vocabulary.outside
        return {token: id for token, id in ids.items() if id not in outside}

    def token_to_id(self, token: str | Any) -> int | None:
        """Returns the id of an entry, written as in `get_vocab`; None if there is none.

        Raises ArgumentTypeError for bytes: ``tokenizer.vocabulary.find(b" low")`` takes them.
        """
        if isinstance(token, bytes):
            raise ArgumentTypeError(
                "An entry must be a str here, not bytes: use vocabulary.find for bytes."
            )
        return self.vocabulary.ids.get(text_of(token))

    def id_to_token(self, id: int | Any) -> str | None:
        """Returns how an entry is written in `get_vocab`; None if nothing has this id."""
        number = id_of(id)
        vocabulary = self.vocabulary
        if not 0 <= number < len(vocabulary) or vocabulary.is_hole(number):
            return None
        return vocabulary.token(number)

    def save(
        self,
        path: str | os.PathLike[str],
        format: str = "",
        allow_differences: bool = False,
    ) -> None:
        """Writes the tokenizer in one of the formats, as `save` of `formats.registry` does, whole or not at all.

        Without a format, the name of the file says which: ``tokenizer.json`` is that of Hugging Face, ``.model`` is
        SentencePiece's, ``.tiktoken`` tiktoken's, ``vocab.txt`` WordPiece's; all other names are Tokenarium's own.

        Raises ArgumentError (a ValueError) for an unknown format, for one that cannot hold this tokenizer, with the
        reason, and for a copy that would treat some texts otherwise, unless ``allow_differences``; WriteError if the file cannot be written, and then nothing is changed.
        """
        # Only when it is called: the formats import this module.
        registry = import_module("tokenarium_core.formats.registry")
        registry.save(self, path, format, allow_differences)

    def _options(
        self,
        special: str | Collection[str],
        allowed_special: str | Collection[str] | None,
        disallowed_special: str | Collection[str] | None,
        template: bool,
        add_bos: bool,
        add_eos: bool,
    ) -> _Options:
        """Returns what the options of `encode` mean; raises the errors about special tokens that do not exist."""
        if (
            special is NONE
            and allowed_special is None
            and disallowed_special is None
            and not (template or add_bos or add_eos)
        ):
            return _PLAIN
        added = self.added_tokens
        around = self.template if template else None
        if add_bos or add_eos:
            around = self.ends.chosen(add_bos, add_eos)
        if allowed_special is None:
            allowed = added.choose(special)
        elif special != NONE:
            raise ArgumentError("Give special or allowed_special, not both: they mean the same.")
        else:
            allowed = added.choose_known(allowed_special)
        if disallowed_special is not None:
            disallowed = added.choose_disallowed(disallowed_special, allowed)
        elif allowed_special is not None:
            disallowed = added.choose_disallowed(ALL, allowed)
        else:
            disallowed = frozenset()
        return _Options(allowed, disallowed, around)

    def _job(self, data: bytes, options: _Options, trace: Trace | None) -> EncodeJob:
        """Returns the job of `encode_job` for a padded text."""
        size = len(data) - PADDING
        self.added_tokens.check(data, size, options.disallowed)
        TURNS.enter()
        try:
            sections = self._preparation.sections(data, size, options.allowed)
        finally:
            TURNS.leave()
        return EncodeJob(sections, self.model, options.around, trace, data)

    def _encode_by(self, text: str, options: _Options) -> vec[i32]:
        """Returns the ids of a text by options, without their places."""
        if options.disallowed:
            data = padded(text)
            self.added_tokens.check(data, len(data) - PADDING, options.disallowed)
        turns = TURNS
        gathered = self._gathered
        turns.enter()
        try:
            gathered.begin()
            if options.allowed:
                self.model.expect(len(text))
                count = self._encode_sections(padded(text), options.allowed)
            else:
                count = self._encode(text)
            ids = gathered.finish_buffer(self._out, count)
            self._release()
        finally:
            turns.leave()
        around = options.around
        return ids if around is None else around.around(ids)

    def _encode(self, text: str) -> i64:
        """Encodes a text; returns the number of ids in ``_out``, which follow the gathered ones."""
        if len(text) > _BLOCK:
            self.model.expect(len(text))
            if self.divides:
                return self._encode_blocks(text, True, True)
        splitter = self.splitter
        if self.added_tokens.always or (splitter is not None and splitter.reads_origin):
            return self._encode_sections(padded(text), frozenset())
        normalizer = self.normalizer
        data = padded(text) if normalizer is None else normalizer.normalize_text(text)
        size: i64 = len(data) - PADDING
        self._text_bytes = size
        if splitter is None:
            return self._encode_section(self._cutter, data, 0, size, 0)
        words = splitter.split(untracked(data, size))
        cuts = PrecomputedCuts(words.ends, words.rules, splitter.rules)
        return self._encode_section(cuts, words.text.data, 0, words.text.size, 0)

    def _encode_blocks(self, text: str, begins: bool, ends: bool) -> i64:
        """Encodes a long text in blocks, each from its characters to its ids, so that it stays in a near cache.

        See `encode_part` for ``begins`` and ``ends``; ``_used`` gets the characters that were encoded.
        """
        model = self.model
        pre_tokenizer = self._cutter
        normalizer = self.normalizer
        size: i64 = len(text)
        block: i64 = _BLOCK
        count: i64 = 0
        encoded: i64 = 0
        at: i64 = 0
        while at < size:
            stop: i64 = min(at + block, size)
            try:
                data = text[at:stop].encode() + ZEROS
            except UnicodeEncodeError:
                # One surrogate may be here, and the other one in the next block.
                if not ends:
                    break
                stop = size
                data = padded(text[at:])
            last = ends and stop == size
            if normalizer is not None:
                data = normalizer.normalize_part(data, begins and at == 0, last)
            end: i64 = len(data) - PADDING
            if not last:
                place = (
                    pre_tokenizer.divide(data, end)
                    if pre_tokenizer.divides
                    else model.divide(data, end)
                )
                whole = stop == size
                stop -= len(data[place:end].decode())
                if place == 0 or stop <= at:  # or only after the space put before the text
                    if whole:
                        break
                    block *= 2
                    continue
                end = place
            if count >= _ROOM:
                self._gathered.add(self._out, count, at, size)
                count = 0
            if count + end * model.ids_per_byte > len(self._out):
                self._out = grown(self._out, count, count + end * model.ids_per_byte)
            count = self._encode_section(pre_tokenizer, data, 0, end, count)
            encoded += end
            at = stop
            block = _BLOCK
        self._used = at
        self._text_bytes = encoded
        return count

    def _encode_sections(self, data: bytes, allowed: frozenset[str]) -> i64:
        """Encodes a text that must first be divided, with the special tokens ``allowed``."""
        self._text_bytes = len(data) - PADDING
        sections = self._preparation.sections(data, len(data) - PADDING, allowed)
        pre_tokenizer = cutter_for(self.model, sections.pre_tokenizer)
        size: i64 = sections.text.size
        count: i64 = 0
        for start, stop, token in sections.regions:
            if token < 0:
                count = self._encode_section(pre_tokenizer, sections.text.data, start, stop, count)
            else:
                count = self._make_room(count, 1, start, size)
                self._out[count] = i32(token)
                count += 1
        return count

    def _encode_section(
        self, pre_tokenizer: PreTokenizer, data: bytes, start: i64, stop: i64, count: i64
    ) -> i64:
        """Encodes ``data[start:stop]``; ``_out`` holds ``count`` ids before, and as many as returned after."""
        model = self.model
        words = self._words
        size: i64 = len(data)
        room = model.room
        per_byte = model.ids_per_byte
        if 0 < stop - start <= self._short:
            count = self._make_room(count, (stop - start) * per_byte, start, size)
            return model.encode_short(data, start, stop, self._out, count)
        words.data = data
        words.start = start
        while words.start < stop:
            words.stop = pre_tokenizer.cut(data, words.start, stop, words.ends, words.rules)
            if words.stop == 0:  # a row of words is longer
                words.ends = vec[i32]([0] * (2 * len(words.ends)))
                words.rules = vec[u8]([0] * (2 * len(words.rules)))
                continue
            words.first = 0
            end: i64 = i64(words.ends[words.stop - 1])
            while words.first < words.stop:
                before = words.start
                needed = (end - before) * per_byte
                if words.stop == 1 and needed > room:
                    needed = room
                count = self._make_room(count, needed, before, size)
                count = model.encode_words(words, self._out, count)
                pending = model.take_pending()
                if pending is not None:
                    while not pending.step(_PATIENT, None):
                        pass
                    needed = (pending.stop - pending.start) * per_byte
                    count = self._make_room(count, needed, words.start, size)
                    count = pending.write(self._out, count)
                    if words.start == i64(words.ends[words.first]):
                        words.first += 1
                elif words.start == before and words.first < words.stop:
                    room = _PATIENT  # the model found no place to stop
        return count

    def _make_room(self, count: i64, needed: i64, position: i64, size: i64) -> i64:
        """Makes room for more ids in ``_out`` and returns its size; the ids in it are gathered first.

        They are those up to byte ``position`` of ``size``.
        """
        if count + needed > len(self._out):
            if len(self._out) >= _ROOM:
                self._gathered.add(self._out, count, position, size)
                count = 0
            if count + needed > len(self._out):
                self._out = grown(self._out, count, count + needed)
        return count

    def _release(self) -> None:
        """Releases the text, and the room that a long word took."""
        self._words.data = b""
        if len(self._out) > _KEPT:
            self._out = vec[i32]([0] * 1024)


def _start_of(match: AddedMatch) -> int:
    return match.start
