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

/** What a mounter of the machine may be given. */
export interface MachineOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  /** After so many milliseconds a program is killed. */
  readonly timeout?: number;
  /** In which mounts are listed. */
  readonly table?: string;
  /** Runs a program that has to succeed. */
  readonly run?: typeof runWell;
}

/** Tries at a busy mount, and the pause after the first of them, which doubles. */
const TRIES = 4;
const PAUSE_MS = 50;
const TIMEOUT_MS = 60_000;

/** The mounter of this machine; whether it may mount is found out elsewhere, `openMounter`. */
export function machineMounter(options: MachineOptions = {}): Mounter {
  const { clock = systemClock, log = silentLog, timeout = TIMEOUT_MS, table = "/proc/self/mountinfo" } = options;
  const { run = runWell } = options;
  const shell = new Shell(clock, timeout);
  /** Mounts of memory wait for nobody, so that they may be made and taken away one after the other. */
  const callSoon = (program: string, ...args: string[]): Promise<string> =>
    options.run ? call(program, ...args) : shell.run(program, args);
  const call = (program: string, ...args: string[]): Promise<string> => run(program, args, { clock, timeout });

  // With thousands of lines the kernel needs milliseconds to print it, and many may ask at the same time.
  const readTable = sharedReading(() => readFile(table, "utf8"));
  const mounts: Mounter["mounts"] = async (below) => parseMountTable(await readTable(), below);
  /** The mounts on one place; by the table, which is there also when what is mounted does not answer any more. */
  const mountsAt = async (path: string): Promise<readonly Mount[]> =>
    (await mounts(path)).filter((mount) => mount.path === path);

  /** The uppermost mount of a place. */
  const unmountOne = async ({ path, type }: Mount): Promise<void> => {
    try {
      await (type === "tmpfs" ? callSoon : call)("umount", "--no-canonicalize", path);
    } catch (error) {
      if (!(error instanceof ProgramTimeout)) throw error;
      // What hangs (a server of files that is gone) is let go of; its place is free at once, and stays as it is.
      log.warn("A mount did not end; it was detached from its place", { path });
      await call("umount", "--no-canonicalize", "--force", "--lazy", path);
    }
  };

  const unmount = async (path: string): Promise<void> => {
    let pause = PAUSE_MS;
    let failed = 0;
    // The table is read once where all goes well: it may have thousands of lines.
    for (let left = await mountsAt(path); left.length > 0;) {
      try {
        await unmountOne(left.at(-1)!);
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
      // Paths are taken as they are: one that begins with /proc/N/fd must not be looked up by its name.
      await call("mount", "--no-canonicalize", "--bind", "--", from, to);
      if (!readOnly) return;
      try {
        await call("mount", "--no-canonicalize", "-o", "remount,bind,ro", "--", to);
      } catch (error) {
        // Nobody may see it as long as it can be written to.
        await unmount(to);
        throw error;
      }
    },
    async mount({ type, source, path, options: given = [] }) {
      const more = given.length > 0 ? ["-o", given.join(",")] : [];
      await (type === "tmpfs" ? callSoon : call)("mount", "-t", type, ...more, "--", source, path);
    },
  };
}
