/**
 * Where the tests take etcd from: `ETCD=/path/to/etcd`, an `etcd` in PATH (Debian's package `etcd-server`), or the one
 * that `go.mod` beside this file names, built once with Go and kept under `node_modules/.cache`.
 *
 *     node test/etcd/binary.ts      prints which one it is
 *
 * @module
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

/** An etcd that can be started, or the reason why there is none. */
export type FoundEtcd =
  | { readonly path: string; readonly version: string; readonly from: string }
  | { readonly path: undefined; readonly reason: string };

const HERE = import.meta.dirname;
const CACHE = join(HERE, "../../node_modules/.cache/etcd");
const TOOL = "go.etcd.io/etcd/server/v3";
/** A build that takes longer than this has died. */
const BUILD_MS = 900_000;

let found: Promise<FoundEtcd> | undefined;

/** Finds an etcd, building it if need be, and prints which one it is; once for each process. */
export const findEtcd = (): Promise<FoundEtcd> =>
  (found ??= search().then((etcd) => {
    if (etcd.path === undefined) process.stderr.write(`etcd tests are skipped: ${etcd.reason}\n`);
    else process.stderr.write(`etcd ${etcd.version} from ${etcd.from}\n`);
    return etcd;
  }));

async function search(): Promise<FoundEtcd> {
  const named = process.env["ETCD"];
  if (named) return described(named, `ETCD=${named}`);
  const installed = inPath("etcd", ["/usr/bin", "/usr/local/bin"]);
  if (installed) return described(installed, installed);
  const go = inPath("go", ["/usr/local/go/bin"]);
  if (!go) return { path: undefined, reason: "neither etcd nor go is installed" };
  try {
    const built = await build(go);
    return described(built, `${TOOL}, built with ${go}`);
  } catch (error) {
    return { path: undefined, reason: `etcd could not be built: ${String(error)}` };
  }
}

function inPath(name: string, more: readonly string[]): string | undefined {
  const places = [...(process.env["PATH"] ?? "").split(":"), ...more];
  return places.map((place) => join(place, name)).find((file) => existsSync(file));
}

function described(path: string, from: string): FoundEtcd {
  const text = execFileSync(path, ["--version"], { encoding: "utf8" });
  return { path, version: /etcd Version: (\S+)/.exec(text)?.[1] ?? "of unknown version", from };
}

async function build(go: string): Promise<string> {
  const version = new RegExp(`${TOOL} (v[\\w.-]+)`).exec(readFileSync(join(HERE, "go.mod"), "utf8"))![1]!;
  const target = join(CACHE, `etcd-${version}`);
  mkdirSync(CACHE, { recursive: true });
  const lock = `${target}.lock`;
  while (!existsSync(target)) {
    if (!take(lock)) {
      await wait(500);
      continue;
    }
    try {
      process.stderr.write(`building ${TOOL} ${version}; this takes some minutes the first time\n`);
      const unfinished = `${target}.${process.pid}`;
      const args = ["build", "-trimpath", "-ldflags=-s -w", "-buildvcs=false", "-o", unfinished, TOOL];
      await promisify(execFile)(go, args, { cwd: HERE, timeout: BUILD_MS });
      renameSync(unfinished, target);
    } finally {
      rmdirSync(lock);
    }
  }
  return target;
}

/** Takes a lock between processes; one that was left behind counts for nothing. */
function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0;
    if (age > BUILD_MS) rmdirSync(lock);
    return false;
  }
}

if (process.argv[1] === import.meta.filename) await findEtcd();
