/**
 * A page as its reader types it: files that begin with their name are written, lines after `$` are run in one folder,
 * and what they print is compared with what the page says.
 *
 * What differs from run to run is taken for equal: times, ages, numbers, uids. `...` stands for the rest of a line, and
 * alone for any lines.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A command of a page, and what it says comes of it. */
export interface Played {
  readonly command: string;
  readonly says: string;
}

const FENCE = /^```(\w+)\n([^]*?)^```$/gm;
const NAMED = /^(?:\/\/|#) ([\w./-]+\.\w+)\n/;

/** A file of a page. */
export interface PageFile {
  readonly file: string;
  readonly text: string;
}

/** Returns the files of a page, and what is typed in its `console` blocks, in the order of the page. */
export const partsOf = (page: string): (PageFile | Played)[] =>
  [...page.matchAll(FENCE)].flatMap(([, language, text]): (PageFile | Played)[] => {
    const name = NAMED.exec(text!)?.[1];
    return language === "console" ? typedIn(text!) : name === undefined ? [] : [{ file: name, text: text! }];
  });

/** Writes the files of a page into a folder; what is typed in its `console` blocks. */
export function unfold(page: string, folder: string): Played[] {
  const parts = partsOf(page);
  for (const part of parts) {
    if (!("file" in part)) continue;
    mkdirSync(join(folder, dirname(part.file)), { recursive: true });
    writeFileSync(join(folder, part.file), part.text);
  }
  return parts.filter((part) => "command" in part);
}

const typedIn = (block: string): Played[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n");
      return { command: part.slice(0, end), says: part.slice(end + 1) };
    });

/** What a command prints, on both streams. */
export async function run(command: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn("bash", ["-c", `${command} 2>&1`], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  return printed;
}

/** What a page says of a command where that is what it printed, else what it printed. */
export const asSaid = (says: string, printed: string): string => (isAsSaid(says, printed, alike) ? says : printed);

/** Likewise, where each number counts: a page writes `...` for those that differ from run to run. */
export const asSaidExactly = (says: string, printed: string): string =>
  isAsSaid(says, printed, spaced) ? says : printed;

function isAsSaid(says: string, printed: string, normal: (text: string) => string): boolean {
  const lines = normal(says).trimEnd().split("\n").map(patternOf);
  return new RegExp(`^${lines.join("")}$`).test(normal(printed));
}

/** The first line of a text that is not in another one, after those before it; `...` stands for any text. */
export function firstMissing(says: string, printed: string): string | undefined {
  const lines = spaced(printed).split(/(?<=\n)/);
  return spaced(says)
    .trimEnd()
    .split("\n")
    .find((line) => {
      const pattern = new RegExp(`^${patternOf(line)}$`);
      const at = lines.findIndex((one) => pattern.test(one));
      lines.splice(0, at + 1);
      return at < 0;
    });
}

const patternOf = (line: string): string =>
  line === "..." ? "(?:.*\n)*" : `${RegExp.escape(line).replaceAll(RegExp.escape("..."), ".*")}\n`;

const spaced = (text: string): string => `${text.trimEnd()}\n`.replace(/[ \t]+/g, " ").replace(/ $/gm, "");

const alike = (text: string): string =>
  spaced(text)
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "UID")
    .replace(/'UID'/g, "UID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\d+/g, "N");
