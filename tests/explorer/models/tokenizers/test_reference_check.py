"""Checking against a reference: the real libraries, and made-up ones that go wrong at each stage."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import sentencepiece_models
from hypothesis import given
from hypothesis import strategies as st
from other_files import rwkv_vocabulary
from small_files import write_file

import tokenarium_core as tc
from tokenarium.models.tokenizers import references
from tokenarium.models.tokenizers.reference_check import (
    CheckStage,
    Report,
    Request,
    check,
    check_file,
    first_difference,
    smallest,
)
from tokenarium.models.tokenizers.references import reference_for, spelled
from tokenarium_core.added_tokens import of_special
from tokenarium_core.details import Source
from tokenarium_core.formats.vocab_txt_format import vocabulary_of
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.pretokenizer import cut

TEXT = "Hello world, 1234 times.\n\tNaïve café 世界 🫩 <|endoftext|> don't\n" * 40


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of our own with a small tokenizer."""
    path = tmp_path_factory.mktemp("small") / "small.json"
    trained = tc.train("bpe", [TEXT], vocab_size=300, special_tokens=["<|endoftext|>"])
    trained.save(path)
    return path


class MadeUp:
    """A reference that gives our own answers, except what a test changes."""

    library = "made-up 1.0"
    finds_special = True

    def __init__(self, tokenizer: tc.Tokenizer, bent: str = "", by: str = "") -> None:
        self._tokenizer = tokenizer
        self._bent, self._by = bent, by

    def ids(self, text: str) -> Sequence[int]:
        if self._by == "normalizer":
            text = text.replace(self._bent, self._bent.upper())
        if self._by == "pre-tokens":
            parts = text.split(self._bent)
            ids: list[int] = []
            for place, part in enumerate(parts):
                ids += self._tokenizer.encode_ids(self._bent) if place else []
                ids += self._tokenizer.encode_ids(part)
            return ids
        if self._by == "added":
            return memoryview(self._tokenizer.encode(text, special="all").ids).tolist()
        ids = self._tokenizer.encode_ids(text)
        if self._by == "model":
            return [
                token
                for one in ids
                for token in (
                    list(self._tokenizer.vocabulary.piece(one))
                    if self.piece(one) == self._bent
                    else [one]
                )
            ]
        return ids

    def piece(self, token: int) -> str:
        return self._tokenizer.vocabulary.piece(token).decode("utf-8", "replace")

    def normalized(self, text: str) -> str | None:
        return text.replace(self._bent, self._bent.upper()) if self._by == "normalizer" else text

    def pre_tokens(self, text: str) -> list[str] | None:
        cuts = cut(self._tokenizer.pre_tokenizer, text)
        data = text.encode()
        ends = [0, *memoryview(cuts.ends).tolist()]
        pieces = [data[a:b].decode() for a, b in pairwise(ends)]
        if self._by == "pre-tokens":
            pieces = [part for piece in pieces for part in piece.partition(self._bent) if part]
        return pieces


def divergence(report: Report):  # type: ignore[no-untyped-def]
    assert report.divergence is not None
    return report.divergence


def test_equal_ids_are_reported_with_their_count(small: Path) -> None:
    tokenizer = tc.open(small)
    report = check(tokenizer, MadeUp(tokenizer), TEXT)
    assert report.divergence is None
    assert report.characters == len(TEXT)
    assert report.tokens == len(tokenizer.encode_ids(TEXT))
    assert report.library == "made-up 1.0"


