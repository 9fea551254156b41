#!/usr/bin/env bash
# transformers (5.23.0): MLukeTokenizer reads sentencepiece.bpe.model, with which mLUKE was published, and gives
# each piece its id in that file. The embeddings of the model have fairseq's order, as the class itself still says in
# fairseq_tokens_to_ids: <s> 0, <pad> 1, </s> 2, <unk> 3, and every other piece one higher than in the file. So a text begins
# with the id of <pad>, and all ids of words are one too low.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 sentencepiece==0.2.1 protobuf
"$folder/env/bin/python" - "$folder" <<'PYTHON'
import json
import sys
from pathlib import Path

import sentencepiece
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
(folder / "text.txt").write_text("a b c ab bc abc\n" * 50)
sentencepiece.SentencePieceTrainer.train(
    input=str(folder / "text.txt"), model_prefix=str(folder / "sentencepiece.bpe"), vocab_size=10, minloglevel=2
)
(folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "MLukeTokenizer"}))
tokenizer = AutoTokenizer.from_pretrained(folder)
pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
ids, inner = tokenizer("abc").input_ids, pieces.encode("abc")
names = tokenizer.fairseq_tokens_to_ids
print(f"transformers {__version__}: {ids}; sentencepiece: {inner}; the class says: {names}")
assert ids == [1, *inner, 2], "the behaviour has changed"
assert (names["<s>"], names["<pad>"], tokenizer.fairseq_offset) == (0, 1, 1), "the behaviour has changed"
PYTHON
