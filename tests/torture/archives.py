"""ZIP and tar archives and LiteRT-LM's bundles with a tokenizer: damaged, with names that lead elsewhere, and with links."""

from __future__ import annotations

import functools
import io
import struct
import tarfile
import tempfile
import zipfile
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import litertlm_files
import mutation_seeds
import mutations
import zoo
from attack import Attack, Case, check_sentence
from planting import backwards, bent, instead, with_a_fault, without_a_sentence

import tokenarium_core as tc

KINDS = ["zip", "stored.zip", "task", "tar", "tar.gz", "tar.xz", "litertlm"]
BASES = ["", "model/", "a/b/c/", "../", "/", "a/../../", "c:\\", "d/" * 40, "\udcff/", "é" * 200 + "/", "con/", "\0/"]  # fmt: skip
MORE = [
    ("tokenizer_config.json", b'{"chat_template": "hi", "tokenizer_class": "X"}'),
    ("special_tokens_map.json", b"[7"),
    ("weights.bin", b"\1" * 3000),
    ("._tokenizer.json", b"\0"),
    ("tokenizer.json/inside", b"{}"),
]
EXTREMES = [0, 1, 0xFF, 0x7F, 0x80]
OUTSIDE = "outside"


@functools.cache
def _seeds() -> dict[str, mutations.Files]:
    return mutation_seeds.seeds()


def make_damaged(chance: Random) -> Case:
    """Returns an archive of a tokenizer and other members, perhaps with some bytes changed, lost or repeated."""
    kind = chance.choice(KINDS)
    files = _seeds()[chance.choice(list(_seeds()))]
    if kind == "litertlm":
        content = _bundle(chance, files)
    else:
        content = _archive(chance, kind, _members(chance, files, kind))
    if chance.random() < 0.5:
        content = _damaged(chance, content)
    return {"name": f"case.{kind}", "content": content, "text": zoo.text_of(chance)}


def _members(chance: Random, files: mutations.Files, kind: str) -> list[tuple[str, bytes]]:
    members = [("model/" + name, content) for name, content in files.items()]
    while chance.random() < 0.4:
        base = chance.choice(BASES)
        members += [
            (base + name, content) for name, content in mutations.mutated(chance, files).items()
        ]
        members.append(chance.choice(MORE))
    if kind == "task":
        members += [("TOKENIZER_MODEL", content) for content in files.values()]
    chance.shuffle(members)
    return members


def _archive(chance: Random, kind: str, members: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    if kind.endswith(("zip", "task")):
        packing = zipfile.ZIP_DEFLATED if kind == "zip" else zipfile.ZIP_STORED
        with zipfile.ZipFile(out, "w", packing) as archive:
            for name, content in members:
                about = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
                about.compress_type = packing
                archive.writestr(about, content)
        return out.getvalue()
    modes = {"tar": "w", "tar.gz": "w:gz", "tar.xz": "w:xz"}
    with tarfile.open(fileobj=out, mode=modes[kind]) as tar:  # type: ignore[call-overload]
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            if chance.random() < 0.2:
                entry.type = chance.choice([tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])  # fmt: skip
                entry.linkname = chance.choice(["/etc/passwd", "../" + OUTSIDE, name, "/dev/zero"])
                entry.size = 0
            tar.addfile(entry, io.BytesIO(content[: entry.size]))
    return out.getvalue()


def _bundle(chance: Random, files: mutations.Files) -> bytes:
    kinds = [litertlm_files.SENTENCEPIECE, litertlm_files.METADATA, litertlm_files.HUGGINGFACE]
    sections = []
    for content in files.values():
        kind = chance.choice(kinds)
        body = litertlm_files.packed(content) if kind == kinds[-1] else content
        sections.append((kind, body, chance.choice(["", "tf_lite_prefill_decode", "x"])))
    return litertlm_files.bundle(sections, moved=chance.choice([0, 0, 0, 1, -1, 1 << 40]))


def _damaged(chance: Random, content: bytes) -> bytes:
    """Returns it with a few faults, most of them near its beginning or its end, where lists of members are."""
    data = bytearray(content)
    for _ in range(chance.randrange(1, 6)):
        if not data:
            break
        near = chance.choice([len(data), 600])
        at = chance.randrange(min(near, len(data)))
        if chance.random() < 0.5:
            at = len(data) - 1 - at
        fault = chance.randrange(5)
        if fault == 0:
            data[at] = chance.choice(EXTREMES)
        elif fault == 1:
            data[at : at + 4] = struct.pack("<I", chance.choice([0, 1, 0xFFFFFFFF, 1 << 31, len(data)]))  # fmt: skip
        elif fault == 2:
            del data[at : at + chance.randrange(1, 200)]
        elif fault == 3:
            data[at:at] = data[at : at + chance.randrange(1, 200)]
        else:
            del data[at:]
    return bytes(data)


def run_damaged(case: Case) -> str:
    """Opens it, and each folder that its refusal names: nothing is left outside, and what opens keeps the law."""
    scratch = Path("scratch")
    scratch.mkdir()
    folder = Path("case")
    folder.mkdir()
    (folder / OUTSIDE).write_bytes(b"before")
    path = folder / case["name"]
    path.write_bytes(case["content"])
    word = "refused"
    for source in (path, path / "model"):
        tokenizer = None
        try:
            with mock.patch.object(tempfile, "tempdir", str(scratch.absolute())):
                tokenizer = tc.open(source)
        except tc.TokenariumError as error:
            check_sentence(error)
        if tokenizer is None:
            continue
        word = "opened"
        for special in ("none", "all"):
            try:
                zoo.law(tokenizer, case["text"], special)
            except tc.TokenariumError:
                word = "refuses the text"
    left = sorted(str(one) for one in (*folder.rglob("*"), *scratch.rglob("*")))
    assert left == sorted([str(path), str(folder / OUTSIDE)]), f"something is left behind: {left}"
    assert (folder / OUTSIDE).read_bytes() == b"before", "what is outside has changed"
    assert path.read_bytes() == case["content"], "the archive has changed"
    return word


SEEDS = (_seeds,)


def _untidy(before: Any) -> Any:
    def open(*values: Any, **named: Any) -> Any:
        tokenizer = before(*values, **named)
        Path("scratch", "tokenizer.json").write_bytes(b"{}")
        return tokenizer

    return open


ATTACKS = [
    Attack(
        "archives-damaged",
        make_damaged,
        run_damaged,
        planted={
            "sentence": instead(tc, "open", without_a_sentence),
            "A PLANTED FAULT": instead(tc, "open", with_a_fault),
            "something is left behind": instead(tc, "open", _untidy),
            "other ids with a trace": instead(tc, "open", bent(encode_ids=backwards)),
        },
    ),
]
