"""More entries: BPE goes on from the merges that a tokenizer has, on other texts or for a list of words.

The new merges come after all old ones. A text is merged by the old ones first, as far as they go, and then nothing but a
new merge can be made of it. So its ids change only where it gets a new entry: all others keep theirs, and every old id
keeps its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any, Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.changing.special_tokens import CHANGES, library_of
from tokenarium_core.details import Detail, Source
from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE, Template
from tokenarium_core.errors import ArgumentError, FormatError, NotAvailable
from tokenarium_core.formats import tokenarium_format
from tokenarium_core.formats.hf import hf_format
from tokenarium_core.formats.sentencepiece import sentencepiece_format
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import VARINT, varint
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.merger import MergeColumns, MergeRules
from tokenarium_core.training.merging.segmentation import CountedWords, WordSegmentation
from tokenarium_core.vocabulary import BYTE, MAX_IDS, NORMAL

MOST_WORDS: Final = 1_000_000
"""The most words of a list: each may need several entries."""

_VOCAB_SIZE: Final = 4
"""The field of SentencePiece's ``TrainerSpec`` with the number of entries (``src/sentencepiece_model.proto``)."""

_SPACE: Final = 0x20


@final
class NewEntry:
    """An entry that is added: its id, its bytes, the two ids that merge into it.

    ``count``: how often they were side by side in the texts, 0 for an entry of a list; ``saved``: how many tokens fewer
    the texts take with it than without it.
    """

    def __init__(
        self, id: int, piece: bytes, left: int, right: int, count: int, saved: int
    ) -> None:
        self.id = id
        self.piece = piece
        self.left = left
        self.right = right
        self.count = count
        self.saved = saved

    def __repr__(self) -> str:
        return f"<NewEntry {self.id}: {self.left} + {self.right}, saves {self.saved:,}>"


@final
class ChangedWord:
    """A word of the texts whose ids change: how often it is there, its old ids and its new ones."""

    def __init__(self, count: int, old: list[int], new: list[int]) -> None:
        self.count = count
        self.old = old
        self.new = new

    def __repr__(self) -> str:
        return f"<ChangedWord {self.count:,} times: {self.old} -> {self.new}>"


@final
class _IdWords(CountedWords):
    """The different words of texts as ids, the most frequent first."""

    def __init__(self, words: list[tuple[int, tuple[int, ...]]]) -> None:
        self._words = words

    def symbol_count(self) -> i64:
        total: i64 = 0
        for less, ids in self._words:
            total -= i64(less) * len(ids)
        return total

    def slots_by_count(self) -> vec[i32]:
        slots = vec[i32]([0] * len(self._words))
        for place in range(len(self._words)):
            slots[place] = i32(place)
        return slots

    def count_of(self, slot: i64) -> i64:
        return -i64(self._words[slot][0])

    def size_of(self, slot: i64) -> i64:
        return len(self._words[slot][1])

    def write(self, slot: i64, symbols: vec[i32], at: i64) -> i64:
        ids = self._words[slot][1]
        for id in ids:
            symbols[at] = i32(i64(id))
            at += 1
        return len(ids)