@pytest.mark.parametrize(
    ("bent", "by", "stage"),
    [
        ("world", "normalizer", CheckStage.NORMALIZER),
        ("orl", "pre-tokens", CheckStage.PRE_TOKENS),
        ("world", "model", CheckStage.MODEL),
        ("", "added", CheckStage.ADDED_TOKENS),
    ],
)
def test_a_made_up_divergence_is_found_with_its_stage(
    small: Path, bent: str, by: str, stage: CheckStage
) -> None:
    tokenizer = tc.open(small)
    before = "é times " * 300
    if by == "model":  # the first piece of the word that is longer than a byte
        pieces = [tokenizer.vocabulary.piece(token) for token in tokenizer.encode_ids(" " + bent)]
        bent = next(piece.decode() for piece in pieces if len(piece) > 1)
    found = divergence(check(tokenizer, MadeUp(tokenizer, bent, by), before + TEXT))
    assert found.stage is stage
    word = bent.strip() or "<|endoftext|>"
    at = (before + TEXT).index(word)
    assert abs(found.character - at) <= len(word)
    assert found.byte == len((before + TEXT)[: found.character].encode())
    assert len(found.text) <= len(word) + 1
    assert found.our_stage != found.their_stage
    assert found.before == 3
    assert [token for token, _ in found.ours[:3]] == [token for token, _ in found.theirs[:3]]
    assert found.ours[3][0] != found.theirs[3][0]


def test_a_reference_that_stops_early_parts_at_the_end(small: Path) -> None:
    class Short(MadeUp):
        def ids(self, text: str) -> Sequence[int]:
            return super().ids(text)[:-2]

    tokenizer = tc.open(small)
    found = divergence(check(tokenizer, Short(tokenizer), TEXT))
    assert found.token == len(tokenizer.encode_ids(TEXT)) - 2
    assert len(found.theirs) == found.before


@pytest.mark.parametrize(
    ("ours", "theirs", "place"),
    [
        ([], [], None),
        ([1, 2], [1, 2], None),
        ([1, 2, 3], [1, 2], 2),
        ([], [1], 0),
        ([5, 2], [1, 2], 0),
        ([1] * 200_000, [1] * 199_999 + [2], 199_999),
        ([1] * 131_072, [1] * 131_073, 131_072),
    ],
)
def test_the_first_difference(ours: list[int], theirs: list[int], place: int | None) -> None:
    assert first_difference(ours, theirs) == place


@given(st.text(alphabet="abcxyz", max_size=300), st.text(alphabet="abcxyz", max_size=300))
def test_the_smallest_piece_is_what_differs(before: str, after: str) -> None:
    text = f"{before}!?{after}"
    assert smallest(text, len(before), lambda piece: "!?" in piece) == "!?"


def test_no_piece_may_differ_by_itself() -> None:
    assert smallest("abc" * 1000, 100, lambda piece: len(piece) == 3000) == "abc" * 1000
    assert smallest("abc" * 50_000, 100, lambda piece: len(piece) == 150_000) == ""


@pytest.mark.parametrize(
    ("piece", "alphabet", "text"),
    [("Ġthe", True, " the"), ("▁the", False, " the"), ("世", True, "世"), ("the", False, "the")],
)
def test_pre_tokens_are_spelled_as_text(piece: str, alphabet: bool, text: str) -> None:
    assert spelled(piece, alphabet) == text


# The libraries themselves.


def checked(request: Request) -> tuple[Report, list[str]]:
    phases: list[str] = []
    return check_file(lambda progress: phases.append(progress.phase), request), phases


@pytest.mark.parametrize("special", [False, True])
def test_our_own_format_is_checked_against_tiktoken(
    small: Path, tmp_path: Path, special: bool
) -> None:
    text = tmp_path / "text"
    text.write_text(TEXT, "utf-8", newline="")
    report, phases = checked(Request("Small", str(small), "", special, text))
    assert report.divergence is None
    assert report.library.startswith("tiktoken ")
    assert len(phases) == 4


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("special", [False, True])
def test_tiktokens_encodings(
    tiktoken_cache: Path, texts: dict[str, str], tmp_path: Path, name: str, special: bool
) -> None:
    text = tmp_path / "text"
    text.write_text(TEXT + texts["deu_1996"] + texts["jpn"], "utf-8", newline="")
    report, _ = checked(Request(name, name, "", special, text))
    assert report.divergence is None
    made = references.reference_for(tc.open(name), special)
    assert made.piece(0) == "!"


