/**
 * A copy of the sources, in which a test follows a passage of the pages to the letter.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

export const root = new URL("../../", import.meta.url).pathname;

/** The text of a page below one of its headings, up to the next heading of that rank. */
export function passageOf(page: string, heading: string): string {
  const text = readFileSync(join(root, page), "utf8");
  const begin = text.indexOf(`## ${heading}\n`);
  if (begin < 0) throw new Error(`expected ${page} to have the heading ${heading}`);
  const end = text.indexOf("\n## ", begin);
  return text.slice(begin, end < 0 ? undefined : end);
}

/** The blocks of code of a passage that name their file in the first line. */
export const blocksOf = (passage: string): readonly { readonly file: string; readonly text: string }[] =>
  [...passage.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(([, file = "", text = ""]) => ({ file, text }));

/** See the head of this file. */
export class CopiedSources {
  readonly #folder = mkdtempSync(join(tmpdir(), "keelson-copy-"));

  constructor(paths: readonly string[] = ["src", "package.json"]) {
    for (const path of paths) cpSync(join(root, path), this.path(path), { recursive: true });
    symlinkSync(join(root, "node_modules"), this.path("node_modules"));
  }

  path(file: string): string {
    return join(this.#folder, file);
  }

  read(file: string): string {
    return readFileSync(this.path(file), "utf8");
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), text);
  }

  /** Puts text before a line of a file, and an import in front, where one is needed. */
  insert(file: string, text: string, line: string, imported = ""): void {
    const old = this.read(file);
    if (!old.includes(line)) throw new Error(`expected ${file} to have the line ${line}`);
    this.write(file, old.replace(line, `${text}${line}`).replace(/^(?=import )/m, imported));
  }

  /** Runs a program in the folder, and answers what it prints, decoded from JSON. */
  async run(program: string, args: readonly string[] = []): Promise<unknown> {
    this.write("program.ts", program);
    const options = { env: { PATH: "", HOME: this.#folder }, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(process.execPath, [this.path("program.ts"), ...args], options);
    return JSON.parse(stdout);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
