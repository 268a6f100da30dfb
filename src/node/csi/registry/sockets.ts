/**
 * Watches the sockets below a directory (CSIN-22).
 *
 * Events of the system start a scan, and so does a timer, which finds what an event has missed.
 *
 * @module
 */
import { type FSWatcher, type Stats, watch } from "node:fs";
import { lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "../../../util/clock.ts";
import type { Log } from "../../../util/log.ts";
import { ignoreMissing } from "../disk.ts";
import { messageOf } from "../../../util/error.ts";

/** Options of a watch. */
export interface SocketWatchOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with every path whose socket was created, removed or replaced. */
  readonly onChange: (path: string) => void;
}

const SCAN_INTERVAL_MS = 10_000;
const MAX_DEPTH = 8;

/** See the head of this file. */
export class SocketWatch {
  readonly #options: SocketWatchOptions;
  /** The identity of each socket, by its path. */
  #sockets: ReadonlyMap<string, string> = new Map();
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: Timer | undefined;
  #scanning: Promise<void> | undefined;
  #isStale = false;
  #closed = false;

  constructor(options: SocketWatchOptions) {
    this.#options = options;
  }

  /** Starts to watch, and reports existing sockets before it resolves. Creates the directory. */
  async start(): Promise<void> {
    await mkdir(this.#options.directory, { recursive: true, mode: 0o750 });
    await this.scan();
  }

  /** The identity of the socket at a path. */
  at(path: string): string | undefined {
    return this.#sockets.get(path);
  }

  /** Scans the directory; resolves after a scan that began later than this call. */
  scan(): Promise<void> {
    this.#isStale = true;
    this.#scanning ??= this.#scan();
    return this.#scanning;
  }

  /** Ends the watch, and all notifications. */
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
        await this.#scanDirectory(this.#options.directory, found, 0);
        this.#report(found);
      } catch (error) {
        this.#options.log.warn("the sockets of drivers cannot be listed", { error: messageOf(error) });
      }
    }
    this.#scanning = undefined;
    if (this.#closed) return;
    const again = (): void => void this.scan();
    this.#timer = this.#options.clock.after(SCAN_INTERVAL_MS, again, { owner: "sockets of drivers", upkeep: true });
  }

  /** Watches a directory before it reads it, so that no change is missed. */
  async #scanDirectory(directory: string, found: Found, depth: number): Promise<void> {
    this.#follow(directory);
    found.directories.add(directory);
    const entries = (await readdir(directory, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory() && depth < MAX_DEPTH) await this.#scanDirectory(path, found, depth + 1);
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
      const watcher = watch(directory, () => void this.scan());
      // The directory was removed, or the system has no more watches: scans have to be enough.
      watcher.on("error", end);
      watcher.unref();
      this.#watchers.set(directory, watcher);
    } catch (error) {
      this.#options.log.debug("a directory of sockets is not watched", { error: messageOf(error) });
    }
  }

  #report({ sockets, directories }: Found): void {
    for (const [directory, watcher] of this.#watchers) {
      if (directories.has(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    const before = this.#sockets;
    this.#sockets = sockets;
    for (const path of new Set([...before.keys(), ...sockets.keys()])) {
      if (before.get(path) !== sockets.get(path)) this.#options.onChange(path);
    }
  }
}

interface Found {
  readonly sockets: Map<string, string>;
  readonly directories: Set<string>;
}

const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev} ${ino} ${birthtimeMs}`;
