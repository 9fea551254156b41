#!/usr/bin/env bash
# sentencepiece removes public methods of its Python package in patch releases: 0.2.2 has no SetVocabulary, LoadVocabulary
# and SetEncodeExtraOptions any more (restricting a model to a list of pieces, and adding bos, eos or reversing), and 0.2.3
# none of SampleEncodeAndScore, CalculateEntropy and EncodeAsImmutableProto. A program that asks for "sentencepiece>=0.2"
# stops with AttributeError when it first calls one of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
for version in 0.2.1 0.2.2 0.2.3; do
  "$folder/env/bin/pip" install --quiet --disable-pip-version-check "sentencepiece==$version"
  "$folder/env/bin/python" - "$version" <<'PYTHON'
import sys
from importlib.metadata import version

import sentencepiece

lists = ["SetVocabulary", "LoadVocabulary", "SetEncodeExtraOptions"]
samples = ["SampleEncodeAndScore", "CalculateEntropy", "EncodeAsImmutableProto"]
missing = [name for name in lists + samples if not hasattr(sentencepiece.SentencePieceProcessor, name)]
print(f"sentencepiece {version('sentencepiece')} lacks {missing or 'nothing'}")
expected = {"0.2.1": [], "0.2.2": lists, "0.2.3": lists + samples}
assert missing == expected[sys.argv[1]], "the behaviour has changed"
PYTHON
done
