/**
 * Builds a program of Go for clusters of tests: GOOS=js, GOARCH=wasm, with an overlay of its standard library. Nothing of the program
 * is edited.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ROUND_TRIP_GO, deadlinesOf, fileCallsOf, hookOf } from "./overlay.ts";

/** The program to build. */
export interface GoBuild {
  /** The folder in which `go build` runs: that of the module. */
  readonly folder: string;
  /** The package of the program: `./cmd/manager`; the folder itself by default. */
  readonly package?: string;
  /** The file to write. */
  readonly output: string;
  /** The command, `go` of the path by default. */
  readonly go?: string;
  /** Further arguments: `-tags=...`. */
  readonly flags?: readonly string[];
}

/** The replaced files of the standard library. */
const REPLACED: Readonly<Record<string, (source: string) => string>> = {
  "net/http/roundtrip_js.go": () => ROUND_TRIP_GO,
  "syscall/fs_js.go": fileCallsOf,
  "runtime/lock_js.go": deadlinesOf,
  "runtime/proc.go": hookOf,
};

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 << 20;

/**
 * Builds a program; the first time takes minutes, as the standard library is compiled, too. It needs the same as `go build`: a module that
 * is not in the cache is downloaded.
 *
 * @throws Error with the output of the compiler
 */
export async function buildGoProgram(build: GoBuild): Promise<void> {
  const { folder, package: name = ".", output, go = "go", flags = [] } = build;
  const env = { ...process.env, GOOS: "js", GOARCH: "wasm", CGO_ENABLED: "0" };
  const call = async (...args: readonly string[]): Promise<string> => {
    try {
      const { stdout } = await run(go, args, { cwd: folder, env, maxBuffer: MAX_OUTPUT_BYTES });
      return stdout.trim();
    } catch (error) {
      const { stderr = "", message } = error as Error & { readonly stderr?: string };
      throw new Error(`${go} ${args[0]} of ${name} in ${folder} for js/wasm failed: ${stderr.trim() || message}`, {
        cause: error,
      });
    }
  };
  const [root, kind] = await Promise.all([call("env", "GOROOT"), call("list", ...flags, "-f={{.Name}}", name)]);
  if (kind !== "main") throw new Error(`expected ${name} in ${folder} to be one package main, got ${kind}`);
  const parts = await mkdtemp(join(tmpdir(), "keelson-go-"));
  try {
    const files: Record<string, string> = {};
    for (const [file, replace] of Object.entries(REPLACED)) {
      const path = join(root, "src", file);
      files[path] = join(parts, file.replaceAll("/", "-"));
      await writeFile(files[path], replace(await readFile(path, "utf8")));
    }
    const overlay = join(parts, "overlay.json");
    await writeFile(overlay, JSON.stringify({ Replace: files }));
    await call("build", `-overlay=${overlay}`, "-ldflags=-s -w", "-trimpath", ...flags, "-o", resolve(output), name);
  } finally {
    await rm(parts, { recursive: true });
  }
}
