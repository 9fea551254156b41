#!/usr/bin/env bash
# The same Unigram model file gives some texts other ids in sentencepiece 0.2.3 than in 0.2.1, mostly runs of one character,
# such as "!!!!!!" and "......", which occur in real text. Of two tokenizations with the same pieces in another order, the sums
# of scores are equal, and rounding decides: in 0.2.1 the sum of a candidate is a double that is compared with a 32-bit float, in
# 0.2.3 both are floats. Ids stored with the one version do not match those of the other.
# Source: EncodeOptimized in src/unigram_model.cc; in 0.2.1, "const auto score" has the type of "length * max_score_ - 0.1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
cat > "$folder/encode.py" <<'PYTHON'
import json
import random
import sys
from pathlib import Path

import sentencepiece

chance = random.Random(2)
lines = [
    " ".join("".join(chance.choice("!?.-=*#a") * chance.randint(1, 6) for _ in range(2)) for _ in range(8))
    for _ in range(3000)
]
model = Path(sys.argv[1], "runs.model")
if not model.exists():
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(model.with_suffix("")), vocab_size=60, minloglevel=2,
        hard_vocab_limit=False,
    )
loaded = sentencepiece.SentencePieceProcessor(model_file=str(model))
print(json.dumps([loaded.encode(mark * count, out_type=str) for mark in "!?.-=*#a" for count in range(1, 30)]))
PYTHON
for version in 0.2.3 0.2.1; do
    "$folder/env/bin/pip" install --quiet --disable-pip-version-check "sentencepiece==$version"
    "$folder/env/bin/python" "$folder/encode.py" "$folder" > "$folder/$version.json" 2> "$folder/log"
done
"$folder/env/bin/python" - "$folder" <<'PYTHON'
import json
import sys
from pathlib import Path

new, old = (json.loads(Path(sys.argv[1], f"{version}.json").read_text()) for version in ("0.2.3", "0.2.1"))
other = [(one, two) for one, two in zip(new, old) if one != two]
print(f"sentencepiece 0.2.1 and 0.2.3, one model: {len(other)} of {len(new)} runs of one character have other tokens,", end=" ")
assert other, "the behaviour has changed"
print(f"for example {other[0][1]} in 0.2.1, {other[0][0]} in 0.2.3")
assert all(sorted(one) == sorted(two) for one, two in other)
PYTHON
