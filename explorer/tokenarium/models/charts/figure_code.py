"""Programs that work the numbers of a chart out again, by the public names of ``tokenarium_core``; they print CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST_TEXT = 200_000
"""Characters of text that a program may hold; of longer texts there is none."""


@dataclass(frozen=True, slots=True)
class CodeTokenizer:
    """A tokenizer in a program: its name there, what opens it, and the pattern that it is opened with, if any."""

    name: str
    source: str
    pattern: str = ""


_HEAD = '''"""Works the numbers of “{title}” out again, and prints them as CSV.

Made with Tokenarium {version}; it needs tokenarium_core.
"""

{imports}

{data}
TOKENIZERS = {{
{tokenizers}
}}
'''

_PRINT = """
write = csv.writer(sys.stdout, lineterminator="\\n").writerow
"""

_FIGURES = '''
utf8 = TEXT.encode()
cuts = tc.cut(tc.pre_tokenizer("whitespace"), TEXT)
pieces = zip([0, *cuts.ends], cuts.ends, cuts.rules)
words = [(start, end) for start, end, rule in pieces if rule == 0]


def inside(at: int) -> bool:
    """Whether a byte is inside a character."""
    return at < len(utf8) and utf8[at] & 0xC0 == 0x80


write(["Tokenizer", "Tokens", "Bytes per token", "Tokens per word", "Words in one token (%)",
       "Tokens inside a character (%)"])
for name, tokenizer in TOKENIZERS.items():
    encoding = tokenizer.encode(TEXT)
    count = len(encoding)
    spans = [encoding.span(n) for n in range(count)]
    starts = [start for start, _ in spans]
    ends = list(accumulate((end for _, end in spans), max))
    # The tokens that have a byte of each word.
    touching = [max(bisect_left(starts, end) - bisect_right(ends, start), 0) for start, end in words]
    cut = sum(start < end and (inside(start) or inside(end)) for start, end in spans)
    whole = sum(tokens < 2 for tokens in touching)
    write([
        name,
        count,
        len(utf8) / count if count else "",
        sum(touching) / len(words) if words else "",
        100 * whole / len(words) if words else "",
        100 * cut / count if count else "",
    ])
'''

_LENGTHS = """
write(["curve", "bytes", "share (%)", "count"])
for name, tokenizer in TOKENIZERS.items():
    encoding = tokenizer.encode(TEXT)
    spans = [encoding.span(n) for n in range(len(encoding))]
    lengths = Counter(min(end - start, 64) for start, end in spans)  # 64 and more together
    for length, count in sorted(lengths.items()):
        write([name, length, 100 * count / len(encoding), count])
"""

_RANKS = """
write(["curve", "rank", "count"])
for name, tokenizer in TOKENIZERS.items():
    uses = Counter(tokenizer.encode_ids(TEXT))
    for rank, (_, count) in enumerate(uses.most_common(), 1):
        write([name, rank, count])
"""

_LANGUAGES = '''
def gini(sums: np.ndarray) -> np.ndarray:
    """The Gini of each row (Gini 1912)."""
    count = sums.shape[1]
    weights = 2 * np.arange(1, count + 1) - count - 1
    return np.sort(sums, axis=1) @ weights / (count * sums.sum(axis=1))


languages = list(TEXTS)
place = languages.index(REFERENCE)
write(["language", "tokenizer", "value", "low (95%)", "high (95%)", "tokens"])
for name, tokenizer in TOKENIZERS.items():
    # tokens[line, language]
    tokens = np.array([[len(tokenizer.encode_ids(line)) for line in lines] for lines in TEXTS.values()]).T
    sums = tokens.sum(axis=0, keepdims=True)
    premiums, inequality = (sums / sums[:, [place]])[0], gini(sums)[0]
    bounds, inequality_bounds = [("", "")] * len(languages), ("", "")
    if len(tokens) > 1:  # a percentile bootstrap over the sentences (Efron 1979)
        draws = np.random.default_rng(0).multinomial(len(tokens), np.full(len(tokens), 1 / len(tokens)), 1000)
        drawn = draws @ tokens
        found = drawn / np.maximum(drawn[:, [place]], 1)
        bounds = np.quantile(found, [0.025, 0.975], axis=0).T.tolist()
        inequality_bounds = np.quantile(gini(drawn), [0.025, 0.975]).tolist()
    for language, premium, ends, count in zip(languages, premiums.tolist(), bounds, sums[0].tolist()):
        write([language, name, premium, *ends, count])
    write(["(Gini)", name, float(inequality), *inequality_bounds, ""])
'''

_TEXT_SCRIPTS = """
utf8 = TEXT.encode()
scripts, first = [], []  # of each byte: the script of its character, and whether the character begins there
before = "Zyyy"
for character in TEXT:
    script = script_of(ord(character))
    before = before if script == "Zinh" else script  # a mark has the script of the letter before it
    size = len(character.encode())
    scripts += [before] * size
    first += [True] + [False] * (size - 1)
first.append(True)

