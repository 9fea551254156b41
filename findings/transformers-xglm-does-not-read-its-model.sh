#!/usr/bin/env bash
# transformers (5.24.0): a folder of XGLM with its SentencePiece model, as it was published, is opened without the model:
# the tokenizer has 11 entries and every word is <unk>. No error or warning is given. 4.57.6 reads the model. With a
# tokenizer.json in the folder 5.24 reads that one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 4.57.6 5.24.0; do
  python3 -m venv "$folder/env-$version"
  "$folder/env-$version/bin/pip" install --quiet --disable-pip-version-check "transformers==$version" sentencepiece==0.2.3 protobuf==7.36.2
  "$folder/env-$version/bin/python" -W ignore - "$folder" "$version" <<'PYTHON'
import sys
from pathlib import Path

import sentencepiece
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1]) / f"model-{sys.argv[2]}"
folder.mkdir()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["the low tokens of the lower slower town"] * 50),
    model_prefix=f"{folder}/sentencepiece.bpe",
    vocab_size=40,
    hard_vocab_limit=False,
    minloglevel=2,
)
(folder / "tokenizer_config.json").write_text('{"tokenizer_class": "XGLMTokenizer"}')
tokenizer = AutoTokenizer.from_pretrained(folder)
tokens = tokenizer.convert_ids_to_tokens(tokenizer("the low").input_ids)
print(f"transformers {__version__}: {len(tokenizer)} entries, 'the low' is {tokens}")
if sys.argv[2] == "4.57.6":
    assert tokenizer.unk_token not in tokens, "the behaviour has changed"
else:
    assert set(tokens) == {"</s>", "<unk>"}, "the behaviour has changed"
PYTHON
done
