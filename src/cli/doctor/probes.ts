/**
 * Reads the input of the checks from the machine. Nothing here decides, and nothing is changed except for a file that is written and
 * removed again.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { accessSync, constants, existsSync, readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { mkdir, open, rm, statfs } from "node:fs/promises";
import { connect } from "node:net";
import { delimiter, dirname, join } from "node:path";
import type { Clock } from "../../util/clock.ts";
import { codeOf } from "../../util/error.ts";
import type { DirectoryState } from "./folder.ts";
import { listeningInodes } from "./network.ts";

/** Reads a small text file; undefined where it cannot be read. */
export function readIf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").slice(0, 1024 * 1024);
  } catch {
    return undefined;
  }
}

/** Reads the state of a directory that may not exist. */
export function directoryState(path: string): DirectoryState {
  const exists = existsSync(path);
  const nearest = nearestFolder(path);
  return {
    path,
    exists,
    nearest,
    isWritable: isWritable(nearest),
    mode: exists && process.platform !== "win32" ? statSync(path).mode : undefined,
  };
}

function nearestFolder(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? path : nearestFolder(parent);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Reads the type and the space of the file system of a folder; sizes in bytes. */
export async function fileSystemOf(folder: string): Promise<{ magic: number; free: number; total: number }> {
  const { type, bavail, blocks, bsize } = await statfs(folder);
  return { magic: type, free: bavail * bsize, total: blocks * bsize };
}

/** How many writes are timed. */
const WRITES = 10;

/**
 * Writes to a new folder, and removes it.
 *
 * @returns the mean time of a write of 4 KiB with its flush in ms, and whether names that differ in case are one
 */
export async function tryFolder(
  clock: Pick<Clock, "steady">,
  parent: string,
): Promise<{ flushMillis: number; ignoresCase: boolean }> {
  const folder = join(parent, `.keelson-doctor-${randomUUID()}`);
  await mkdir(folder);
  try {
    const file = await open(join(folder, "a"), "w", 0o600);
    try {
      const page = Buffer.alloc(4096, 1);
      const began = clock.steady();
      for (let i = 0; i < WRITES; i++) {
        await file.write(page);
        await file.sync();
      }
      const flushMillis = (clock.steady() - began) / WRITES;
      return { flushMillis, ignoresCase: existsSync(join(folder, "A")) };
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Connects to a host and port; resolves to `open`, or to the code of the error. */
function tryConnection(clock: Pick<Clock, "after">, url: string, millis: number): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80) });
    const end = (state: string): void => {
      timer.cancel();
      socket.destroy();
      resolve(state);
    };
    const timer = clock.after(millis, () => end("no response"), { holds: true });
    socket.once("connect", () => end("open"));
    socket.once("error", (error) => end(codeOf(error) ?? error.message));
  });
}

/** Connects to several addresses at once; resolves to the states of {@link tryConnection} by address. */
export async function tryConnections(
  clock: Pick<Clock, "after">,
  urls: readonly string[],
  millis: number,
): Promise<Readonly<Record<string, string>>> {
  const states = urls.map(async (url) => [url, await tryConnection(clock, url, millis)] as const);
  return Object.fromEntries(await Promise.all(states));
}

/** The maximum number of processes that are searched for the owner of a socket. */
const MAX_PROCESSES = 5000;

/** Finds the process that listens on a port, by `/proc`; undefined where that cannot be known. */
export function listenerOf(port: number): { pid: number; command: string } | undefined {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"];
  const sockets = new Set(
    tables.flatMap((file) => listeningInodes(readIf(file), port)).map((inode) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return undefined;
  const pids = namesIn("/proc").filter((name) => /^\d+$/.test(name));
  for (const pid of pids.slice(0, MAX_PROCESSES)) {
    if (!namesIn(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)))) continue;
    const words = (readIf(`/proc/${pid}/cmdline`) ?? "").split("\0").slice(0, 3);
    return { pid: Number(pid), command: words.join(" ").trim().slice(0, 60) };
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Resolves the addresses of a name; none where it has none. */
export async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** The names of programs that are in PATH. */
export function inPath(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): string[] {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const suffixes = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];
  return names.filter((name) =>
    folders.some((folder) => suffixes.some((suffix) => existsSync(join(folder, `${name}${suffix}`)))),
  );
}

/** Runs a program of PATH; resolves to what it prints, an empty text where it fails, undefined where there is none. */
export function printedBy(command: string, args: readonly string[], millis: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: millis, maxBuffer: 1024 * 1024, windowsHide: true }, (error, stdout) => {
      resolve(error === null ? stdout : codeOf(error) === "ENOENT" ? undefined : "");
    });
  });
}