@final
class _NewPieces(MergeRules):
    """Which ids may be joined: those of text, to bytes that are no entry yet, with a space only at the beginning."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        vocabulary = tokenizer.vocabulary
        model = tokenizer.model
        self._by_bytes = isinstance(model, BytePairEncoder)
        special = {token.id for token in tokenizer.added_tokens.tokens}
        self.pieces: list[bytes] = []
        self._known: set[bytes] = set()
        for id in range(len(vocabulary)):
            kind: i64 = i64(vocabulary.kinds[id])
            piece = vocabulary.piece(id)
            if piece:
                self._known.add(piece)
            text = kind == NORMAL or (kind == BYTE and self._by_bytes)
            self.pieces.append(piece if text and id not in special else b"")

    def joined(self, left: i64, right: i64) -> bytes:
        """Returns the bytes of two ids, or none if they may not be joined."""
        first = self.pieces[left]
        second = self.pieces[right]
        if not first or not second:
            return b""
        if not self._by_bytes and (i64(second[0]) == _SPACE or _SPACE in first[1:]):
            return b""  # a word of SentencePiece has its space in front
        joined = first + second
        return b"" if joined in self._known else joined

    def allow(self, left: i64, right: i64) -> bool:
        return len(self.joined(left, right)) > 0

    def add(self, left: i64, right: i64) -> None:
        joined = self.pieces[left] + self.pieces[right]
        self.pieces.append(joined)
        self._known.add(joined)


@final
class Extension:
    """New merges for a tokenizer, found on texts: ``step`` until the progress is "finished", or give it ``words``.

    ``added`` are the `NewEntry` so far, in the order of their merges; ``tokens`` is what the texts cost before them.
    `tokenizer` makes the file with any number of them.

    A pair is merged that is most frequent, the one with the smallest ids of several; none that occurs fewer than
    ``min_frequency`` times. A new entry is no older one, and never crosses a cut of the pre-tokenizer; in SentencePiece's
    models a space is at its beginning or nowhere. A training of byte-level BPE goes on as if it had not stopped; that of
    SentencePiece counts only some of the pairs at a time, and may have taken another of two that are nearly as frequent.

    Raises NotAvailable for a model that does not merge, ArgumentError for a size that cannot be.
    """

    def __init__(
        self, tokenizer: Tokenizer, count: int, texts: Iterable[str] = (), min_frequency: int = 2
    ) -> None:
        _check_model(tokenizer)
        size: i64 = len(tokenizer.vocabulary)
        if count < 1 or size + count > MAX_IDS:
            raise ArgumentError(
                f"{count:,} entries cannot be added to {size:,}: give 1 to {int(MAX_IDS - size):,}."
            )
        self.old = tokenizer
        self.added: list[NewEntry] = []
        self.tokens = 0
        self.finished = False
        self._texts = iter(texts)
        self._characters = 0
        self._count: i64 = count
        self._min_frequency: i64 = max(min_frequency, 1)
        self._size = size
        self._rules = _NewPieces(tokenizer)
        self._words: dict[tuple[int, ...], int] = {}
        self._sorted: list[tuple[int, tuple[int, ...]]] = []
        self._merges = MergeColumns(count)
        self._merger: BpeMerger | None = None
        self._ranks: dict[tuple[int, int], int] = {}

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds; the progress counts characters, then merges."""
        end = perf_counter() + budget_ms / 1000
        while not self.finished and perf_counter() < end:
            merger = self._merger
            if merger is None:
                text = next(self._texts, None)
                if text is not None:
                    self._read(text)
                else:
                    self._begin()
            elif merger.done:
                self._take_merges()
            else:
                merger.advance()
        if self._merger is None:
            return Progress("reading", self._characters, 0, False)
        return Progress("merging", self._merges.made, int(self._count), self.finished)

    def run(self) -> None:
        """Works to the end."""
        while not self.finished:
            self.step(1e9)

    @property
    def report(self) -> str:
        """One sentence if the texts gave fewer entries than asked for, else empty."""
        if not self.finished or len(self.added) == self._count:
            return ""
        return (
            f"The texts gave {len(self.added):,} of {int(self._count):,} entries: no other pair is in them"
            f" {int(self._min_frequency):,} times or more."
        )

    def changed_words(self, most: int = 100) -> list[ChangedWord]:
        """Returns words of the texts whose ids change, the most frequent first: no others do."""
        found: list[ChangedWord] = []
        for less, ids in self._sorted:
            new = self._merged(list(ids))
            if len(new) < len(ids):
                found.append(ChangedWord(-less, list(ids), new))
                if len(found) == most:
                    break
        return found

    def add_words(self, words: Sequence[str]) -> None:
        """Adds the merges that make each of these words one token, as it is after a cut: with its space, if it has one.

        A word that is one token already needs none; steps to longer ones are shared. Raises ArgumentError for a word
        that the pre-tokenizer cuts, or that has characters without entries.
        """
        if len(words) > MOST_WORDS:
            raise ArgumentError(
                f"The list has {len(words):,} words: at most {MOST_WORDS:,} are taken."
            )
        for word in words:
            ids = self._ids_of(word)
            while len(ids) > 1:
                left = ids[0]
                right = ids[1]
                if not self._rules.joined(left, right):
                    raise ArgumentError(
                        f"{word!r} cannot be one token: {self._shown(left)!r} and {self._shown(right)!r} are not joined, as"
                        " one is no text, or both together are an entry that other merges make."
                    )
                if len(self.added) == self._count:
                    raise ArgumentError(
                        f"The words need more than the {int(self._count):,} entries that may be added."
                    )
                self._add(left, right, 0, 0)
                ids = self._merged(ids)
        self.finished = True

    def tokenizer(self, name: str = "", count: int | None = None) -> Tokenizer:
        """Returns the tokenizer with the first ``count`` new entries, or all, made in the file that its library reads.

        Raises ArgumentError where that file cannot hold them.
        """
        added = self.added if count is None else self.added[:count]
        if not added:
            raise ArgumentError(f"There is nothing to add to {self.old.name}.")
        made = _with_entries(self.old, added, name or self.old.name)
        made.details.append(
            Detail(CHANGES, "extended", f"{len(added):,} entries added to {int(self._size):,}")
        )
        return made

    def _shown(self, id: i64) -> str:
        return self._rules.pieces[id].decode("utf-8", "replace") or f"id {id}"

    def _read(self, text: str) -> None:
        """Counts the words of a text, as the ids that they have so far."""
        encoding = self.old.encode(text)
        self._characters += len(text)
        words = self._words
        names = encoding.pre_tokens.names
        by_space = not isinstance(self.old.model, BytePairEncoder)
        arena = self._rules.pieces
        total: i64 = len(encoding.ids)
        self.tokens += int(total)
        at: i64 = 0
        for word in range(len(encoding.pre_tokens.ends)):
            stop: i64 = i64(encoding.pre_tokens.ends[word])
            rule = names[i64(encoding.pre_tokens.rules[word])]
            first = at
            while at < total and i64(encoding.places[at * 2]) < stop:
                at += 1
            if rule == ADDED_RULE or rule == SPECIAL_RULE or at == first:
                continue
            ids: list[int] = []
            for place in range(first, at):
                id: i64 = i64(encoding.ids[place])
                if by_space and ids and arena[id][:1] == b" ":
                    key = tuple(ids)
                    words[key] = words.get(key, 0) + 1
                    ids = []
                ids.append(id)
            key = tuple(ids)
            words[key] = words.get(key, 0) + 1

    def _begin(self) -> None:
        for ids, times in self._words.items():
            self._sorted.append((-times, ids))
        self._sorted.sort()
        self._words = {}
        words = WordSegmentation(_IdWords(self._sorted), self._size + self._count)
        self._merger = BpeMerger(
            words, self._merges, self._count, self._min_frequency, self._rules, self._size
        )

    def _take_merges(self) -> None:
        """Notes what was merged, once all is."""
        merges = self._merges
        before: i64 = self.tokens
        self._rules = _NewPieces(self.old)  # which `_add` fills again
        for number in range(merges.made):
            after: i64 = merges.token_counts[number]
            self._add(
                i64(merges.lefts[number]),
                i64(merges.rights[number]),
                merges.pair_counts[number],
                before - after,
            )
            before = after
        self.finished = True

    def _add(self, left: i64, right: i64, count: int, saved: int) -> None:
        id = self._size + len(self.added)
        self._rules.add(left, right)
        self._ranks[(left, right)] = len(self.added)
        self.added.append(NewEntry(id, self._rules.pieces[id], left, right, count, saved))

    def _merged(self, ids: list[int]) -> list[int]:
        """Returns ids after the new merges: the first one that there is, from left to right, again and again."""
        while len(ids) > 1:
            best = len(self.added)
            for place in range(len(ids) - 1):
                rank = self._ranks.get((ids[place], ids[place + 1]), best)
                if rank < best:
                    best = rank
            if best == len(self.added):
                break
            entry = self.added[best]
            joined: list[int] = []
            place = 0
            while place < len(ids):
                if (
                    place + 1 < len(ids)
                    and ids[place] == entry.left
                    and ids[place + 1] == entry.right
                ):
                    joined.append(entry.id)
                    place += 2
                else:
                    joined.append(ids[place])
                    place += 1
            ids = joined
        return ids

    def _ids_of(self, word: str) -> list[int]:
        """Returns the ids of a word so far; ArgumentError if it is not one word."""
        if not word:
            raise ArgumentError("A word has at least one character.")
        encoding = self.old.encode(word)
        if word[0] == " " and isinstance(self.old.model, CharacterBpe):
            bare = self.old.encode(word[1:])
            if len(bare) and self._rules.pieces[i64(bare.ids[0])][:1] == b" ":
                encoding = bare  # the model puts a space in front of a text by itself
        found = 0
        for number in range(len(encoding.pre_tokens.ends)):
            if i64(encoding.pre_tokens.rules[number]) != encoding.pre_tokens.removed:
                found += 1
        if found > 1:
            raise ArgumentError(
                f"{word!r} cannot be one token: {self.old.name} cuts it before it merges. A space belongs in front of a"
                " word, if anywhere."
            )
        ids = [int(i64(id)) for id in encoding.ids]
        for id in ids:
            if not self._rules.pieces[id]:
                raise ArgumentError(
                    f"{word!r} cannot be one token: it has a character without an entry, or a special token."
                )
        return self._merged(ids)


