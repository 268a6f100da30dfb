/**
 * Helpers of the tests of the writer.
 *
 * @module
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Payload } from "../../../volumes/contract.ts";
import { type WriterFiles, systemFiles } from "../writer-files.ts";

/** Files by path, from their texts. */
export const payloadOf = (texts: Readonly<Record<string, string>>): Payload =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: 0o644 }]));

/** A temporary directory for a volume. */
export class TestDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "keelson-volume-"));

  /** The files that readers see: those without two dots at the beginning of their path. */
  seen(): Record<string, string> {
    return seenIn(this.path);
  }

  /** All names in the volume. */
  names(): string[] {
    return readdirSync(this.path).toSorted();
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The files that readers of a volume see. */
export function seenIn(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    try {
      for (const name of readdirSync(join(directory, path))) {
        if (path === "" && name.startsWith("..")) continue;
        walk(path === "" ? name : `${path}/${name}`);
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A link without a target does not exist for a reader.
      if (code === "ENOENT") return;
      if (code !== "ENOTDIR") throw error;
      found[path] = readFileSync(join(directory, path), "utf8");
    }
  };
  walk("");
  return found;
}

/** The error of a simulated end of the process. */
export class Killed extends Error {
  override readonly name = "Killed";
}

const CHANGES: readonly (keyof WriterFiles)[] = [
  "makeDirectory",
  "makeParents",
  "makeFile",
  "makeLink",
  "rename",
  "removeLink",
  "removeTree",
  "setDirectory",
];

/**
 * The file system of the machine until a number of changes; then all calls fail, as after the end of a process.
 *
 * @param partly whether the change after the last whole one is begun: a file has half of its bytes, a tree is partly
 *   removed
 */
export function filesUntil(
  changes: number,
  partly = false,
): { readonly files: WriterFiles; readonly made: () => number } {
  let made = 0;
  const files = { ...systemFiles } as Record<string, unknown>;
  for (const name of CHANGES) {
    const change = systemFiles[name] as (...args: unknown[]) => unknown;
    files[name] = (...args: unknown[]): unknown => {
      if (made >= changes) {
        if (partly && made === changes) begin(name, args);
        made++;
        throw new Killed();
      }
      made++;
      return change(...args);
    };
  }
  return { files: files as unknown as WriterFiles, made: () => made };
}

function begin(name: keyof WriterFiles, args: readonly unknown[]): void {
  if (name === "makeFile") {
    const [path, bytes] = args as [string, Uint8Array];
    systemFiles.makeFile(path, bytes.subarray(0, bytes.byteLength / 2), 0o600);
  }
  if (name === "removeTree") {
    const [path] = args as [string];
    const [first] = systemFiles.list(path);
    if (first) systemFiles.removeTree(`${path}/${first.name}`);
  }
}
