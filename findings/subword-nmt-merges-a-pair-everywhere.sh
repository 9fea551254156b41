#!/usr/bin/env bash
# subword-nmt (0.3.8) merges a pair wherever it occurs in a word before it looks for the next pair, as GPT-2's own code
# does. tokenizers (0.23.3) merges one occurrence, and then looks at the pairs with what that made. So the same merges
# give other parts if one of them has a part that only a later one makes: after the first "a b", "ab a" comes first in
# tokenizers, and subword-nmt has merged the second "a b". Merges in the order in which they were learned agree.
# Source: encode in subword_nmt/apply_bpe.py, Word::merge_all in models/bpe/word.rs of tokenizers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check subword-nmt==0.3.8 tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
import io
from importlib.metadata import version

from subword_nmt.apply_bpe import BPE
from tokenizers import Tokenizer, models

word = "ababc"
print(f"subword-nmt {version('subword-nmt')} and tokenizers {version('tokenizers')} on {word!r}:")
equal = []
for merges in ([("a", "b"), ("ab", "a")], [("ab", "a"), ("a", "b")]):
    lines = "".join(f"{left} {right}\n" for left, right in merges)
    parts = BPE(io.StringIO("#version: 0.2\n" + lines)).segment_tokens([word])
    expected = [part.removesuffix("@@") for part in parts]
    vocab = {entry: id for id, entry in enumerate(["a", "b", "c</w>", "ab", "aba"])}
    encoding = Tokenizer(models.BPE(vocab, merges, end_of_word_suffix="</w>")).encode(word)
    found = [token.removesuffix("</w>") for token in encoding.tokens]
    equal.append(found == expected)
    print(f"  merges {merges}: {expected} in subword-nmt, {found} in tokenizers")
assert equal == [True, False], "the behaviour has changed"
PYTHON
