#!/usr/bin/env bash
# In tokenizers 0.23.3, Tokenizer.id_to_token returns the normalized form of an added token that is matched in
# normalized text: "abc" for the token "ABC" under Lowercase. token_to_id knows no "abc", so the way there and back
# fails, and decoding writes "abc" as well. get_added_tokens_decoder and the saved file still say "ABC". In 0.22.2
# id_to_token and decoding give "ABC". The ids are the same, so only texts that are decoded, and tables by token, differ
# between programs with one or the other version.
# Source: AddedVocabulary in tokenizers/src/tokenizer/added_vocabulary.rs of both versions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for wanted in 0.22.2 0.23.3; do
  python3 -m venv "$folder/$wanted"
  "$folder/$wanted/bin/pip" install --quiet --disable-pip-version-check "tokenizers==$wanted"
  "$folder/$wanted/bin/python" - <<'PYTHON'
from importlib.metadata import version

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

made = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "b": 2}, unk_token="[UNK]"))
made.normalizer = normalizers.Lowercase()
made.pre_tokenizer = pre_tokenizers.Whitespace()
made.add_tokens([AddedToken("ABC", normalized=True)])
ids = made.encode("a ABC b").ids
token = made.id_to_token(3)
there = made.get_added_tokens_decoder()[3].content
print(
    f"tokenizers {version('tokenizers')}: ids {ids}, id_to_token(3) = {token!r}, token_to_id of it ="
    f" {made.token_to_id(token)}, decoded {made.decode(ids)!r}, the table of added tokens has {there!r}"
)
older = version("tokenizers").startswith("0.22")
assert ids == [1, 3, 2] and there == "ABC"
assert token == ("ABC" if older else "abc"), "the behaviour has changed"
assert made.token_to_id(token) == (3 if older else None), "the behaviour has changed"
assert made.decode(ids) == ("a ABC b" if older else "a abc b"), "the behaviour has changed"
PYTHON
done
