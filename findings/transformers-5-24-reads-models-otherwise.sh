#!/usr/bin/env bash
# A folder with a SentencePiece model and settings that name no class of its own (or PreTrainedTokenizerFast) has other
# ids in transformers 5.24.0 than in 5.23.0. Version 5.23 writes no space before the text, keeps white space that the
# model removes, and does not normalize; 5.24 follows the model and gives the ids of sentencepiece. Neither version
# warns. Counts and caches of ids that were made with the one are wrong with the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 5.23.0 5.24.0; do
  python3 -m venv "$folder/env-$version"
  "$folder/env-$version/bin/pip" install --quiet --disable-pip-version-check "transformers==$version" sentencepiece==0.2.3 protobuf==7.36.2
  "$folder/env-$version/bin/python" -W ignore - "$folder" "$version" <<'PYTHON'
import sys
from pathlib import Path

import sentencepiece
from transformers import AutoTokenizer, __version__

folder, version = Path(sys.argv[1]) / f"model-{sys.argv[2]}", sys.argv[2]
folder.mkdir()
lines = ["the low tokens of the lower slower town", "hello world the new newest, wider"] * 40
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(lines),
    model_prefix=f"{folder}/tokenizer",
    model_type="bpe",
    vocab_size=60,
    hard_vocab_limit=False,
    minloglevel=2,
)
(folder / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
tokenizer = AutoTokenizer.from_pretrained(folder)
model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
equal = {}
for text in ("the low", "the  low town ", "\uff54he low"):
    ids, expected = tokenizer(text, add_special_tokens=False).input_ids, model.encode(text)
    equal[text] = ids == expected
    print(f"transformers {__version__}: {text!r} is {ids}, in sentencepiece {expected}")
assert set(equal.values()) == {version == "5.24.0"}, "the behaviour has changed"
PYTHON
done
