"""The texts that large corpora are made of: new words come in them as in real text."""

import hashlib
import sysconfig
from pathlib import Path

import pytest
from growing_text import GrowingText, interleaved, write

from tokenarium_core.training.word_counts import count

SIZE = 8_000_000


@pytest.fixture(scope="module")
def library() -> str:
    """Returns this Python's own library in an order that has nothing to do with its folders."""
    folder = Path(sysconfig.get_path("stdlib"))
    paths = [path for path in folder.rglob("*.py") if "site-packages" not in path.parts]
    paths.sort(
        key=lambda path: hashlib.sha256(path.relative_to(folder).as_posix().encode()).digest()
    )
    texts = []
    size = 0
    for path in paths:
        texts.append(path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n") + "\n")
        size += len(texts[-1].encode())
        if size > SIZE:
            return "".join(texts)
    pytest.skip(f"Python's library has only {size:,} bytes here")


def different(data: bytes) -> int:
    return len(count("bpe", [data.decode("utf-8", "ignore")], pattern="gpt2"))


@pytest.mark.slow
def test_new_words_come_as_in_a_real_corpus_and_go_on_beyond_what_was_seen_of_it(library: str):
    """A quarter of a real text makes one as long as all of it, with as many different words at every size."""
    real = library.encode()
    made = b"".join(GrowingText(real[: SIZE // 4].decode("utf-8", "ignore")).blocks(SIZE))
    for size in (SIZE // 8, SIZE // 4, SIZE // 2, SIZE):
        assert different(made[:size]) == pytest.approx(different(real[:size]), rel=0.2)


def test_far_beyond_the_real_text_the_words_grow_by_its_law(library: str):
    text = GrowingText(library[: SIZE // 16])
    sizes = (SIZE // 2, SIZE * 2)
    made = b"".join(text.blocks(sizes[1]))
    found = [different(made[:size]) for size in sizes]
    for size, number in zip(sizes, found, strict=True):
        assert number == pytest.approx(text.growth.at(size), rel=0.25)
    # A copy of the text has no new words after its end.
    copied = library[: SIZE // 16].encode() * 4
    assert different(copied) < found[0] / 2


def test_the_same_seed_gives_the_same_bytes(library: str, tmp_path: Path):
    text = GrowingText(library[:1_000_000])
    first, again, other = (b"".join(text.blocks(2_000_000, seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert write(text, 2_000_000, tmp_path / "text.txt", seed=3) == len(first)
    assert (tmp_path / "text.txt").read_bytes() == first


def test_the_text_is_valid_in_every_script_and_keeps_what_is_frequent():
    lines = [f"{word} ist 東京 और नमस्ते {word[::-1]}\n" for word in map(spelled, range(3000))]
    made = b"".join(GrowingText("".join(lines)).blocks(300_000)).decode()
    assert made.count(" ist 東京 और") == made.count("\n")


def spelled(number: int) -> str:
    return "".join(chr(97 + number // 26**place % 26) for place in range(4))


def test_several_texts_are_mixed_in_their_proportion():
    mixed = interleaved(["a\n" * 400_000, "b\n" * 200_000])
    half = mixed[: len(mixed) // 2]
    assert half.count("a") == pytest.approx(2 * half.count("b"), rel=0.1)
    assert mixed.count("a") == 400_000


@pytest.mark.parametrize(
    ("text", "reason"), [("a few words\n", "short"), ("1 2 3\n" * 99_999, "rare")]
)
def test_a_text_that_shows_no_growth_is_refused(text: str, reason: str):
    with pytest.raises(ValueError, match=reason):
        GrowingText(text)
