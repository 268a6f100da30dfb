/**
 * Writes the files of a volume so that who reads sees all of the old or all of the new (PROJ-49..54).
 *
 *     VOLUME/..2026_11_25_22_30_01.123000000/   what was written last
 *     VOLUME/..data -> ..2026_11_25_22_30_01.123000000
 *     VOLUME/NAME   -> ..data/NAME              for each first element of a path
 *
 * The contents go into a new directory, a link to it is renamed over `..data`: that is the one step that readers see. What is
 * on disk is compared with what is to be there at every call, so nothing has to be forced to the disk: what a power cut
 * damages is written anew by the next call.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import type { Slice } from "../../util/loop.ts";
import type { Payload } from "../../volumes/contract.ts";
import { holds } from "./compare.ts";
import { settle } from "./settle.ts";
import { type Owner, type WriterFiles, codeOf, systemFiles } from "./writer-files.ts";
import { DATA, NEXT, isWriteName, writeName } from "./write-name.ts";

/** How a volume is written. */
export interface WriteOptions {
  readonly clock: Pick<Clock, "now" | "loop">;
  /** The group that everything gets, with the bits to read it. */
  readonly group?: number | undefined;
  /** Whether owners are set, which takes rights; by default they are. */
  readonly owners?: boolean;
  /** The machine's by default. */
  readonly files?: WriterFiles;
  /** Shared by all who write at the same time, so that together they hold nobody up; one of its own by default. */
  readonly turns?: Slice;
}

/** What a group may do at least with the files of a volume that nobody writes to, and with directories (PROJ-47, NODE-39). */
const GROUP_FILE = 0o440;
const GROUP_DIRECTORY = 0o2550;

/**
 * Writes a volume into a directory that is there. It is done as well where nothing has changed; after a failure or the end of the
 * process at any point the next call finishes it.
 *
 * @returns whether readers see something else than before
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
    await settle({
      files: this.#files,
      directory: this.#directory,
      current: next,
      names: new Set([...payload.keys()].map((path) => path.split("/", 1)[0]!)),
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

  /** Makes the directory of a write. */
  #begin(current: string | undefined): string {
    for (let before = current; ;) {
      const name = writeName(this.#options.clock.now(), before);
      try {
        this.#files.makeDirectory(this.#at(name), this.#directoryMode, this.#owner());
        return name;
      } catch (error) {
        // Left behind by a write that did not come to its end.
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

  /** Takes away what a write has begun; what cannot be taken away now is by the next one. */
  #drop(name: string): void {
    try {
      this.#files.removeLink(this.#at(NEXT));
      this.#files.removeTree(this.#at(name));
    } catch {
      // The failure of the write itself is what is told.
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
