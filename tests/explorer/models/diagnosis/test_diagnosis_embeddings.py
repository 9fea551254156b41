"""Under-trained entries: the indicators of the paper, on models that the tests train, and files that cannot be read."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from narrowed import of_kind
from safetensors.numpy import save_file
from small_files import saved, write_file
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.commands.cli import app
from tokenarium.models.diagnosis.diagnosing import examine_source
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Level
from tokenarium.models.diagnosis.diagnosis_embeddings import (
    IN_NORM,
    INDEX,
    INDICATORS,
    MOST_SHARE,
    OUT_CENTRED,
    OUT_COSINE,
    OUT_DISTANCE,
    OUT_WITHOUT_PC,
    EntryIndicators,
    MissingWeights,
    entry_indicators,
    examine_embeddings,
    indicators,
    read_embeddings,
    under_trained,
    unused_rows,
)
from tokenarium.models.diagnosis.diagnosis_entries import NEVER_UTF8

Matrix = npt.NDArray[np.float32]

TRAINED_ON = ("prose-en", "numbers")
NOT_SEEN = ("prose-hi", "code-python")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> tc.Tokenizer:
    """A vocabulary of four texts, of which a model sees two."""
    corpus = [sample_text(name) for name in (*TRAINED_ON, *NOT_SEEN)]
    path = saved(
        tc.train("bpe", corpus, vocab_size=700, special_tokens=["<|end|>"]),
        tmp_path_factory.mktemp("model") / "tokenizer.json",
    )
    return tc.open(path)


def trained_model(tokenizer: tc.Tokenizer, tied: bool) -> tuple[Matrix, Matrix, npt.NDArray[np.int64]]:  # fmt: skip
    """Trains a model of pairs of tokens by gradient descent, with the loss and the decay of language models.

    Returns its embeddings at the input and output, and how often it saw each entry.
    """
    count, width = len(tokenizer.vocabulary), 24
    pairs = np.zeros((count, count), np.float32)
    for name in TRAINED_ON:
        ids = tokenizer.encode_ids(sample_text(name))
        np.add.at(pairs, (ids[:-1], ids[1:]), 1)
    seen = pairs.sum(axis=0) + pairs.sum(axis=1)
    shares = pairs.sum(axis=1, keepdims=True)
    pairs /= pairs.sum()
    shares /= shares.sum()
    random = np.random.default_rng(5)
    inputs = random.normal(0, 0.3, (count, width)).astype(np.float32)
    outputs = inputs if tied else random.normal(0, 0.3, (count, width)).astype(np.float32)
    moments = [np.zeros_like(inputs) for _ in range(4)]
    for step in range(1, 101):
        logits = inputs @ outputs.T
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        wrong = chances * shares - pairs
        slopes = [wrong @ outputs, wrong.T @ inputs]
        if tied:
            slopes = [slopes[0] + slopes[1]]
        for place, (matrix, slope) in enumerate(zip((inputs, outputs), slopes, strict=False)):
            first, second = moments[2 * place], moments[2 * place + 1]
            first += 0.1 * (slope - first)
            second += 0.01 * (slope**2 - second)
            matrix -= 0.03 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-6)
            matrix *= 1 - 0.03 * 0.1
    return inputs, outputs, seen.astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("tied", [False, True])
def test_entries_that_a_model_never_saw_are_found(
    tokenizer: tc.Tokenizer, tied: bool, tmp_path: Path
) -> None:
    inputs, outputs, seen = trained_model(tokenizer, tied)
    tensors = {"model.embed_tokens.weight": inputs}
    if not tied:
        tensors["lm_head.weight"] = outputs
    save_file(tensors, tmp_path / "model.safetensors")
    finding, found = examine_embeddings(tokenizer, str(tmp_path))
    assert found is not None
    assert found.name == (OUT_COSINE if tied else IN_NORM)
    assert finding.level is Level.SURPRISE
    assert finding.count == len(finding.tokens) > 5
    never = (seen == 0) & ~np.isin(np.arange(len(seen)), found.unused)
    never[[id for id in range(len(seen)) if len(tokenizer.vocabulary.piece(id)) < 2]] = False
    caught = np.array(finding.tokens)
    assert never[caught].all()  # none that the model knows
    assert len(caught) > 0.8 * never.sum()
    often = np.flatnonzero(seen > 30)
    # An entry that was never seen is lower than one that was seen often, in nearly all pairs of them.
    lower = found.values[np.flatnonzero(never)][:, None] < found.values[often][None, :]
    assert lower.mean() > 0.95
    special = tokenizer.special_tokens["<|end|>"]
    assert special not in finding.tokens
    case = finding.evidence[0]
    assert case.token == finding.tokens[0]
    assert "of the median" in case.note


def of_paper(matrix: Matrix, unused: list[int], name: str) -> npt.NDArray[np.float64]:
    """The indicators as the paper's published code has them, on a whole matrix."""
    whole = matrix.astype(np.float64)

    def cosine(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        mean = rows[unused].mean(axis=0)
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(mean)
        found: npt.NDArray[np.float64] = 1 - rows @ mean / lengths.clip(min=1e-6)
        return found

    if name == IN_NORM:
        norms: npt.NDArray[np.float64] = np.linalg.norm(whole, axis=1)
        return norms
    if name == OUT_DISTANCE:
        return np.linalg.norm(whole - whole[unused].mean(axis=0), axis=1)  # type: ignore[no-any-return]
    if name == OUT_CENTRED:
        return cosine(whole - whole.mean(axis=0))
    if name == OUT_WITHOUT_PC:
        first = np.linalg.svd(whole - whole.mean(axis=0), full_matrices=False)[2][0]
        return cosine(whole - np.outer(whole @ first, first))
    return cosine(whole)


@pytest.mark.parametrize("name", INDICATORS)
def test_blocks_give_what_the_whole_matrix_gives(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    matrix = (random.normal(0.2, 1, (501, 16)) * random.uniform(0.1, 3, (501, 1))).astype(np.float32)  # fmt: skip
    matrix[7] = 0
    save_file({"transformer.wte.weight": matrix}, tmp_path / "model.safetensors")
    monkeypatch.setattr("tokenarium.models.diagnosis.diagnosis_embeddings._BLOCK_VALUES", 16 * 37)
    found = indicators(read_embeddings(tmp_path, 500), [3, 9, 500, 3], name)
    np.testing.assert_allclose(found, of_paper(matrix, [3, 9, 500], name), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("type", ["F64", "F32", "F16", "BF16"])
def test_all_types_of_numbers_are_read(type: str, tmp_path: Path) -> None:
    numpy_type = {
        "F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16,
    }[type]  # fmt: skip
    rows = np.random.default_rng(1).normal(0, 1, (40, 8)).astype(numpy_type)
    head = {"wte.weight": {"dtype": type, "shape": [40, 8], "data_offsets": [0, rows.nbytes]}}
    written = json.dumps(head).encode()
    path = write_file(
        tmp_path / "small.safetensors", struct.pack("<Q", len(written)) + written + rows.tobytes()
    )
    found = read_embeddings(path, 40)
    assert found.tied
    np.testing.assert_array_equal(found.input.matrix(), rows.astype(np.float32))


def test_files_with_an_index_are_read_where_the_embeddings_are(tmp_path: Path) -> None:
    inputs, outputs = np.ones((30, 4), np.float32), np.zeros((30, 4), np.float32)
    save_file({"model.embed_tokens.weight": inputs}, tmp_path / "one.safetensors")
    save_file({"lm_head.weight": outputs}, tmp_path / "two.safetensors")
    places = {
        "model.embed_tokens.weight": "one.safetensors",
        "lm_head.weight": "two.safetensors",
        "model.layers.0.weight": "absent.safetensors",
    }
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": places}))
    found = read_embeddings(tmp_path, 30)
    assert not found.tied
    assert found.input.path.name == "one.safetensors"
    np.testing.assert_array_equal(found.output.matrix(), outputs)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    def refused(path: Path, count: int = 10) -> str:
        with pytest.raises(MissingWeights) as caught:
            read_embeddings(path, count)
        return str(caught.value)

    assert "has no safetensors file" in refused(tmp_path)
    pickled = write_file(tmp_path / "model.bin", b"")
    assert "can run programs" in refused(pickled)
    path = tmp_path / "model.safetensors"
    for damaged in (b"", b"\xff" * 40, struct.pack("<Q", 1 << 60) + b"{}", b"\0" * 9):
        path.write_bytes(damaged)
        assert "cannot be read as safetensors" in refused(path)
    save_file({"wte.weight": np.ones((10, 4), np.float32)}, path)
    path.write_bytes(path.read_bytes()[:-20])
    assert "cannot be read as safetensors" in refused(path)
    save_file({"wte.weight": np.ones((10, 4), np.float32)}, path)
    assert "10 rows, and the tokenizer 11 entries" in refused(path, 11)
    save_file({"wte.weight": np.ones((10, 4), np.int8)}, path)
    assert "quantized" in refused(path)
    save_file({"layer.weight": np.ones((10, 4), np.float32)}, path)
    assert "has no matrix of embeddings" in refused(path)
    index = tmp_path / INDEX
    for damaged in (b"{", b"[]", b'{"weight_map": 5}'):
        index.write_bytes(damaged)
        assert "as an index" in refused(index)
    index.write_text(json.dumps({"weight_map": {"wte.weight": "../../etc/absent"}}))
    assert str(tmp_path / "absent") in refused(index)
    assert "cannot be read" in refused(tmp_path / "absent.safetensors")


def test_what_is_known_to_be_unused(tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    count = len(tokenizer.vocabulary)
    rows = unused_rows(tokenizer, count + 3)
    assert rows[-3:] == [count, count + 1, count + 2]
    assert {tokenizer.vocabulary.piece(id) for id in rows[:-3]} == NEVER_UTF8
    words = ["[UNK]", "[unused0]", "[unused12]", "<unused3>", "a", "unused", "<|reserved_special_token_4|>"]  # fmt: skip
    file = write_file(tmp_path / "vocab.txt", "\n".join(words))
    assert unused_rows(tc.open(str(file)), len(words)) == [1, 2, 3, 6]


def test_without_unused_rows_it_names_candidates_or_refuses(tmp_path: Path) -> None:
    words = ["[UNK]", *(f"w{number}" for number in range(199))]
    file = write_file(tmp_path / "vocab.txt", "\n".join(words))
    tokenizer = tc.open(str(file))
    rows = np.random.default_rng(2).normal(0, 1, (200, 8)).astype(np.float32)
    rows[50] /= 100
    tensors = {"embeddings.word_embeddings.weight": rows, "lm_head.weight": rows.copy()}
    save_file(tensors, tmp_path / "model.safetensors")
    finding, found = examine_embeddings(tokenizer)  # beside the tokenizer
    assert found is not None
    assert finding.level is Level.FINE
    assert finding.tokens[0] == 50
    assert len(finding.tokens) == round(MOST_SHARE * 199)
    assert "nothing says where they end" in finding.sentence
    del tensors["lm_head.weight"]
    save_file(tensors, tmp_path / "model.safetensors")
    finding, found = examine_embeddings(tokenizer)
    assert (finding.level, found) == (Level.UNKNOWN, None)
    assert "nothing to compare with" in finding.sentence
    assert entry_indicators(tokenizer, tmp_path, unused=[3]).values[3] == pytest.approx(0, abs=1e-6)


def test_unused_rows_that_are_like_the_others_are_no_limit(tokenizer: tc.Tokenizer) -> None:
    values = np.random.default_rng(4).uniform(1, 2, 700).astype(np.float32)
    unused = tuple(unused_rows(tokenizer, 700))
    finding = under_trained(tokenizer, EntryIndicators(IN_NORM, values, unused))
    assert finding.level is Level.FINE
    assert 0 < finding.count < 0.03 * 700


def test_no_entry_may_be_under_trained() -> None:
    tokenizer = tc.train("bpe", ["low lower lowest"], vocab_size=262)
    values = np.ones(262, np.float32)
    unused = tuple(unused_rows(tokenizer, 262))
    values[list(unused)] = 0.1
    finding = under_trained(tokenizer, EntryIndicators(IN_NORM, values, unused))
    assert (finding.level, finding.count) == (Level.FINE, 0)


class Heard:
    """Takes what an examination reports."""

    asked_to_stop = False

    def __init__(self) -> None:
        self.all: list[object] = []

    def __call__(self, one: object) -> None:
        self.all.append(one)


@pytest.mark.slow
def test_the_window_and_the_command_get_the_same(tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    rows = np.random.default_rng(9).normal(0, 1, (704, 8)).astype(np.float32)
    rows[300:310] /= 1000
    rows[unused_rows(tokenizer, 704)] /= 100
    path = tmp_path / "weights.safetensors"
    save_file({"wte.weight": rows, "lm_head.weight": rows.copy()}, path)
    heard = Heard()
    examine_source(heard, tokenizer.source.path, "", str(path))
    [found] = [one for one in heard.all if isinstance(one, EntryIndicators)]
    finding = of_kind(heard.all[-1], Diagnosis)
    assert set(range(300, 310)) <= set(finding.tokens)
    assert len(found.values) == 704
    said = CliRunner().invoke(
        app,
        ["diagnose", tokenizer.source.path, "--only", "under_trained", "--json", "--embeddings", str(path), "--fail-on", "may-surprise"],
    )  # fmt: skip
    [written] = json.loads(said.output)["findings"]
    assert written["tokens"] == list(finding.tokens)
    assert said.exit_code == 3
