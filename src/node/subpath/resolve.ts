/**
 * Resolves a path in a volume without ever leaving the volume (NODE-68).
 *
 * Containers can write to volumes, and can swap a directory for a link at any time. So the path is resolved element by
 * element from the root of the volume: each directory is open, and no element is followed. A link is read, and its path is
 * resolved in the same way. The result is open, too, and is bound by its descriptor, wherever its name leads then.
 *
 * @module
 */
import { chmod, mkdir, readlink } from "node:fs/promises";
import { HeldDirectory, type Location } from "../mounts/held-directory.ts";
import { elementsOf } from "./expand.ts";
import { codeOf, messageOf } from "../../util/error.ts";

/** The error of a path that leads out of its volume, or to nothing. */
export class SubPathError extends Error {
  override readonly name = "SubPathError";
}

/** The result of a resolution; the caller closes it. */
export interface Resolved {
  readonly isDirectory: boolean;
  /** A path for this and other processes while it is open. */
  readonly path: string;
  close(): Promise<void>;
}

/** The limit of Linux for a path. */
const MAX_LINKS = 40;
/** How many changes by other processes are tolerated. */
const MAX_CHANGES = 100;

const MODES = 0o7777;

/**
 * Resolves a subPath in a volume. Missing directories are created with the mode of the volume's root.
 *
 * @param volume the root of the volume; links above it are followed
 * @throws SubPathError where the path leads out of the volume, or to nothing
 */
export async function resolveSubPath(volume: string, subPath: string): Promise<Resolved> {
  let elements: string[];
  try {
    elements = elementsOf(subPath);
  } catch (error) {
    throw new SubPathError(messageOf(error));
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
  /** The open directories, from the root to the current one. */
  readonly #stack: HeldDirectory[];
  /** The result, which stays open. */
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
      const location = await this.#locate(Buffer.from(name));
      const stats = await location.handle.stat();
      if (stats.isSymbolicLink()) {
        await location.handle.close();
        ahead.push(...(await this.#link(Buffer.from(name))).toReversed());
      } else if (stats.isDirectory()) {
        await location.handle.close();
        await this.#into(Buffer.from(name), () => ahead.push(name));
      } else if (ahead.some((left) => left !== "" && left !== ".")) {
        await location.handle.close();
        throw this.#error(`${name} is not a directory`);
      } else {
        return resolvedFile(location);
      }
    }
    const directory = this.#top;
    this.#kept = directory;
    return { isDirectory: true, path: ofProcess(directory.descriptor, directory.path), close: () => directory.close() };
  }

  get #top(): HeldDirectory {
    return this.#stack.at(-1)!;
  }

  /** The location of an element; creates a directory where nothing exists. */
  async #locate(name: Buffer): Promise<Location> {
    for (;;) {
      try {
        return await this.#top.location(name);
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
      throw this.#error(`${name.toString()} cannot be created: ${messageOf(error)}`);
    }
    // It may be something else now, so it is opened like everything else before it is changed.
    const made = await this.#top.location(name);
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
      // It was a directory a moment ago: the element is tried again, a bounded number of times.
      this.#change();
      again();
    }
  }

  async #back(): Promise<void> {
    if (this.#stack.length === 1) throw this.#error("the path leads out of the volume");
    await this.#stack.pop()?.close();
  }

  /** The elements of a link's path; an absolute one begins at the root of the volume, if it leads there. */
  async #link(name: Buffer): Promise<string[]> {
    if (++this.#links > MAX_LINKS) throw this.#error("the path has too many links");
    const target = await readlink(this.#top.at(name)).catch((error: unknown) => {
      if (codeOf(error) === "EINVAL" || codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (target === undefined) {
      this.#change();
      return [name.toString()];
    }
    if (!target.startsWith("/")) return target.split("/");
    if (target !== this.#volume && !target.startsWith(`${this.#volume}/`)) {
      throw this.#error("the path leads out of the volume");
    }
    while (this.#stack.length > 1) await this.#back();
    return target.slice(this.#volume.length).split("/");
  }

  #change(): void {
    if (++this.#changes > MAX_CHANGES) throw this.#error("the path changes all the time");
  }

  #error(why: string): SubPathError {
    return new SubPathError(`subPath ${this.#subPath} of the volume at ${this.#volume} cannot be used: ${why}`);
  }

  async close(): Promise<void> {
    for (const directory of this.#stack) if (directory !== this.#kept) await directory.close();
  }
}

const resolvedFile = ({ handle, path }: Location): Resolved => ({
  isDirectory: false,
  path: ofProcess(handle.fd, path.toString()),
  close: () => handle.close(),
});

/** A path to a descriptor of this process for other programs. */
const ofProcess = (descriptor: number, path: string): string =>
  process.platform === "linux" ? `/proc/${process.pid}/fd/${descriptor}` : path;
