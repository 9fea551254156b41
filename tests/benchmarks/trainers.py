"""The trainers: each learns a vocabulary from a file, and then counts the tokens that a text takes with it.

This is also the script of the process that one training has for itself, so it imports little.

All cut texts as GPT-2 does (gigatoken knows no other pattern), count bytes, and may use two threads.
tokenizers reads files line by line, so that none of its pieces holds the blanks on both sides of a line
end; given longer texts, it was no faster and took more memory. SuperBPE is our own second stage, beside our
own BPE: the last tenth of its merges goes across words. SentencePiece is another kind: it cuts at blanks, begins with the characters of
the text rather than with bytes (those only replace rare characters), and normalizes. It is what its users
get, not the same job.

The other algorithms are compared with the library that they come from, with the same options.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import limit_threads, peak_memory, timed

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
DOCUMENT = 1_000_000  # characters; for trainers that take texts rather than files
THREADS = 2
DEV = 40  # of so many characters of a language, one is compared on instead of trained on

Learned = tuple[int, Callable[[str], int]]
"""The size of the vocabulary, and how many tokens a text takes with it."""


@dataclass(frozen=True)
class Trainer:
    """One that trains. ``train`` is timed; ``learned`` turns what it returned into what is compared."""

    algorithm: str
    name: str
    module: str
    train: Callable[[Path, int], Any]
    learned: Callable[[Any], Learned]
    about: str
    entries: Callable[[Any], list[bytes]] | None = None
    """All entries in the order of their ids, where they are compared."""


def _documents(path: Path) -> Iterator[str]:
    """Yields the file in texts of about a megabyte, cut where a line begins with a letter."""
    lines: list[str] = []
    size = 0
    with path.open(encoding="utf-8", newline="") as file:
        for line in file:
            if size >= DOCUMENT and line[0].isalpha():
                yield "".join(lines)
                lines.clear()
                size = 0
            lines.append(line)
            size += len(line)
    yield "".join(lines)


def _by_tiktoken(pieces: list[bytes]) -> Learned:
    """Returns what is learned where a peer gives pieces only: tiktoken encodes with them."""
    import tiktoken

    ranks: dict[bytes, int] = {}
    for piece in pieces:
        ranks.setdefault(piece, len(ranks))
    encoding = tiktoken.Encoding(
        "trained", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
    return len(pieces), lambda text: len(encoding.encode_ordinary(text))


def _tokenarium(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    return tc.train("bpe", vocab_size=size, files=[path], pattern="gpt2")


def _tokenarium_entries(tokenizer: Any) -> list[bytes]:
    vocabulary = tokenizer.vocabulary
    return [vocabulary.piece(token) for token in range(len(vocabulary))]


def _superbpe(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    return tc.train("superbpe", vocab_size=size, files=[path], pattern="gpt2")


def _boundless(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    return tc.train("boundless-bpe", vocab_size=size, files=[path], pattern="gpt2")


def _picky(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    return tc.train("picky-bpe", vocab_size=size, files=[path], pattern="gpt2")


def _tokenarium_learned(tokenizer: Any) -> Learned:
    return len(tokenizer.vocabulary), lambda text: len(tokenizer.encode_buffer(text))


def _languages(path: Path) -> dict[str, str]:
    """Returns the texts of a folder by language, each without the end that the languages are compared on."""
    return {one.stem: one.read_bytes().decode() for one in sorted(path.glob("*.txt"))}


def _compared(texts: dict[str, str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Returns what each language is trained on, and the last part of it, on which the languages are compared."""
    cuts = {name: len(text) - len(text) // DEV for name, text in texts.items()}
    train = {name: [text[: cuts[name]]] for name, text in texts.items()}
    return train, {name: [text[cuts[name] :]] for name, text in texts.items()}


def _tokenarium_parity(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    train, dev = _compared(_languages(path))
    return tc.train("parity-bpe", train, dev=dev, vocab_size=size, pattern="gpt2")


def _tokenarium_of_languages(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    train, _ = _compared(_languages(path))
    texts = [text for of_it in train.values() for text in of_it]
    return tc.train("bpe", texts, vocab_size=size, pattern="gpt2")


def _tokenizers_parity(path: Path, size: int) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.ParityBpeTrainer(  # type: ignore[attr-defined]
        num_merges=size - 256,
        min_frequency=2,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    train, dev = _compared(_languages(path))
    trainer.train_from_iterator(
        tokenizer, [iter(one) for one in train.values()], [iter(one) for one in dev.values()]
    )
    return tokenizer


def _tokenarium_sentencepiece(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    return tc.train("sentencepiece-bpe", vocab_size=size, files=[path], byte_fallback=True)


def _tokenarium_unigram(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    return tc.train("unigram", vocab_size=size, files=[path], byte_fallback=True)


def _tokenarium_wordpiece(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    return tc.train("wordpiece", vocab_size=size, files=[path])


def _tokenarium_by_line(tokenizer: Any) -> Learned:
    def count(text: str) -> int:
        return sum(len(tokenizer.encode_ids(line)) for line in text.splitlines())

    return len(tokenizer.vocabulary), count


def _tokenizers(path: Path, size: int) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train([str(path)], trainer)
    return tokenizer


def _tokenizers_entries(tokenizer: Any) -> list[bytes]:
    return _of_byte_characters(tokenizer.get_vocab())


def _of_byte_characters(vocabulary: dict[str, int]) -> list[bytes]:
    """Returns entries that are written in GPT-2's characters for bytes, in the order of their ids."""
    from tokenarium_core.unicode.byte_alphabet import to_bytes

    return list(map(to_bytes, sorted(vocabulary, key=vocabulary.__getitem__)))


def _gigabpe(path: Path, size: int) -> Any:
    import gigabpe

    vocabulary, _ = gigabpe.train_bpe(
        [str(path)], size, pretokenizer="bytelevel", min_frequency=2, threads=THREADS
    )
    return vocabulary


def _gigabpe_learned(vocabulary: Any) -> Learned:
    return _by_tiktoken(_of_byte_characters(vocabulary))


def _tokenizers_wordpiece(path: Path, size: int) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=2,
        limit_alphabet=1000,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        show_progress=False,
    )
    tokenizer.train([str(path)], trainer)
    return tokenizer


def _tokenizers_learned(tokenizer: Any) -> Learned:
    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    return tokenizer.get_vocab_size(), count


def _sentencepiece(path: Path, size: int, kind: str = "bpe") -> Any:
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "trained")
        sentencepiece.SentencePieceTrainer.train(
            input=str(path),
            model_prefix=prefix,
            model_type=kind,
            vocab_size=size,
            byte_fallback=True,
            character_coverage=0.9995,
            max_sentence_length=1 << 20,  # bytes; longer lines would be left out
            num_threads=THREADS,
            minloglevel=2,
        )
        return sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")


def _sentencepiece_unigram(path: Path, size: int) -> Any:
    return _sentencepiece(path, size, "unigram")


def _sentencepiece_learned(processor: Any) -> Learned:
    def count(text: str) -> int:
        return sum(map(len, processor.encode(text.splitlines())))

    return processor.get_piece_size(), count


def _ffbpe(path: Path, size: int) -> Any:
    from ffbpe import BpeTrainer, PreTokenizer

    counter = PreTokenizer([]).word_counter()
    counter.add_source(_documents(path))
    trainer = BpeTrainer([], unit="byte", bigram_cutoff_freq=2)
    trainer.add_word_counter(counter)
    trainer.train(size)
    return trainer


def _ffbpe_entries(trainer: Any) -> list[bytes]:
    vocabulary = trainer.vocab
    return sorted(vocabulary, key=vocabulary.__getitem__)


def _ffbpe_learned(trainer: Any) -> Learned:
    return _by_tiktoken(_ffbpe_entries(trainer))


def _gigatoken(path: Path, size: int) -> Any:
    import gigatoken

    return gigatoken.train_bpe(path, size, [])


def _gigatoken_learned(trained: Any) -> Learned:
    vocabulary, _ = trained
    return _by_tiktoken([vocabulary[index] for index in sorted(vocabulary)])


def _rustbpe(path: Path, size: int) -> Any:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(_documents(path), vocab_size=size, pattern=PATTERN)
    return tokenizer


def _rustbpe_learned(tokenizer: Any) -> Learned:
    ranks = sorted(tokenizer.get_mergeable_ranks(), key=lambda item: item[1])
    return _by_tiktoken([bytes(piece) for piece, _ in ranks])


BYTES = "bytes"

BPE = "bpe"
SENTENCEPIECE = "sentencepiece-bpe"
WORDPIECE = "wordpiece"
UNIGRAM = "unigram"
PARITY = "parity-bpe"

TRAINERS = (
    Trainer(BPE, "tokenarium", "tokenarium_core", _tokenarium, _tokenarium_learned, BYTES, _tokenarium_entries),
    Trainer(BPE, "superbpe", "tokenarium_core", _superbpe, _tokenarium_learned, "bytes, then words, ours"),
    Trainer(BPE, "boundless-bpe", "tokenarium_core", _boundless, _tokenarium_learned, "bytes and words, ours"),
    Trainer(BPE, "picky-bpe", "tokenarium_core", _picky, _tokenarium_learned, "bytes, some removed, ours"),
    Trainer(BPE, "tokenizers", "tokenizers", _tokenizers, _tokenizers_learned, "bytes, line by line", _tokenizers_entries),
    Trainer(BPE, "sentencepiece", "sentencepiece", _sentencepiece, _sentencepiece_learned, "characters"),
    Trainer(BPE, "ffbpe", "ffbpe", _ffbpe, _ffbpe_learned, BYTES, _ffbpe_entries),
    Trainer(BPE, "gigabpe", "gigabpe", _gigabpe, _gigabpe_learned, "bytes, line by line", _of_byte_characters),
    Trainer(BPE, "gigatoken", "gigatoken", _gigatoken, _gigatoken_learned, BYTES),
    Trainer(BPE, "rustbpe", "rustbpe", _rustbpe, _rustbpe_learned, BYTES),
    Trainer(PARITY, "tokenarium", "tokenarium_core", _tokenarium_parity, _tokenarium_learned, BYTES, _tokenarium_entries),
    Trainer(PARITY, "bpe", "tokenarium_core", _tokenarium_of_languages, _tokenarium_learned, "bytes, all as one"),
    Trainer(PARITY, "tokenizers", "tokenizers", _tokenizers_parity, _tokenizers_learned, BYTES, _tokenizers_entries),
    Trainer(
        SENTENCEPIECE,
        "tokenarium",
        "tokenarium_core",
        _tokenarium_sentencepiece,
        _tokenarium_by_line,
        "characters",
    ),
    Trainer(SENTENCEPIECE, "sentencepiece", "sentencepiece", _sentencepiece, _sentencepiece_learned, "characters"),
    Trainer(WORDPIECE, "tokenarium", "tokenarium_core", _tokenarium_wordpiece, _tokenarium_learned, "characters"),
    Trainer(WORDPIECE, "tokenizers", "tokenizers", _tokenizers_wordpiece, _tokenizers_learned, "characters"),
    Trainer(UNIGRAM, "tokenarium", "tokenarium_core", _tokenarium_unigram, _tokenarium_by_line, "characters"),
    Trainer(UNIGRAM, "sentencepiece", "sentencepiece", _sentencepiece_unigram, _sentencepiece_learned, "characters"),
)  # fmt: skip


def main(algorithm: str, name: str, train: str, test: str, size: str) -> None:
    """Prints time, peak memory, size of the vocabulary and bytes per token of one training, as JSON."""
    limit_threads(THREADS)
    trainer = next(one for one in TRAINERS if (one.algorithm, one.name) == (algorithm, name))
    importlib.import_module(trainer.module)
    before = peak_memory()
    trained, timing = timed(lambda: trainer.train(Path(train), int(size)))
    peak = peak_memory()
    reached, count = trainer.learned(trained)
    text = Path(test).read_bytes().decode("utf-8")
    answer = {
        "timing": timing,
        "peak": peak,
        "peak_before": before,
        "vocabulary": reached,
        "bytes_a_token": len(text.encode()) / count(text),
        "about": trainer.about,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
