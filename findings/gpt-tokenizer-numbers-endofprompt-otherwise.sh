#!/usr/bin/env bash
# gpt-tokenizer (4.0.0, npm): <|endofprompt|> of o200k_base has the id 200006. In tiktoken (1.0.22, npm, as in Python) it has
# 200018, the row that models of this encoding learned for it. gpt-tokenizer also knows <|im_start|>, <|im_sep|> and
# <|fim_prefix|> there, which are ordinary text of this encoding in tiktoken. In cl100k_base, <|endofprompt|> has the same
# id in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm install --silent --no-fund --no-audit gpt-tokenizer@4.0.0 tiktoken@1.0.22 > /dev/null)
cat > "$folder/numbers.mjs" <<'NODE'
import assert from "node:assert/strict";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { get_encoding } from "tiktoken";
const found = {};
for (const [name, theirs] of Object.entries({ o200k_base: o200k, cl100k_base: cl100k })) {
  const reference = get_encoding(name);
  for (const token of ["<|endoftext|>", "<|endofprompt|>", "<|im_start|>"]) {
    const ids = [String(theirs.encode(token, { allowedSpecial: "all" })), String([...reference.encode(token, "all")])];
    console.log(`${name}: ${token} is ${ids[0]} in gpt-tokenizer 4.0.0, ${ids[1]} in tiktoken`);
    found[`${name} ${token}`] = ids;
  }
}
assert.deepEqual(found["o200k_base <|endoftext|>"], ["199999", "199999"], "the behaviour has changed");
assert.deepEqual(found["o200k_base <|endofprompt|>"], ["200006", "200018"], "the behaviour has changed");
assert.deepEqual(found["cl100k_base <|endofprompt|>"], ["100276", "100276"], "the behaviour has changed");
assert.equal(found["o200k_base <|im_start|>"][0], "200003", "the behaviour has changed");
assert.notEqual(found["o200k_base <|im_start|>"][1], "200003", "the behaviour has changed");
NODE
node "$folder/numbers.mjs"
