/**
 * Programs that have to be built before they can be run: once for each state of their sources, kept in the cache of this
 * project, and left out with a reason where the tools or the network are missing.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

const CACHE = new URL("../../node_modules/.cache/keelson/", import.meta.url).pathname;
/** How many builds of one program stay. */
const KEPT = 3;

/** What is to be built. */
export interface Source {
  /** As its users call it; part of the file name of what is built. */
  readonly name: string;
  /** The folder in which the commands run. */
  readonly folder: string;
  /** The files that it is built from; by default all files of the folder but those of TypeScript, which are tests. */
  readonly files?: readonly string[];
  /** Command lines, run one after the other in the folder, that make everything in the folder given. */
  readonly commands: (output: string) => readonly (readonly string[])[];
}

/** What tools say when they cannot download, or are too old; anything else that fails is a mistake in what is built. */
const NOT_OURS =
  /dial tcp|no such host|connection refused|i\/o timeout|network is unreachable|proxyconnect|requires go >=|Could not transfer|UnknownHost|in offline mode|wrong version|ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|name resolution|No matching distribution|ensurepip/i;

/**
 * The folder with what was built; built when it is asked for the first time, which may take minutes. Undefined, with a
 * reason printed, when a tool is not there or nothing can be downloaded. Rejects with what was printed when it fails for
 * another reason.
 */
export async function built(source: Source): Promise<string | undefined> {
  const { name, folder, commands } = source;
  const output = outputOf(source);
  if (existsSync(output)) return output;
  using _ = await lock(`${output}.lock`);
  // Another process may have built it meanwhile.
  if (existsSync(output)) return output;
  const making = `${output}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const started = performance.now();
  for (const command of commands(making)) {
    const failed = await fails(command, folder);
    if (failed === undefined) continue;
    rmSync(making, { recursive: true });
    if (!failed.forgivable) throw new Error(`${name} could not be built: ${failed.why}`);
    console.log(`${name} is left out: it could not be built (${reasonOf(failed.why)})`);
    return undefined;
  }
  renameSync(making, output);
  removeOlder(name);
  console.log(`${name} was built in ${Math.round((performance.now() - started) / 1000)} s`);
  return output;
}

/** Removes builds but the newest three: checkouts that share one cache may use them at the same time. */
function removeOlder(name: string): void {
  const builds = readdirSync(CACHE).filter((entry) => isBuild(entry, name));
  const aged = builds.map((entry) => ({ path: join(CACHE, entry), time: statSync(join(CACHE, entry)).mtimeMs }));
  for (const { path } of aged.toSorted((a, b) => b.time - a.time).slice(KEPT)) rmSync(path, { recursive: true });
}

/** Waits until no other process of tests builds the same: it would take twice the time of the machine. */
async function lock(path: string): Promise<Disposable> {
  mkdirSync(CACHE, { recursive: true });
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (!isAlive(Number(readIf(path)))) rmSync(path, { force: true });
    await sleep(200);
  }
}

function readIf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Whether a process runs; one whose number has not been written yet may. */
function isAlive(pid: number): boolean {
  if (!pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const outputOf = ({ name, folder, files = filesOf(folder) }: Omit<Source, "commands">): string =>
  join(CACHE, `${name}-${hashOf(folder, files)}`);

/** Whether it was built before, so that asking for it takes no time. */
export const isBuilt = (source: Omit<Source, "commands">): boolean => existsSync(outputOf(source));

/** The line that tells why, of all that a tool has said. */
function reasonOf(said: string): string {
  const lines = stripVTControlCharacters(said).trim().split("\n");
  return lines.find((line) => NOT_OURS.test(line)) ?? lines[0]!;
}

const isBuild = (entry: string, name: string): boolean =>
  entry.startsWith(`${name}-`) && /^[0-9a-f]{12}$/.test(entry.slice(name.length + 1));

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    // What a test plays with it stands beside it.
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));

function hashOf(folder: string, files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files.toSorted()) hash.update(file.slice(folder.length)).update("\0").update(readFileSync(file));
  return hash.digest("hex").slice(0, 12);
}

/** What a program of Go does counts here, not how fast: so a quarter of the work of compiling it is left out. */
const GOFLAGS = "'-gcflags=all=-N -l -dwarf=false' -ldflags=-w";

async function fails(
  [file, ...args]: readonly string[],
  cwd: string,
): Promise<{ why: string; forgivable: boolean } | undefined> {
  let child: ChildProcess;
  let said = "";
  try {
    child = spawn(file!, args, { cwd, env: { ...process.env, GOFLAGS }, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout!.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stderr!.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await once(child, "spawn");
  } catch (error) {
    return { why: String(error), forgivable: true };
  }
  try {
    // Tests that watch the clock may run beside it.
    setPriority(child.pid!, 10);
  } catch {
    // It has ended already.
  }
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0 ? undefined : { why: said, forgivable: NOT_OURS.test(said) };
}
