// Writes HTML as JupyterLab shows it in a notebook that is not trusted.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const place = `${process.argv[2]}/node_modules/@jupyterlab/apputils/lib/sanitizer.js`;
const { Sanitizer } = await import(pathToFileURL(place));
const sanitizer = new Sanitizer();
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  console.log(JSON.stringify(sanitizer.sanitize(JSON.parse(line))));
}