def test_a_file_of_ranks_with_a_pattern(tiktoken_cache: Path, tmp_path: Path) -> None:
    file = write_file(
        tmp_path / "ranks.tiktoken",
        (tiktoken_cache / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4").read_bytes(),
    )
    text = tmp_path / "text"
    text.write_text(TEXT, "utf-8", newline="")
    before = sorted(tiktoken_cache.iterdir())
    report, _ = checked(Request("ranks", str(file), "gpt2", False, text))
    assert report.divergence is None
    assert sorted(tiktoken_cache.iterdir()) == before


def test_openais_pair_by_any_names(data: Path, tmp_path: Path) -> None:
    folder = data / "tokenizers" / "gpt2"
    for name, before in (("", folder), ("small_", tmp_path)):
        path = before / f"{name}encoder.json"
        if name:
            path.write_bytes((folder / "encoder.json").read_bytes())
            path.with_name(f"{name}vocab.bpe").write_bytes((folder / "vocab.bpe").read_bytes())
        tokenizer = tc.open(path)
        reference = reference_for(tokenizer, False)
        assert reference.library.startswith("tiktoken ")
        assert check(tokenizer, reference, TEXT).divergence is None


@pytest.mark.parametrize("lowercase", [True, False])
def test_a_word_list_is_checked_against_tokenizers(tmp_path: Path, lowercase: bool) -> None:
    pytest.importorskip("tokenizers")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "Hello", "world", "##s", ","]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces) + "\n")
    tokenizer = tc.Tokenizer(
        "small",
        WordPiece(vocabulary_of(pieces), 1),
        BertPreTokenizer(),
        of_special({"[UNK]": 1}),
        normalizer=BertNormalizer(lowercase=lowercase),
    )
    tokenizer.source = Source("vocab.txt", str(tmp_path / "vocab.txt"))
    reference = reference_for(tokenizer, False)
    assert reference.library.startswith("tokenizers ")
    assert check(tokenizer, reference, "Hello, worlds hello xyz").divergence is None
    other = tc.Tokenizer(
        "other",
        tokenizer.model,
        BertPreTokenizer(),
        of_special({"[UNK]": 1}),
        normalizer=BertNormalizer(lowercase=not lowercase),
    )
    found = divergence(check(other, reference, "world world Hello world"))
    assert (found.stage, found.character) == (CheckStage.NORMALIZER, 12)


def test_tekken_is_tiktoken_after_the_special_tokens(tmp_path: Path) -> None:
    import base64

    pieces = [bytes([byte]) for byte in range(256)] + [b"he", b"ll", b"hell"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(piece).decode(), "token_str": None}
        for rank, piece in enumerate([*pieces, b"left out"])
    ]
    config = {
        "pattern": r"\s?\p{L}+|\s+|[^\s\p{L}]+",
        "default_num_special_tokens": 10,
        "default_vocab_size": 10 + len(pieces),
    }
    file = write_file(tmp_path / "tekken.json", json.dumps({"config": config, "vocab": vocab}))
    tokenizer = tc.train("bpe", ["x"], vocab_size=256)
    tokenizer.source = Source("tekken", str(file))
    reference = reference_for(tokenizer, False)
    assert reference.ids("hello") == [268, ord("o") + 10]
    assert reference.piece(268) == "hell"


@pytest.mark.parametrize("pattern", ["graphemes", r"\X"])
def test_a_pattern_that_tiktoken_does_not_take_is_named(pattern: str, tmp_path: Path) -> None:
    trained = tc.train("bpe", [TEXT], vocab_size=300, pattern=pattern)
    trained.save(tmp_path / "own.json")
    opened = tc.open(tmp_path / "own.json")
    assert opened.pre_tokenizer.name == "graphemes"
    with pytest.raises(tc.NotAvailable, match=r"does not accept its pattern: .*escape"):
        reference_for(opened, False)


