/**
 * Mounts of this machine, by mount(8) and umount(8) of util-linux.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, sleep, systemClock } from "../../util/clock.ts";
import { type Log, silentLog } from "../../util/log.ts";
import type { Mounter } from "../contract.ts";
import { mountIdAt } from "./held-directory.ts";
import { type Mount, parseMountTable } from "../../util/mount-table.ts";
import { ProgramTimeout, runWell } from "./run-program.ts";
import { sharedReading } from "./shared-reading.ts";
import { Shell } from "./shell.ts";

/** Options of a mounter. */
export interface MachineOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  /** Milliseconds after which a program is killed. */
  readonly timeout?: number;
  /** The file with the mount table. */
  readonly table?: string;
  /** Runs a program that has to succeed. */
  readonly run?: typeof runWell;
}

/** Attempts to unmount a busy mount, and the first pause between them, which doubles. */
const TRIES = 4;
const PAUSE_MS = 50;
const TIMEOUT_MS = 60_000;

/** The mounter of this machine; `openMounter` finds out whether it may mount. */
export function machineMounter(options: MachineOptions = {}): Mounter {
  const { clock = systemClock, log = silentLog, timeout = TIMEOUT_MS, table = "/proc/self/mountinfo" } = options;
  const { run = runWell } = options;
  const shell = new Shell(clock, timeout);
  /** Mounts of a tmpfs take no time, so they can run one after the other in the shell. */
  const callSoon = (program: string, ...args: string[]): Promise<string> =>
    options.run ? call(program, ...args) : shell.run(program, args);
  const call = (program: string, ...args: string[]): Promise<string> => run(program, args, { clock, timeout });

  // The kernel needs milliseconds to print thousands of lines, and many callers may read at the same time.
  const readTable = sharedReading(() => readFile(table, "utf8"));
  const mounts: Mounter["mounts"] = async (below) => parseMountTable(await readTable(), below);
  /** The mounts at a path, from the table: it does not depend on the server of a mount. */
  const mountsAt = async (path: string): Promise<readonly Mount[]> =>
    (await mounts(path)).filter((mount) => mount.path === path);

  /** Unmounts the topmost mount of a path. */
  const unmountOne = async ({ path, type }: Mount): Promise<void> => {
    try {
      await (type === "tmpfs" ? callSoon : call)("umount", "--no-canonicalize", path);
    } catch (error) {
      if (!(error instanceof ProgramTimeout)) throw error;
      // A mount that hangs (its file server is gone) is detached: its path is free at once.
      log.warn("A mount did not end; it was detached from its path", { path });
      await call("umount", "--no-canonicalize", "--force", "--lazy", path);
    }
  };

  const unmount = async (path: string): Promise<void> => {
    let pause = PAUSE_MS;
    let failed = 0;
    // Reads the table once where all goes well: it may have thousands of lines.
    let left = await mountsAt(path);
    for (let last = left.at(-1); last; last = left.at(-1)) {
      try {
        await unmountOne(last);
        left = left.slice(0, -1);
      } catch (error) {
        left = await mountsAt(path);
        if (left.length === 0) return;
        if (++failed === TRIES) throw error;
        await sleep(clock, pause, undefined, { owner: "unmount", holds: true });
        pause *= 2;
      }
    }
  };

  return {
    canMount: true,
    mounts,
    unmount,
    async isMountPoint(path) {
      const own = await mountIdAt(path);
      if (own === undefined) return false;
      return path === "/" || own !== (await mountIdAt(dirname(path), { follow: true }));
    },
    async bind(from, to, { readOnly = false } = {}) {
      // Paths are used as they are: mount(8) must not resolve one that begins with /proc/N/fd.
      await call("mount", "--no-canonicalize", "--bind", "--", from, to);
      if (!readOnly) return;
      try {
        await call("mount", "--no-canonicalize", "-o", "remount,bind,ro", "--", to);
      } catch (error) {
        // No Pod may see it while it is writable.
        await unmount(to);
        throw error;
      }
    },
    async mount({ type, source, path, options: list = [] }) {
      const more = list.length > 0 ? ["-o", list.join(",")] : [];
      await (type === "tmpfs" ? callSoon : call)("mount", "-t", type, ...more, "--", source, path);
    },
  };
}
