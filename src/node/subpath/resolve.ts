/**
 * What a path inside of a volume leads to, without ever leaving the volume (NODE-68).
 *
 * Containers can write to volumes, and can swap a directory for a link between any two steps of ours. So the way is gone step by
 * step from the volume's root, each directory held open, each name looked at in the directory that is held and never followed: a
 * link is read, and its path gone in the same way. What comes out is held as well, and is what is bound, whatever its name leads to
 * by then.
 *
 * @module
 */
import { chmod, mkdir, readlink } from "node:fs/promises";
import { HeldDirectory, type Place, codeOf } from "../mounts/held-directory.ts";
import { elementsOf } from "./expand.ts";

/** A path leads out of its volume, or nowhere. */
export class SubPathError extends Error {
  override readonly name = "SubPathError";
}

/** What a path inside of a volume led to; who has it closes it. */
export interface Resolved {
  readonly isDirectory: boolean;
  /** By which it is reached from this process and others, as long as it is held. */
  readonly path: string;
  close(): Promise<void>;
}

/** As many links as Linux follows in one path. */
const MOST_LINKS = 40;
/** So often may others be in our way between two steps. */
const MOST_CHANGES = 100;

const MODES = 0o7777;

/**
 * Goes the way of a subPath in a volume; directories that are missing are made with the mode of the volume's root.
 *
 * @param volume the root of the volume: a directory; above it links are followed
 * @throws SubPathError where the way leads out of the volume or nowhere
 */
export async function resolveSubPath(volume: string, subPath: string): Promise<Resolved> {
  let elements: string[];
  try {
    elements = elementsOf(subPath);
  } catch (error) {
    throw new SubPathError((error as Error).message);
  }
  const walk = new Walk(volume, subPath, await HeldDirectory.open(`${volume}/.`));
  try {
    return await walk.go(elements);
  } finally {
    await walk.close();
  }
}

class Walk {
  readonly #volume: string;
  readonly #subPath: string;
  /** From the root to where the walk stands. */
  readonly #stack: HeldDirectory[];
  /** What comes out of the walk and stays open. */
  #kept: HeldDirectory | undefined;
  #links = 0;
  #changes = 0;

  constructor(volume: string, subPath: string, root: HeldDirectory) {
    this.#volume = volume;
    this.#subPath = subPath;
    this.#stack = [root];
  }

  async go(elements: readonly string[]): Promise<Resolved> {
    const ahead = elements.toReversed();
    for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        await this.#back();
        continue;
      }
      const place = await this.#place(Buffer.from(name));
      const stats = await place.handle.stat();
      if (stats.isSymbolicLink()) {
        await place.handle.close();
        ahead.push(...(await this.#link(Buffer.from(name))).toReversed());
      } else if (stats.isDirectory()) {
        await place.handle.close();
        await this.#into(Buffer.from(name), () => ahead.push(name!));
      } else if (ahead.some((left) => left !== "" && left !== ".")) {
        await place.handle.close();
        throw this.#error(`${name} is not a directory`);
      } else {
        return reached(place);
      }
    }
    const directory = this.#top;
    this.#kept = directory;
    return { isDirectory: true, path: ofProcess(directory.descriptor, directory.path), close: () => directory.close() };
  }

  get #top(): HeldDirectory {
    return this.#stack.at(-1)!;
  }

  /** The place of a name; a directory is made where nothing is. */
  async #place(name: Buffer): Promise<Place> {
    for (;;) {
      try {
        return await this.#top.place(name);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
      }
      this.#change();
      await this.#make(name);
    }
  }

  async #make(name: Buffer): Promise<void> {
    const mode = Number((await this.#stack[0]!.stats()).mode) & MODES;
    try {
      await mkdir(this.#top.at(name), { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) === "EEXIST") return;
      throw this.#error(`${name.toString()} cannot be made: ${(error as Error).message}`);
    }
    // What stands there by now is opened like everything else before it is changed.
    const made = await this.#top.place(name);
    try {
      if ((await made.handle.stat()).isDirectory()) await chmod(made.path, mode);
    } finally {
      await made.handle.close();
    }
  }

  async #into(name: Buffer, again: () => void): Promise<void> {
    try {
      this.#stack.push(await this.#top.directory(name));
    } catch (error) {
      if (!["ELOOP", "ENOTDIR", "ENOENT"].includes(codeOf(error) ?? "")) throw error;
      // It was a directory just now: whoever swapped it is looked at again, but not for ever.
      this.#change();
      again();
    }
  }

  async #back(): Promise<void> {
    if (this.#stack.length === 1) throw this.#error("it leads out of the volume");
    await this.#stack.pop()!.close();
  }

  /** The elements of a link's path; an absolute one begins anew at the volume's root, if that is where it leads. */
  async #link(name: Buffer): Promise<string[]> {
    if (++this.#links > MOST_LINKS) throw this.#error("it has too many links");
    const target = await readlink(this.#top.at(name)).catch((error: unknown) => {
      if (codeOf(error) === "EINVAL" || codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (target === undefined) {
      this.#change();
      return [name.toString()];
    }
    if (!target.startsWith("/")) return target.split("/");
    if (target !== this.#volume && !target.startsWith(`${this.#volume}/`))
      throw this.#error("it leads out of the volume");
    while (this.#stack.length > 1) await this.#back();
    return target.slice(this.#volume.length).split("/");
  }

  #change(): void {
    if (++this.#changes > MOST_CHANGES) throw this.#error("it is changed all the time");
  }

  #error(why: string): SubPathError {
    return new SubPathError(`subPath ${this.#subPath} of the volume at ${this.#volume} cannot be used: ${why}`);
  }

  async close(): Promise<void> {
    for (const directory of this.#stack) if (directory !== this.#kept) await directory.close();
  }
}

const reached = ({ handle, path }: Place): Resolved => ({
  isDirectory: false,
  path: ofProcess(handle.fd, path.toString()),
  close: () => handle.close(),
});

/** The path of a descriptor as a program that this process starts reaches it. */
const ofProcess = (descriptor: number, path: string): string =>
  process.platform === "linux" ? `/proc/${process.pid}/fd/${descriptor}` : path;
