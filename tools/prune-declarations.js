// Removes the declarations that no entry of the package refers to: `node tools/prune-declarations.js DIST`, a step of a build.
// Nobody can import them: `exports` of package.json names all that can be imported.
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const dist = resolve(process.argv[2]);
const { exports } = JSON.parse(readFileSync(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8"));
const REFERENCE = /(?:\bfrom\s*|\bimport\(\s*|\bimport\s*)"(\.[^"]+)"/g;

/** @type {Set<string>} */
const kept = new Set();
for (const { types } of Object.values(exports)) if (types) keep(join(dist, relative("./dist", types)));
for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  const file = join(dist, name);
  if (name.endsWith(".d.ts") && !kept.has(file)) rmSync(file);
}

/** Keeps a declaration with all that it refers to. */
function keep(/** @type {string} */ file) {
  if (kept.has(file)) return;
  kept.add(file);
  for (const [, name] of readFileSync(file, "utf8").matchAll(REFERENCE))
    keep(join(dirname(file), name.replace(/\.[jt]s$/, ".d.ts")));
}