write(["script", "tokenizer", "tokens", "tokens that cut a character", "share (%)"])
for name, tokenizer in TOKENIZERS.items():
    encoding = tokenizer.encode(TEXT)
    model = tokenizer.model
    holders = (model, getattr(model, "source", None))
    unknown = [getattr(one, key, -1) for one in holders for key in ("unknown", "unknown_id")]
    tokens, cut = Counter(), Counter()
    for n, token in enumerate(encoding.ids):
        start, end = encoding.span(n)
        found = set(scripts[start:end]) - {"Zyyy", "Zinh"}
        known = token < len(tokenizer.vocabulary) and token not in unknown
        if start >= end or (known and tokenizer.vocabulary.kind(token) == "control"):
            kind = "special"
        elif not found:
            kind = "common"
        else:
            kind = script_name(found.pop()) if len(found) == 1 else "mixed"
        tokens[kind] += 1
        cut[kind] += kind != "special" and not (first[start] and first[end])
    for kind, count in tokens.most_common():
        write([kind, name, count, cut[kind], 100 * count / len(encoding)])
"""

_VOCABULARY_SCRIPTS = """
write(["script", "tokenizer", "entries", "share (%)"])
for name, tokenizer in TOKENIZERS.items():
    vocabulary = tokenizer.vocabulary
    entries = Counter()
    for token in range(len(vocabulary)):
        kind = vocabulary.kind(token)
        try:
            characters = vocabulary.piece(token).decode()
        except UnicodeDecodeError:
            characters = None
        if kind in ("control", "unknown", "unused") or characters == "":
            entries["special"] += 1
        elif characters is None or (kind == "byte" and vocabulary.spelling == SPACE_MARK):
            entries["bytes"] += 1
        else:
            found = {script_of(ord(character)) for character in characters} - {"Zyyy", "Zinh"}
            name_of = script_name(found.pop()) if len(found) == 1 else "mixed" if found else "common"
            entries[name_of] += 1
    for kind, count in entries.most_common():
        write([kind, name, count, 100 * count / len(vocabulary)])
"""

_CSV = "import csv\nimport sys\n"
_CORE = "\nimport tokenarium_core as tc"
_COUNTED = f"{_CSV}from collections import Counter\n{_CORE}"
_SCRIPTED = f"{_COUNTED}\nfrom tokenarium_core.unicode import script_name, script_of"

_PROGRAMS = {
    "figures": (
        f"import csv\nimport sys\nfrom bisect import bisect_left, bisect_right\nfrom itertools import accumulate\n{_CORE}",
        _FIGURES,
    ),
    "lengths": (_COUNTED, _LENGTHS),
    "ranks": (_COUNTED, _RANKS),
    "text scripts": (_SCRIPTED, _TEXT_SCRIPTS),
    "vocabulary scripts": (
        f"{_SCRIPTED}\nfrom tokenarium_core.vocabulary import SPACE_MARK",
        _VOCABULARY_SCRIPTS,
    ),
    "languages": (f"{_CSV}\nimport numpy as np\n{_CORE.strip()}", _LANGUAGES),
}


def _program(
    what: str, title: str, data: str, tokenizers: Sequence[CodeTokenizer], version: str
) -> str:
    imports, body = _PROGRAMS[what]
    opened = []
    for one in tokenizers:
        pattern = f", pattern={one.pattern!r}" if one.pattern else ""
        opened.append(f"    {one.name!r}: tc.open({one.source!r}{pattern}),")
    head = _HEAD.format(
        title=title, version=version, imports=imports, data=data, tokenizers="\n".join(opened)
    )
    return head + _PRINT + body


def text_code(
    what: str, title: str, text: str, tokenizers: Sequence[CodeTokenizer], version: str
) -> str:
    """Returns a program for a chart of a text: "figures", "lengths", "ranks" or "text scripts".

    It is empty where the text is longer than `MOST_TEXT`, or no text that can be written.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return ""
    if len(text) > MOST_TEXT or not text or not tokenizers:
        return ""
    lines = "\n".join(f"    {line!r}" for line in text.splitlines(keepends=True))
    return _program(what, title, f"TEXT = (\n{lines}\n)", tokenizers, version)


def vocabulary_code(title: str, tokenizers: Sequence[CodeTokenizer], version: str) -> str:
    """Returns a program for the scripts of vocabularies."""
    return _program("vocabulary scripts", title, "", tokenizers, version) if tokenizers else ""


def languages_code(
    title: str,
    texts: Mapping[str, Sequence[str]],
    reference: str,
    tokenizers: Sequence[CodeTokenizer],
    version: str,
) -> str:
    """Returns a program for the premiums and Ginis of texts by language; empty where these are too long."""
    if not tokenizers or sum(len(line) for lines in texts.values() for line in lines) > MOST_TEXT:
        return ""
    rows = []
    for language, lines in texts.items():
        rows.append(f"    {language!r}: [")
        rows += [f"        {line!r}," for line in lines]
        rows.append("    ],")
    data = "\n".join(["TEXTS = {", *rows, "}", f"REFERENCE = {reference!r}"])
    return _program("languages", title, data, tokenizers, version)
