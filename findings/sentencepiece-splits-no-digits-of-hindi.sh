#!/usr/bin/env bash
# sentencepiece (0.2.3): split_digits keeps only the digits of ASCII and their full-width forms apart. Entries may
# have several digits of Arabic, Hindi or Bengali, so how a number of these languages is split depends on how often it
# occurs. The pre-tokenizer Digits(individual_digits=True) of tokenizers (0.23.3) splits them, and also "½" and "²".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check sentencepiece==0.2.3 tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
import io
from importlib.metadata import version

import sentencepiece
from tokenizers import pre_tokenizers

numbers = {
    "ASCII": "12",
    "full-width": "\uff11\uff12",
    "Arabic": "\u0661\u0662",
    "Hindi": "\u0967\u0968",
    "Bengali": "\u09e7\u09e8",
}
written = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter([" ".join(numbers.values())] * 30),
    model_writer=written,
    model_type="bpe",
    split_digits=True,
    normalization_rule_name="identity",
    vocab_size=80,
    hard_vocab_limit=False,
    minloglevel=2,
)
model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
entries = [model.id_to_piece(id).strip("\u2581") for id in range(model.vocab_size())]
whole = [name for name, number in numbers.items() if number in entries]
digits = pre_tokenizers.Digits(individual_digits=True)
apart = [name for name, number in numbers.items() if len(digits.pre_tokenize_str(number)) == 2]
print(f"sentencepiece {version('sentencepiece')}: entries of two digits in {whole}")
print(f"tokenizers {version('tokenizers')}: apart in {apart}")
assert whole == ["Arabic", "Hindi", "Bengali"], "the behaviour has changed"
assert apart == list(numbers), "the behaviour has changed"
PYTHON
