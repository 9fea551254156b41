#!/usr/bin/env bash
# gpt-tokenizer (4.0.0, npm): with allowedSpecial: "all", or a set of them, a special token is found only at the start of
# a text. After any other text it is encoded as its letters: "a<|endoftext|>" has 8 tokens in o200k_base, and 2 in tiktoken
# (1.0.22, npm). Two in a row become two special tokens with the letters of one between them. So documents joined by
# <|endoftext|> are not separated for the model, and a prompt is counted as longer than it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm install --silent --no-fund --no-audit gpt-tokenizer@4.0.0 tiktoken@1.0.22 > /dev/null)
cat > "$folder/special.mjs" <<'NODE'
import assert from "node:assert/strict";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { get_encoding } from "tiktoken";
const reference = get_encoding("o200k_base");
const equal = [];
for (const text of ["<|endoftext|>", "<|endoftext|>a", "a<|endoftext|>", "a <|endoftext|> b", "<|endoftext|><|endoftext|>"]) {
  const ids = encode(text, { allowedSpecial: "all" });
  const expected = [...reference.encode(text, "all")];
  console.log(`gpt-tokenizer 4.0.0: ${JSON.stringify(text)} is ${ids}, in tiktoken ${expected}`);
  equal.push(String(ids) === String(expected));
}
assert.deepEqual(equal, [true, true, false, false, false], "the behaviour has changed");
NODE
node "$folder/special.mjs"
