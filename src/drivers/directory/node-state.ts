/**
 * The volumes of a node: a file for each volume that is staged and for each path that is published.
 *
 * @module
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import { fileNameOf, ifExists, readJson, writeJson } from "./records.ts";

/** A staged volume. */
export interface Staged {
  readonly volumeId: string;
  readonly path: string;
  readonly mode: number;
  readonly fsType: string;
  readonly flags: readonly string[];
}

/** A volume at a path of a Pod. */
export interface Published {
  readonly volumeId: string;
  readonly path: string;
  readonly mode: number;
  readonly readOnly: boolean;
}

/** The files of one kind by their keys: IDs of staged volumes, or published paths. */
export class NodeFiles<T extends { readonly volumeId: string; readonly path: string }> {
  readonly #kind: "staged" | "published";
  readonly #folder: string;

  constructor(node: string, kind: "staged" | "published") {
    this.#kind = kind;
    this.#folder = join(node, kind);
  }

  get(key: string): Promise<T | undefined> {
    return readJson<T>(this.#file(key));
  }

  /** As `get`. Throws `AlreadyExists` where the value is not the desired one. */
  async getSame(key: string, desired: T): Promise<T | undefined> {
    const found = await this.get(key);
    if (!found || JSON.stringify(found) === JSON.stringify(desired)) return found;
    throw new DriverError("AlreadyExists", `the volume is ${this.#kind} at ${found.path} in another way`);
  }

  put(key: string, value: T): Promise<void> {
    return writeJson(this.#file(key), value);
  }

  remove(key: string): Promise<void> {
    return rm(this.#file(key), { force: true });
  }

  /** The values of a volume. */
  async of(volumeId: string): Promise<T[]> {
    return (await readAll<T>(this.#folder)).filter((found) => found.volumeId === volumeId);
  }

  #file(key: string): string {
    return join(this.#folder, `${fileNameOf(key)}.json`);
  }
}

/** Whether a volume is staged or published on any node. */
export async function isOnAnyNode(dir: string, volumeId: string): Promise<boolean> {
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

const names = async (folder: string): Promise<string[]> => (await ifExists(readdir(folder))) ?? [];