def test_a_vocabulary_of_rwkv_is_checked_against_its_package(tmp_path: Path) -> None:
    (tmp_path / "rwkv_vocab.txt").write_bytes(rwkv_vocabulary())
    tokenizer = tc.open(tmp_path / "rwkv_vocab.txt")
    reference = reference_for(tokenizer, False)
    assert reference.library.startswith("rwkv ")
    assert check(tokenizer, reference, TEXT).divergence is None


def test_a_library_that_is_not_installed_is_named(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = tc.open(small)
    tokenizer.source = Source("huggingface", str(tmp_path / "tokenizer.json"))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(tc.NotAvailable, match=r"tokenarium\[reference\]"):
        references.reference_for(tokenizer, False)


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("name", ["mistral-v3.model", "gemma3.model"])
def test_sentencepiece_models(
    data: Path, texts: dict[str, str], tmp_path: Path, name: str, special: bool
) -> None:
    text = tmp_path / "text"
    text.write_text(TEXT + texts["jpn"] + "<s> <bos>", "utf-8", newline="")
    report, _ = checked(Request(name, str(data / "tokenizers" / name), "", special, text))
    assert report.divergence is None
    assert report.library.startswith("sentencepiece ")
    assert report.plainly is special


def test_sentencepiece(data: Path) -> None:
    path = data / "tokenizers" / "mistral-v3.model"
    reference = references.SentencePieceReference(path)
    assert [reference.piece(token) for token in reference.ids("Hello world")] == [
        "▁Hello",
        "▁world",
    ]
    assert reference.normalized("a b") == "▁a▁b"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small tokenizer.json of Hugging Face: byte-level BPE after NFC."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = tokenizers.normalizers.NFC()
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    made.train_from_iterator([TEXT], trainer)
    folder = tmp_path_factory.mktemp("trained")
    made.save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.parametrize("special", [False, True])
def test_a_folder_of_hugging_face(trained: Path, tmp_path: Path, special: bool) -> None:
    text = tmp_path / "text"
    text.write_text(TEXT, "utf-8", newline="")
    report, _ = checked(Request("Trained", str(trained), "", special, text))
    assert report.divergence is None
    assert report.name == "Trained"
    assert report.library.startswith("tokenizers ")


@pytest.mark.parametrize(
    ("field", "change", "stage"),
    [
        ("normalizer", {"type": "Lowercase"}, CheckStage.NORMALIZER),
        ("pre_tokenizer", {"add_prefix_space": True}, CheckStage.PRE_TOKENS),
        ("merges", None, CheckStage.MODEL),
        ("added_tokens", [], CheckStage.ADDED_TOKENS),
    ],
)
def test_the_stage_in_which_a_file_of_hugging_face_was_changed(
    trained: Path, tmp_path: Path, field: str, change: object, stage: CheckStage
) -> None:
    content = json.loads((trained / "tokenizer.json").read_bytes())
    if field == "merges":
        content["model"]["merges"] = content["model"]["merges"][:5]
    elif field == "pre_tokenizer":
        content[field].update(change)
    else:
        content[field] = change
    changed = write_file(tmp_path / "tokenizer.json", json.dumps(content))
    tokenizer = tc.open(trained)
    tokenizer.source = Source("huggingface", str(changed))
    special = field == "added_tokens"
    found = divergence(check(tokenizer, reference_for(tokenizer, special), TEXT, special))
    assert found.stage is stage, found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of transformers and what it imports
def test_a_folder_in_slow_form_is_checked_against_transformers(tmp_path: Path) -> None:
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    (tmp_path / "tokenizer.model").write_bytes(
        sentencepiece_models.trained("bpe", 300, character_coverage=0.98)
    )
    config = '{"tokenizer_class": "LlamaTokenizer", "extra_special_tokens": ["<new>"]}'
    (tmp_path / "tokenizer_config.json").write_text(config, "utf-8")
    opened = tc.open(tmp_path)
    reference = reference_for(opened, True)
    assert reference.library.startswith("transformers ")
    for text in [*sentencepiece_models.LINES, "a<new>b"]:
        assert list(reference.ids(text)) == list(opened.encode(text, special="all").ids)
    (tmp_path / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "LlamaTokenizer", "eos_token": 5}', "utf-8"
    )
    with pytest.raises(tc.NotAvailable, match="owns its format does not open"):
        reference_for(opened, True)


