/**
 * Writes the files of a volume so that readers see all of the old or all of the new content (PROJ-49..54).
 *
 *     VOLUME/..2026_11_25_22_30_01.123000000/   the last write
 *     VOLUME/..data -> ..2026_11_25_22_30_01.123000000
 *     VOLUME/NAME   -> ..data/NAME              for each first element of a path
 *
 * The content goes into a new directory, and a link to it is renamed over `..data`: readers see only this step. Each call
 * compares the files on disk with the desired ones, so no fsync is needed: the next call repairs the damage of a power cut.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import type { Slice } from "../../util/loop.ts";
import type { Payload } from "../../volumes/contract.ts";
import { holds } from "./compare.ts";
import { updateLinks } from "./update-links.ts";
import { type Owner, type WriterFiles, systemFiles } from "./writer-files.ts";
import { DATA, NEXT, isWriteName, writeName } from "./write-name.ts";
import { codeOf } from "../../util/error.ts";

/** Options of a write. */
export interface WriteOptions {
  readonly clock: Pick<Clock, "now" | "loop">;
  /** The group of all files, which gets the bits to read them. */
  readonly group?: number | undefined;
  /** Whether to set owners, which needs rights; true by default. */
  readonly owners?: boolean;
  /** The machine's by default. */
  readonly files?: WriterFiles;
  /** Shared by all simultaneous writes, so that together they do not hold the event loop; a new one by default. */
  readonly turns?: Slice;
}

/** The minimal bits of a group for files of a read-only volume, and for directories (PROJ-47, NODE-39). */
const GROUP_FILE = 0o440;
const GROUP_DIRECTORY = 0o2550;

/**
 * Writes a volume into an existing directory. A call without a change does nothing. After a failure or a crash at any point
 * the next call completes the write.
 *
 * @returns whether readers see other content than before
 */
export async function writeVolume(directory: string, payload: Payload, options: WriteOptions): Promise<boolean> {
  const writer = new VolumeWriter(directory, options);
  return writer.write(payload);
}

class VolumeWriter {
  readonly #directory: string;
  readonly #options: WriteOptions;
  readonly #files: WriterFiles;
  readonly #turns: Slice;

  constructor(directory: string, options: WriteOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#files = options.files ?? systemFiles;
    this.#turns = options.turns ?? options.clock.loop.slice();
  }

  async write(payload: Payload): Promise<boolean> {
    await this.#turns.pause();
    const current = this.#current();
    const isSame = current !== undefined && (await holds(this.#files, this.#at(current), payload, this.#turns));
    const next = isSame ? current : await this.#replace(payload, current);
    await updateLinks({
      files: this.#files,
      directory: this.#directory,
      current: next,
      names: new Set([...payload.keys()].map((path) => path.replace(/\/.*/s, ""))),
      owner: this.#owner(),
      turns: this.#turns,
    });
    return !isSame;
  }

  /** The directory of the last write. */
  #current(): string | undefined {
    const target = this.#files.target(this.#at(DATA));
    return target !== undefined && isWriteName(target) && this.#files.modeOf(this.#at(target)) !== undefined
      ? target
      : undefined;
  }

  async #replace(payload: Payload, current: string | undefined): Promise<string> {
    const name = this.#begin(current);
    try {
      await this.#fill(name, payload);
      this.#files.removeLink(this.#at(NEXT));
      this.#files.makeLink(this.#at(NEXT), name, this.#owner());
      this.#files.rename(this.#at(NEXT), this.#at(DATA));
    } catch (error) {
      this.#drop(name);
      throw error;
    }
    return name;
  }

  /** Creates the directory of a write. */
  #begin(current: string | undefined): string {
    for (let before = current; ;) {
      const name = writeName(this.#options.clock.now(), before);
      try {
        this.#files.makeDirectory(this.#at(name), this.#directoryMode, this.#owner());
        return name;
      } catch (error) {
        // A write that was not completed has left it.
        if (codeOf(error) !== "EEXIST") throw error;
        before = name;
      }
    }
  }

  async #fill(name: string, payload: Payload): Promise<void> {
    const made = new Set<string>();
    for (const [path, { bytes, mode, uid }] of payload) {
      for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
        const folder = path.slice(0, end);
        if (made.has(folder)) continue;
        this.#files.makeDirectory(this.#at(name, folder), this.#directoryMode, this.#owner());
        made.add(folder);
      }
      this.#files.makeFile(this.#at(name, path), bytes, this.#fileMode(mode), this.#owner(uid));
      await this.#turns.pause();
    }
  }

  /** Removes what a failed write has begun; the next one removes the rest. */
  #drop(name: string): void {
    try {
      this.#files.removeLink(this.#at(NEXT));
      this.#files.removeTree(this.#at(name));
    } catch {
      // The caller gets the error of the write.
    }
  }

  get #directoryMode(): number {
    return 0o755 | (this.#options.group === undefined ? 0 : GROUP_DIRECTORY);
  }

  #fileMode(mode: number): number {
    return mode | (this.#options.group === undefined ? 0 : GROUP_FILE);
  }

  #owner(uid = -1): Owner | undefined {
    const { group: gid = -1, owners = true } = this.#options;
    return owners && (uid >= 0 || gid >= 0) ? { uid, gid } : undefined;
  }

  #at(...path: readonly string[]): string {
    return [this.#directory, ...path].join("/");
  }
}
