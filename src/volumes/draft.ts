/**
 * The files of a volume while they are collected: later ones win over earlier ones of the same path (PROJ-35, PROJ-46).
 *
 * @module
 */
import type { Payload, VolumeFile } from "./contract.ts";
import { filePath } from "./file-path.ts";

/** See the head of this file. */
export class VolumeFiles {
  readonly #files = new Map<string, VolumeFile>();

  /** Puts a file at a path as the Pod writes it. @throws where the path is refused (PROJ-40) */
  put(path: string, file: VolumeFile): void {
    this.#files.set(filePath(path), file);
  }

  /** All of it. @throws where a file is to be a directory as well */
  payload(): Payload {
    for (const path of this.#files.keys()) {
      for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
        const folder = path.slice(0, at);
        if (this.#files.has(folder)) {
          throw new Error(`expected ${JSON.stringify(folder)} to be a file or a directory, found ${path} below it`);
        }
      }
    }
    return this.#files;
  }
}
