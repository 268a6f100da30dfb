/**
 * What stands on a node: a file for each volume that is staged and for each path that is published.
 *
 * @module
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileNameOf, isMissing, readJson, writeJson } from "./records.ts";

/** A volume that is staged. */
export interface Staged {
  readonly volumeId: string;
  readonly path: string;
  readonly mode: number;
  readonly fsType: string;
  readonly flags: readonly string[];
}

/** A volume at a path. */
export interface Published {
  readonly volumeId: string;
  readonly path: string;
  readonly mode: number;
  readonly readOnly: boolean;
}

/** Files of one kind by the text that each is about. */
export class NodeFiles<T extends { readonly volumeId: string }> {
  readonly #folder: string;

  constructor(node: string, kind: "staged" | "published") {
    this.#folder = join(node, kind);
  }

  get(key: string): Promise<T | undefined> {
    return readJson<T>(this.#file(key));
  }

  put(key: string, value: T): Promise<void> {
    return writeJson(this.#file(key), value);
  }

  remove(key: string): Promise<void> {
    return rm(this.#file(key), { force: true });
  }

  /** Those of a volume. */
  async of(volumeId: string): Promise<T[]> {
    return (await readAll<T>(this.#folder)).filter((found) => found.volumeId === volumeId);
  }

  #file(key: string): string {
    return join(this.#folder, `${fileNameOf(key)}.json`);
  }
}

/** Whether a volume stands on any node. */
export async function usersOf(dir: string, volumeId: string): Promise<boolean> {
  for (const node of await names(join(dir, "nodes"))) {
    for (const kind of ["staged", "published"]) {
      const found = await readAll<{ volumeId: string }>(join(dir, "nodes", node, kind));
      if (found.some((one) => one.volumeId === volumeId)) return true;
    }
  }
  return false;
}

async function readAll<T>(folder: string): Promise<T[]> {
  const found: T[] = [];
  for (const name of await names(folder)) {
    const value = name.endsWith(".json") ? await readJson<T>(join(folder, name)) : undefined;
    if (value !== undefined) found.push(value);
  }
  return found;
}

async function names(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
