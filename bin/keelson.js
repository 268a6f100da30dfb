#!/usr/bin/env node
// Runs the program that was put together of all modules; where there is none, or sources have changed, what was built, or the sources.
import { openProgram } from "./program.js";

// A module of Node's own, once it is imported, evaluates all that it has; here only what is used of it is asked for.
const { existsSync } = process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");
const { fileURLToPath } = process.getBuiltinModule("node:url");
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(`keelson: expected Node.js 24.9 or newer, got ${process.version}`);
  process.exit(1);
}
// These run for long beside others, and each loads no more than it needs.
const isSmall = ["node", "csi", "driver"].includes(process.argv[2]);
if (isSmall) startCalmly();
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
// Compiled code is kept between starts; that takes memory, which counts for more in what is small, and sources take more of it.
// The variable says so to worker threads, which do not ask otherwise.
if (inCheckout || !isSmall) {
  const cache = inCheckout
    ? join(root, "node_modules/.cache/compiled")
    : join(process.getBuiltinModule("node:os").tmpdir(), "node-compile-cache");
  process.env.NODE_COMPILE_CACHE ??= cache;
}
// Who wants nothing to be kept, as who looks for a fault may, is given the modules themselves.
const keeps = !process.env.NODE_DISABLE_COMPILE_CACHE;
const [command] = process.argv.slice(2);
const program = !isSmall && keeps ? openProgram(root) : undefined;
if (program) {
  await program.open("main.js", command === "serve" ? command : "others").main(process.argv.slice(2));
} else {
  if (process.env.NODE_COMPILE_CACHE)
    process.getBuiltinModule("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
  if (inCheckout && keeps && command === "serve") putTogetherLater();
  const { main } = await import((inCheckout ? source : built).href);
  await main(process.argv.slice(2));
}

/** Puts the program together for the next start, in a process of its own that gives way to all others. */
function putTogetherLater() {
  if (!existsSync(join(root, "node_modules/vite"))) return;
  const { spawn } = process.getBuiltinModule("node:child_process");
  const start = () =>
    spawn(process.execPath, [join(root, "tools/warm.js")], { detached: true, stdio: "ignore" }).unref();
  setTimeout(start, 3000).unref();
}

/**
 * Starts again, as the same process, without the compilers for speed: what they touch while the program is loaded stays in
 * memory. `src/app/memory/compiler-switch.ts` switches them on when there is much to do, and off where this is not to be had. And what
 * was compiled for the start alone is let go of by the first collection, not by the sixth; the heap is so small that threads have
 * nothing to share in that, the room for what is new stays small, and the heap is collected when it has grown by half.
 */
function startCalmly() {
  const calm = [
    ...["--no-opt", "--no-maglev", "--no-sparkplug", "--bytecode-old-age=1"],
    ...["--single-threaded-gc", "--max-semi-space-size=4", "--heap-growing-percent=50"],
  ];
  if (process.execve === undefined || process.execArgv.includes(calm[0])) return;
  const args = [process.argv0, ...process.execArgv, ...calm, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, args, process.env);
  } catch {
    // This platform cannot, or it is not permitted to.
  }
}
