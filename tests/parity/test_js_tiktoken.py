"""js-tiktoken's JSON against the rules of its ``core.ts``, written again; JavaScript's own engine cuts the text.

The package is on npm, not on PyPI: the merges are written again from ``bytePairMerge``, and Node.js cuts by the pattern.
"""

from __future__ import annotations

import itertools
import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
import tiktoken
from other_files import GPT4, JS_CL100K, SPECIAL, js_tiktoken, small_ranks

import tokenarium_core as tc

NODE = shutil.which("node")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+('s|'S)?|\p{N}{1,3}|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+|"
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
ODD = r"[\S&&~~]+|\s|[a[]+|."
SCRIPT = """
const [pattern, texts] = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const regex = new RegExp(pattern, "ug");
console.log(JSON.stringify(texts.map(text => [...text.matchAll(regex)].map(match => match[0]))));
"""
SIGNS = "ab é日1\n\r\t \u00a0\u0085\ufeff\u180e\u2028\u2003\u3000\x0b\x0c\x1c'sS/&~[]-"


def javascript(pattern: str, texts: list[str]) -> list[list[str]]:
    if NODE is None:
        pytest.skip("needs Node.js")
    given = json.dumps([pattern, texts])
    done = subprocess.run(
        [NODE, "-e", SCRIPT], input=given, capture_output=True, text=True, check=True
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


def ids_of(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    """What ``bytePairEncode`` does."""
    if piece in ranks:
        return [ranks[piece]]
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while len(parts) > 1:
        places = [
            (ranks[left + right], at)
            for at, (left, right) in enumerate(itertools.pairwise(parts))
            if left + right in ranks
        ]
        if not places:
            break
        at = min(places)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts]


def opened(folder: Path, content: bytes) -> tc.Tokenizer:
    (folder / "mine.json").write_bytes(content)
    return tc.open(folder / "mine.json")


@pytest.mark.parametrize("pattern", [GPT2, JS_CL100K, O200K, ODD])
def test_random_texts(tmp_path: Path, pattern: str) -> None:
    chance = random.Random(pattern)
    tokenizer = opened(tmp_path, js_tiktoken(chance, pattern))
    ranks = small_ranks(random.Random(pattern))
    texts = ["".join(chance.choices(SIGNS, k=30)) for _ in range(300)]
    for text, words in zip(texts, javascript(pattern, texts), strict=True):
        ids = [id for word in words for id in ids_of(word.encode(), ranks)]
        assert tokenizer.encode_ids(text) == ids, text
        assert tokenizer.decode(ids) == text
    assert tokenizer.encode_ids("a<|x|>", special="all") == [97, 303]


def test_every_blank(tmp_path: Path) -> None:
    """U+FEFF is white space to JavaScript, U+0085 is not: to tiktoken it is the other way round."""
    texts = ["a" + chr(code) + chr(code) + "b" for code in range(0xD800)]
    tokenizer = opened(tmp_path, js_tiktoken(None, r"\s+|\S+"))
    assert javascript(r"\s+|\S+", texts) == [
        [text[start:stop] for start, stop in words_of(tokenizer, text)] for text in texts
    ]


def words_of(tokenizer: tc.Tokenizer, text: str) -> list[tuple[int, int]]:
    found = []
    start = 0
    for number in range(len(words := tokenizer.encode(text).pre_tokens)):
        stop = len(text.encode()[: words.ends[number]].decode())
        found.append((start, stop))
        start = stop
    return found


def test_a_pattern_that_javascript_does_not_take_is_tiktokens(
    tmp_path: Path, texts: dict[str, str]
) -> None:
    tokenizer = opened(tmp_path, js_tiktoken(None, GPT4))
    reference = tiktoken.Encoding(
        name="x", pat_str=GPT4, mergeable_ranks=small_ranks(), special_tokens=SPECIAL
    )
    for text in [*texts.values(), SIGNS]:
        assert tokenizer.encode_ids(text[:4000]) == reference.encode_ordinary(text[:4000])


@pytest.mark.parametrize(
    ("name", "start"), [("gpt2.js", b"export default "), ("gpt2.cjs", b"module.exports = ")]
)
def test_a_module_is_its_json(tmp_path: Path, name: str, start: bytes) -> None:
    content = json.dumps(json.loads(js_tiktoken(None, GPT2)), separators=(",", ":")).encode()
    tokenizer = opened(tmp_path, content)
    (tmp_path / name).write_bytes(start + content + b";\n")
    module = tc.open(tmp_path / name)
    assert module.get_vocab() == tokenizer.get_vocab()
    assert module.encode_ids(SIGNS * 3) == tokenizer.encode_ids(SIGNS * 3)
    for end in (b"", b";\nfetch('x');"):
        (tmp_path / name).write_bytes(start + content[:-1] + end)
        with pytest.raises(tc.FormatError, match="as a module of js-tiktoken does"):
            tc.open(tmp_path / name)


@pytest.mark.parametrize("pattern", [GPT4, JS_CL100K])
def test_a_copy_is_the_same(tmp_path: Path, pattern: str) -> None:
    tokenizer = opened(tmp_path, js_tiktoken(None, pattern))
    tokenizer.save(tmp_path / "copy", "tokenarium")
    copy = tc.open(tmp_path / "copy")
    assert copy.encode_ids(SIGNS * 3) == tokenizer.encode_ids(SIGNS * 3)
    assert copy.special_tokens == SPECIAL
    with pytest.raises(tc.ArgumentError, match="here the id 271 has no entry"):
        tokenizer.save(tmp_path / "copy.tiktoken", "tiktoken")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"pat_str": 1}, "should have the fields 'pat_str' and 'bpe_ranks'"),
        ({"pat_str": "("}, "'pat_str' cannot be read"),
        ({"pat_str": "\\w+|."}, "matches only ASCII in JavaScript"),
        ({"special_tokens": {"a": "b"}}, "'special_tokens' are not ids by their texts"),
        ({"special_tokens": {"a": 5}}, "has the id 5, which another entry already has"),
        ({"special_tokens": {"a": -5}}, "has the id -5, which is out of range"),
        ({"special_tokens": {"a": 900, "ab": 901}}, "cannot be told apart"),
        ({"bpe_ranks": "! 0 YQ==\n! x YQ=="}, "line 2 of 'bpe_ranks' has no rank after its first"),
        ({"bpe_ranks": "!"}, "line 1 of 'bpe_ranks' has no rank after its first word"),
        ({"bpe_ranks": "! 0 YQ=="}, "0x00"),
        ({"bpe_ranks": "! 0 Y*=="}, "line 1 of 'bpe_ranks' has 'Y*==', which is not base64"),
        ({"bpe_ranks": "! 0 YQ== YQ=="}, "has the entry 'YQ==', which an earlier line already has"),
        ({"bpe_ranks": "! 0 YQ==\n! 0 Yg=="}, "has the rank 0 twice"),
        ({"bpe_ranks": "! 9999999 YQ=="}, "line 1 of 'bpe_ranks' has ranks above 2,097,150"),
        ({"bpe_ranks": "! 99999999999999999999 YQ=="}, "line 1 of 'bpe_ranks' has no rank"),
        ({"bpe_ranks": ""}, "has no entries"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, fields: dict[str, object], said: str) -> None:
    content = json.dumps({**json.loads(js_tiktoken()), **fields}).encode()
    with pytest.raises(tc.FormatError) as refused:
        opened(tmp_path, content)
    assert said in str(refused.value)
