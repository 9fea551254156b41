// Reads tokenizer.json files with @huggingface/tokenizers and encodes texts, for record_readers.py: one line of JSON each way.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

const home = path.join(process.argv[2], "node_modules", "@huggingface", "tokenizers");
const { Tokenizer } = createRequire(import.meta.url)(path.join(home, "dist", "tokenizers.cjs"));
const { version } = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"));

for await (const line of readline.createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const found = { version };
  try {
    const made = new Tokenizer(JSON.parse(fs.readFileSync(asked.path, "utf8")), asked.config ?? {});
    found.ids = asked.texts.map((text) => made.encode(text).ids.map((id) => id ?? null));
  } catch (error) {
    found.refusal = String(error).slice(0, 300);
  }
  process.stdout.write(JSON.stringify(found) + "\n");
}
