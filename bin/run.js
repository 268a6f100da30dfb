// Runs the bundled program; without one, or after a change of the sources, the built modules or the sources.
import { cacheFolder, openProgram } from "./program.js";

// The import of a built-in module of Node.js evaluates all of its exports; getBuiltinModule does not.
const { existsSync } = process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");
const { fileURLToPath } = process.getBuiltinModule("node:url");
// Long-running programs, which should be small: each loads only its own modules.
const isSmall = ["node", "csi", "driver"].includes(process.argv[2]);
if (isSmall) restartWithoutCompilers();
/** The server is ready by then, and its code is complete. */
const KEEP_DELAY_MS = 1000;
const root = fileURLToPath(new URL("../", import.meta.url));
const whole = [
  new URL("../src/app/program/main.ts", import.meta.url),
  new URL("../dist/app/program/main.js", import.meta.url),
];
const small = [
  new URL("../src/app/program/small-main.ts", import.meta.url),
  new URL("../dist/small/small-main.js", import.meta.url),
];
const [source, built] = isSmall ? small : whole;
const inCheckout = existsSync(source);
// The compile cache takes memory, so small programs do not use it unless they run from sources. The variable is for worker
// threads.
if (inCheckout || !isSmall) {
  const cache = compileCache();
  if (cache) process.env.NODE_COMPILE_CACHE ??= cache;
}
// Without a compile cache, as for debugging, the modules themselves run.
const keeps = !process.env.NODE_DISABLE_COMPILE_CACHE;
const [command] = process.argv.slice(2);
const program = !isSmall && keeps ? openProgram(root) : undefined;
if (inCheckout && keeps && command === "serve") buildConsoleLater();
if (program) {
  const { main } = program.open("main.js", command === "serve" ? command : "others");
  // Later collections drop the code of functions that run only at the start.
  if (command === "serve") setTimeout(() => program.keep(), KEEP_DELAY_MS).unref();
  await main(process.argv.slice(2));
} else {
  if (process.env.NODE_COMPILE_CACHE)
    process.getBuiltinModule("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
  if (inCheckout && keeps && command === "serve") bundleLater();
  const { main } = await import((inCheckout ? source : built).href);
  await main(process.argv.slice(2));
}

/**
 * Returns a folder in which no other user can write, since its code runs; undefined if there is none. That excludes the one in /tmp
 * that Node.js uses by default and, for root, the home of the user that runs sudo.
 */
function compileCache() {
  if (inCheckout) return join(root, "node_modules/.cache/compiled");
  if (process.getuid?.() === 0) return join(root, "dist/compiled");
  const folder = cacheFolder();
  return folder && `${folder}-node`;
}

/** Bundles the program for the next start, in a process with low priority. */
function bundleLater() {
  if (!existsSync(join(root, "node_modules/vite"))) return;
  const { spawn } = process.getBuiltinModule("node:child_process");
  const start = () =>
    spawn(process.execPath, [join(root, "tools/warm.js")], { detached: true, stdio: "ignore" }).unref();
  setTimeout(start, 3000).unref();
}

/** Builds the page of the console where its sources have changed, in a process with low priority. */
function buildConsoleLater() {
  if (!existsSync(join(root, "node_modules/vite"))) return;
  const { spawn } = process.getBuiltinModule("node:child_process");
  const start = async () => {
    const { isConsoleStale } = await import("../tools/console.js");
    if (isConsoleStale())
      spawn(process.execPath, [join(root, "tools/console.js")], { detached: true, stdio: "ignore" }).unref();
  };
  setTimeout(() => start().catch(() => {}), 4000).unref();
}

/**
 * Restarts the program in the same process without optimizing compilers, whose memory for loading the program would stay.
 * `src/app/memory/compiler-switch.ts` enables them once the process is busy, and disables them if a restart is not possible. Also,
 * code for the start is removed by the first garbage collection instead of the sixth, the collector has no threads, the new
 * space stays small, and the heap is collected after it has grown by half.
 */
function restartWithoutCompilers() {
  const flags = [
    ...["--no-opt", "--no-maglev", "--no-sparkplug", "--bytecode-old-age=1"],
    ...["--single-threaded-gc", "--max-semi-space-size=4", "--heap-growing-percent=50"],
  ];
  if (process.execve === undefined || process.execArgv.includes(flags[0])) return;
  const args = [process.argv0, ...process.execArgv, ...flags, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, args, process.env);
  } catch {
    // The platform does not support it, or does not permit it.
  }
}
