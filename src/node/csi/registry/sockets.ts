/**
 * The sockets below a directory, as they come and go (CSIN-22).
 *
 * The system tells of changes, and the directory is looked through from time to time in any case: what it did not tell is
 * found then.
 *
 * @module
 */
import { type FSWatcher, type Stats, watch } from "node:fs";
import { lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "../../../util/clock.ts";
import type { Log } from "../../../util/log.ts";
import { ignoreMissing } from "../disk.ts";

/** What a watch is made with. */
export interface SocketWatchOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every path whose socket has come, gone, or become another. */
  readonly changed: (path: string) => void;
}

const RESCAN_MS = 10_000;
/** Directories deeper than that are not looked into. */
const DEEPEST = 8;

/** See the head of this file. */
export class SocketWatch {
  readonly #options: SocketWatchOptions;
  /** What tells a socket from one that comes after it at the same path. */
  #sockets: ReadonlyMap<string, string> = new Map();
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: Timer | undefined;
  #scanning: Promise<void> | undefined;
  #isStale = false;
  #closed = false;

  constructor(options: SocketWatchOptions) {
    this.#options = options;
  }

  /** Begins to watch; what is there already is told before it resolves. The directory is made. */
  async start(): Promise<void> {
    await mkdir(this.#options.directory, { recursive: true, mode: 0o750 });
    await this.look();
  }

  /** Which socket stands at a path now; undefined for none. */
  at(path: string): string | undefined {
    return this.#sockets.get(path);
  }

  /** Looks through the directory; resolves when that shows what was there when it was called. */
  look(): Promise<void> {
    this.#isStale = true;
    this.#scanning ??= this.#scan();
    return this.#scanning;
  }

  /** Ends the watch; nothing is told any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#scanning;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #scan(): Promise<void> {
    this.#timer?.cancel();
    while (this.#isStale && !this.#closed) {
      this.#isStale = false;
      const found: Found = { sockets: new Map(), directories: new Set() };
      try {
        await this.#lookInto(this.#options.directory, found, 0);
        this.#tell(found);
      } catch (error) {
        this.#options.log.warn("the sockets of drivers cannot be listed", { error: (error as Error).message });
      }
    }
    this.#scanning = undefined;
    if (this.#closed) return;
    const again = (): void => void this.look();
    this.#timer = this.#options.clock.after(RESCAN_MS, again, { owner: "sockets of drivers", upkeep: true });
  }

  /** Watches a directory before it is read: what comes in between is told. */
  async #lookInto(directory: string, found: Found, depth: number): Promise<void> {
    this.#follow(directory);
    found.directories.add(directory);
    const entries = (await readdir(directory, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory() && depth < DEEPEST) await this.#lookInto(path, found, depth + 1);
      if (!entry.isSocket()) continue;
      const stats = await lstat(path).catch(ignoreMissing);
      if (stats) found.sockets.set(path, identityOf(stats));
    }
  }

  #follow(directory: string): void {
    if (this.#watchers.has(directory) || this.#closed) return;
    const end = (): void => {
      this.#watchers.get(directory)?.close();
      this.#watchers.delete(directory);
    };
    try {
      const watcher = watch(directory, () => void this.look());
      // A directory that is removed, or more of them than the system follows: looking through it has to do.
      watcher.on("error", end);
      watcher.unref();
      this.#watchers.set(directory, watcher);
    } catch (error) {
      this.#options.log.debug("a directory of sockets is not followed", { error: (error as Error).message });
    }
  }

  #tell({ sockets, directories }: Found): void {
    for (const [directory, watcher] of this.#watchers) {
      if (directories.has(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    const before = this.#sockets;
    this.#sockets = sockets;
    for (const path of new Set([...before.keys(), ...sockets.keys()])) {
      if (before.get(path) !== sockets.get(path)) this.#options.changed(path);
    }
  }
}

interface Found {
  readonly sockets: Map<string, string>;
  readonly directories: Set<string>;
}

const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev} ${ino} ${birthtimeMs}`;