def extend(
    tokenizer: Tokenizer, texts: Iterable[str], count: int, min_frequency: int = 2
) -> Tokenizer:
    """Returns a tokenizer with up to ``count`` more entries, by going on with BPE on texts; see `Extension`.

    Each text is a document of its own. All old ids keep their bytes, and a text keeps its ids unless it gets a new entry.
    `Tokenizer.details` of the group `CHANGES` say what was added.
    """
    extension = Extension(tokenizer, count, texts, min_frequency)
    extension.run()
    return extension.tokenizer()


def extend_with(tokenizer: Tokenizer, words: Sequence[str]) -> Tokenizer:
    """Returns a tokenizer in which each of these words is one token, with the merges that they need."""
    extension = Extension(tokenizer, int(MAX_IDS) - len(tokenizer.vocabulary))
    extension.add_words(words)
    return extension.tokenizer()


def _check_model(tokenizer: Tokenizer) -> None:
    model = tokenizer.model
    if isinstance(model, BytePairEncoder):
        return
    if isinstance(model, CharacterBpe):
        if isinstance(model.source, SentencePieceSymbols) and not len(model.merges.splits):
            return
        raise NotAvailable(
            f"{tokenizer.name} merges characters by a list of its own, or has unused entries: it is not extended."
        )
    if isinstance(model, Unigram):
        raise NotAvailable(
            "Unigram does not merge: more pieces would change the best path of any text. Train it again with the pieces"
            " that are wanted."
        )
    if isinstance(model, WordPiece):
        raise NotAvailable(
            "WordPiece takes the longest entry that fits: a new one would cut other words in another way too."
        )
    raise NotAvailable("This model looks up whole words or characters: it does not merge.")


