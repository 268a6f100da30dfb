import type { Payload, VolumeFile } from "./contract.ts";
import { filePath } from "./file-path.ts";

/** The files of a volume during collection: a later file replaces one of the same path (PROJ-35, PROJ-46). */
export class VolumeFiles {
  readonly #files = new Map<string, VolumeFile>();

  /** Adds a file. @throws where the path is invalid (PROJ-40) */
  put(path: string, file: VolumeFile): void {
    this.#files.set(filePath(path), file);
  }

  /** Returns all files. @throws where a path is both a file and a directory */
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
