#!/usr/bin/env bash
# transformers (5.23.0): M2M100Tokenizer does not count its language codes among the special tokens. They have ids and begin every text,
# but decode(..., skip_special_tokens=True) keeps them: a translation reads "__en__ the low". all_special_tokens does not
# contain them either.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/env/bin/python" -W ignore - "$folder" <<'PYTHON'
import json
import sys
from pathlib import Path

import sentencepiece
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
lines = ["the low tokens of the lower slower town", "hello world the new newest"] * 40
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(lines), model_prefix=f"{folder}/made", vocab_size=60, hard_vocab_limit=False, minloglevel=2
)
(folder / "made.model").rename(folder / "sentencepiece.bpe.model")
model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
ids = {model.id_to_piece(id): id for id in range(model.vocab_size())}
(folder / "vocab.json").write_text(json.dumps({**ids, "<pad>": len(ids)}))
settings = {"tokenizer_class": "M2M100Tokenizer", "src_lang": "en", "tgt_lang": "fr"}
(folder / "tokenizer_config.json").write_text(json.dumps(settings))
tokenizer = AutoTokenizer.from_pretrained(folder)
text = tokenizer.decode(tokenizer("the low").input_ids, skip_special_tokens=True)
print(f"transformers {__version__}: decoded without special tokens it is {text!r}")
assert (text, "__en__" in tokenizer.all_special_tokens) == ("__en__ the low", False), "the behaviour has changed"
PYTHON