def _with_entries(old: Tokenizer, added: list[NewEntry], name: str) -> Tokenizer:
    library = library_of(old)
    if library == "tokenizers":
        made = _in_json(old, added)
    elif library == "sentencepiece":
        made = _in_model(old, added)
    else:
        made = _in_ranks(old, added)
    _check(old, made, added)
    made.name = name
    made.source = Source(old.source.format, "")
    made.details = [one for one in made.details if one.group != CHANGES]
    made.details += [one for one in old.details if one.group == CHANGES]
    return made


def _in_ranks(old: Tokenizer, added: list[NewEntry]) -> Tokenizer:
    content = tokenarium_format.content_of_tokenizer(old)
    pieces: list[str | None] = content["pieces"]
    texts: list[str | None] = list(pieces)
    for entry in added:
        while len(texts) < entry.id:
            texts.append(None)
        left = texts[entry.left]
        right = texts[entry.right]
        if left is None or right is None:
            raise ArgumentError(f"{old.name} has an entry without text: it cannot be extended.")
        texts.append(left + right)
        if content["merges"] is not None:
            content["merges"].append(f"{left} {right}")
    content["pieces"] = texts
    made = tokenarium_format.tokenizer_of_content(content, old.name)
    template = old.template
    if template is not None:
        made.template = Template(template.name, list(template.before), list(template.after))
    made.details = list(old.details)
    return made


