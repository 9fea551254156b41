#!/usr/bin/env bash
# transformers (5.23.0): NllbTokenizer made from sentencepiece.bpe.model alone has no ids for its language codes, which that file does
# not contain, and begins every text with <unk> instead of the code of src_lang. There is no warning, and the model is not
# told the language. The codes come only from a tokenizer.json, or from extra tokens named in the settings.
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
settings = {"tokenizer_class": "NllbTokenizer", "src_lang": "eng_Latn"}
(folder / "tokenizer_config.json").write_text(json.dumps(settings))
tokenizer = AutoTokenizer.from_pretrained(folder)
tokens = tokenizer.convert_ids_to_tokens(tokenizer("the low").input_ids)
print(f"transformers {__version__}: src_lang {tokenizer.src_lang}, and the text is {tokens}")
assert (tokenizer.src_lang, tokens[0], tokens[-1]) == ("eng_Latn", "<unk>", "</s>"), "the behaviour has changed"
PYTHON