@pytest.mark.filterwarnings("ignore")
def test_a_class_in_python_is_checked_against_transformers(tmp_path: Path) -> None:
    """ByT5's class has no tokenizer of the library tokenizers inside."""
    pytest.importorskip("transformers")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')
    opened = tc.open(tmp_path)
    text = "naïve </s> 世界"
    assert check(opened, reference_for(opened, False), text).divergence is None
    assert check(opened, reference_for(opened, True), text, special=True).divergence is None
    assert reference_for(opened, False).piece(1) == "</s>"


def test_a_file_that_only_we_open_says_so(tmp_path: Path) -> None:
    """A model of words without unk_token, which tokenizers refuses by an Exception of no narrower class."""
    path = write_file(
        tmp_path / "words.json",
        '{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}}}',
    )
    with pytest.raises(tc.NotAvailable, match="owns its format does not open words: missing field"):
        reference_for(tc.open(path), False)


def test_a_text_that_only_we_encode_says_so(tmp_path: Path) -> None:
    """An unk_token that is no entry: tokenizers opens the file, and fails at a character that it does not know."""
    path = tmp_path / "words.json"
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "<unk>"}
    path.write_text(json.dumps({"version": "1.0", "model": model}))
    opened = tc.open(path)
    with pytest.raises(
        tc.NotAvailable, match=r"tokenizers \S+ does not encode the text: .*[^.]\.$"
    ):
        check(opened, reference_for(opened, False), "b")


def test_a_panic_of_the_library_says_so(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """tokenizers panics, for example, where an added token begins in the spaces that one before it takes."""
    panic = type("PanicException", (BaseException,), {})  # as pyo3 makes it
    opened = tc.open(small)
    reference = reference_for(opened, False)

    def fail(error: BaseException) -> None:
        raise error

    monkeypatch.setattr(reference, "ids", lambda _: fail(panic("bad split")))
    with pytest.raises(tc.NotAvailable, match=r"does not encode the text: bad split\.$"):
        check(opened, reference, "a")
    monkeypatch.setattr(reference, "ids", lambda _: fail(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        check(opened, reference, "a")


def test_ranks_that_normalize_are_not_checked_against_tiktoken_alone(small: Path) -> None:
    """Qwen's code puts a text into NFC before tiktoken splits it."""
    opened = tc.open(small)
    opened.source = Source("tiktoken", str(small))
    opened.normalizer = BertNormalizer(lowercase=False)
    with pytest.raises(tc.NotAvailable, match="normalizes a text before it is split"):
        reference_for(opened, False)


def test_ids_that_are_no_ranks_are_not_checked_against_tiktoken(small: Path) -> None:
    """fairseq's dictionary gives the ids by how often an entry occurs."""
    opened = tc.open(small)
    opened.source = Source("fairseq", str(small))
    with pytest.raises(tc.NotAvailable, match="nothing to check it against"):
        reference_for(opened, False)


def test_a_pair_of_clip_is_not_checked_as_one_of_gpt2(small: Path) -> None:
    opened = tc.open(small)
    files = [small.with_name("vocab.json"), small.with_name("merges.txt")]
    opened.source = Source("gpt2", str(files[0]), files=files)
    opened.normalizer = BertNormalizer(lowercase=True)
    with pytest.raises(tc.NotAvailable, match="transformers reads in a folder"):
        reference_for(opened, False)