def _in_model(old: Tokenizer, added: list[NewEntry]) -> Tokenizer:
    source = old.name
    content = sentencepiece_format.model_content(old.vocabulary, old.stored)
    pieces, _, _ = sentencepiece_format.raw_pieces(content, source)
    lowest = 0.0
    for _, score, _ in pieces:
        lowest = min(lowest, score)
    if lowest - len(added) <= -(1 << 24):
        raise ArgumentError(
            f"The scores of {old.name} leave no room below them: 32-bit numbers cannot tell the new ones apart."
        )
    rows = list(pieces)
    for place, entry in enumerate(added):
        while len(rows) < entry.id:
            raise ArgumentError(f"{old.name} has ids without entries: it cannot be extended.")
        text = rows[entry.left][0] + rows[entry.right][0]
        rows.append((text, lowest - 1 - place, 1))
    stored = dict(old.stored)
    stored["trainer_spec"] += varint(_VOCAB_SIZE << 3 | VARINT) + varint(len(rows))
    content = sentencepiece_format.content_of_pieces(rows, stored)
    return sentencepiece_format.read_sentencepiece(content, source, old.name)


def _in_json(old: Tokenizer, added: list[NewEntry]) -> Tokenizer:
    content = next(iter(hf_format.FORMAT.write(old, old.name).values()))
    file: dict[str, Any] = json.loads(content)
    model = file["model"]
    vocab = model["vocab"]
    # A token that only the list of added ones has would get the id after the last entry, which is another one now.
    for token in file["added_tokens"]:
        if token["content"] not in vocab:
            vocab[token["content"]] = token["id"]
    texts = {id: text for text, id in vocab.items()}
    for entry in added:
        left, right = texts[entry.left], texts[entry.right]
        if left + right in vocab:
            raise ArgumentError(f"{old.name} has an entry {left + right!r} already.")
        vocab[left + right] = entry.id
        texts[entry.id] = left + right
        model["merges"].append([left, right])
    text = json.dumps(file, ensure_ascii=False).encode()
    try:
        return hf_format.read_huggingface(text, old.name)
    except FormatError as error:
        raise ArgumentError(f"The file of {old.name} cannot hold this change: {error}") from error


def _check(old: Tokenizer, new: Tokenizer, added: list[NewEntry]) -> None:
    """Raises ArgumentError if an old id has other bytes, or a new one not its own."""
    for id in range(len(old.vocabulary)):
        if old.vocabulary.piece(id) != new.vocabulary.piece(id):
            raise ArgumentError(
                f"With these entries the entry {id} would become another one: {old.name} cannot be extended."
            )
    for name, id in old.special_tokens.items():
        if new.special_tokens.get(name) != id:
            raise ArgumentError(f"With these entries {name!r} would lose its id {id}.")
    for entry in added:
        if new.vocabulary.piece(entry.id) != entry.piece:
            raise ArgumentError(
                f"The new entry {entry.piece!r} would not get the id {entry.id}: {old.name} cannot be extended."
            )
