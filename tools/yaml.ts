/**
 * Compares the reader of YAML with the original in Go, `test/yaml/oracle`, over the files of directories and over mutations of
 * them: `npm run yaml -- DIR... [--mutations N] [--seed N] [--show N]`. It needs Go.
 *
 * Each file is cut into its documents, and each document is a text: it is refused by both or by none, has the same value in
 * both, and the same repeated keys. Exit status 0: no text differs.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Draw } from "../src/util/testing/draw.ts";
import { DecodeError, MAX_DUPLICATES } from "../src/value/decode-error.ts";
import { decodeJson } from "../src/value/json.ts";
import { equal } from "../src/value/value.ts";
import { decodeYaml } from "../src/value/yaml.ts";

interface Answer {
  readonly json?: unknown;
  readonly error?: string;
  readonly strict?: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutations: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    show: { type: "string", default: "20" },
  },
});
if (positionals.length === 0) throw new Error("expected directories with YAML files: npm run yaml -- DIR...");

/** The text between the parts of YAML. */
const PIECES = [
  ": ",
  "- ",
  "\n",
  " ",
  "\t",
  "'",
  '"',
  "#",
  " #",
  "{",
  "}",
  "[",
  "]",
  ",",
  "&a ",
  "*a",
  "!",
  "!!str ",
  "|",
  ">",
  "?",
  "%",
  "@",
  "`",
  "~",
  "0x1",
  "1e3",
  "---",
  "...",
  "<<: ",
];

/** Texts that are asked at a time: what they and their answers take stays in memory. */
const BATCH_BYTES = 64 << 20;
const MAX_TEXT = 4 << 20;

const folder = mkdtempSync(join(tmpdir(), "keelson-yaml-"));
const oracle = join(folder, "oracle");
const counted = { files: 0, texts: 0, refused: 0, different: 0 };
try {
  const built = spawnSync("go", ["build", "-o", oracle, "."], {
    cwd: new URL("../test/yaml/oracle", import.meta.url),
    stdio: "inherit",
  });
  if (built.status !== 0) throw new Error("expected Go to build test/yaml/oracle");
  let [texts, bytes]: [{ name: string; text: string }[], number] = [[], 0];
  for (const one of textsOf(positionals)) {
    texts.push(one);
    bytes += one.text.length;
    if (bytes < BATCH_BYTES) continue;
    compare(texts);
    [texts, bytes] = [[], 0];
  }
  compare(texts);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const { files, refused, different } = counted;
console.log(`${files} files, ${counted.texts} texts, of which ${refused} are refused; ${different} differ`);
process.exitCode = different === 0 ? 0 : 1;

/** The documents of the files below directories, and mutations of them. */
function* textsOf(directories: readonly string[]): Generator<{ name: string; text: string }> {
  const draw = new Draw(Number(values.seed));
  for (const directory of directories)
    for (const name of globSync("**/*.{yaml,yml}", { cwd: directory }).toSorted()) {
      let content: string;
      try {
        content = readFileSync(join(directory, name), "utf8");
      } catch {
        continue;
      }
      counted.files++;
      if (content.length > MAX_TEXT) continue;
      for (const [at, text] of content.split(/^---/m).entries()) {
        yield { name: `${directory}/${name} (${at})`, text };
        for (let n = 0; n < Number(values.mutations); n++)
          yield { name: `${directory}/${name} (${at}, mutation ${n})`, text: mutated(text, draw) };
      }
    }
}

/** Asks both about texts. */
function compare(texts: readonly { readonly name: string; readonly text: string }[]): void {
  if (texts.length === 0) return;
  const asked = spawnSync(oracle, {
    input: texts.map(({ text }) => `${JSON.stringify(text)}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (asked.status !== 0) throw new Error(`expected an answer to each text: ${asked.stderr.slice(0, 2000)}`);
  const answers = asked.stdout.split("\n");
  for (const [at, { name, text }] of texts.entries()) {
    const line = answers[at]!;
    const want = JSON.parse(line) as Answer;
    counted.texts++;
    if (want.error !== undefined) counted.refused++;
    const difference = differenceOf(text, want, line);
    if (difference === undefined) continue;
    if (counted.different++ < Number(values.show))
      console.log(`✗ ${name}: ${difference}\n    ${JSON.stringify(text.slice(0, 400))}`);
  }
}

function differenceOf(text: string, want: Answer, line: string): string | undefined {
  let found;
  try {
    found = decodeYaml(text);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return want.error === undefined ? `refused here: ${error.message}` : undefined;
  }
  if (want.error !== undefined) return `refused there: ${want.error}`;
  const there = (decodeJson(Buffer.from(line)).value as { readonly json: never }).json;
  const here = decodeJson(Buffer.from(JSON.stringify(found.value))).value;
  if (!equal(here, there))
    return `another value: ${JSON.stringify(here).slice(0, 300)} here, ${JSON.stringify(there).slice(0, 300)} there`;
  const faults = faultsOf(found.unmarshalErrors);
  const wanted = faultsOf(want.strict);
  return faults === wanted ? undefined : `repeated keys: ${faults ?? "none"} here, ${wanted ?? "none"} there`;
}

/** The lines of a strict error behind the first one, as many as are reported here. */
function faultsOf(message: string | undefined): string | undefined {
  const [, ...lines] = message?.split("\n") ?? [];
  return message === undefined
    ? undefined
    : lines
        .slice(0, MAX_DUPLICATES)
        .map((one) => one.trim())
        .join("\n");
}

/** A text with one to three changes: a piece put in, some characters taken out, or a stretch that stands twice. */
function mutated(text: string, draw: Draw): string {
  let changed = text;
  for (let n = 1 + draw.below(3); n > 0; n--) {
    const at = draw.below(changed.length + 1);
    const length = 1 + draw.below(12);
    const way = draw.below(3);
    const put = way === 0 ? draw.pick(PIECES) : way === 1 ? "" : changed.slice(at, at + length).repeat(2);
    changed = changed.slice(0, at) + put + changed.slice(way === 0 ? at : at + length);
  }
  return changed;
}
