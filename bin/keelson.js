#!/usr/bin/env node
// Runs the built program where there is one, and the sources in a checkout.
import { existsSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(`keelson: expected Node.js 24.9 or newer, got ${process.version}`);
  process.exit(1);
}
// These run for long beside others, and each loads no more than it needs.
const isSmall = ["node", "csi", "driver"].includes(process.argv[2]);
if (isSmall) startCalmly();
const whole = [new URL("../src/app/main.ts", import.meta.url), new URL("../dist/app/main.js", import.meta.url)];
const small = [
  new URL("../src/app/small-main.ts", import.meta.url),
  new URL("../dist/small/small-main.js", import.meta.url),
];
const [source, built] = isSmall ? small : whole;
const inCheckout = existsSync(source);
// Compiled code is kept between starts; that takes memory, which counts for more in what is small, and sources take more of it.
// The variable says so to worker threads, which do not ask otherwise.
if (inCheckout || !isSmall) {
  const cache = inCheckout
    ? fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url))
    : join(tmpdir(), "node-compile-cache");
  process.env.NODE_COMPILE_CACHE ??= cache;
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
const { main } = await import((inCheckout ? source : built).href);
await main(process.argv.slice(2));

/**
 * Starts again, as the same process, without the compilers for speed: what they touch while the program is loaded stays in
 * memory. `src/app/calm-engine.ts` switches them on when there is much to do, and off where this is not to be had. And what
 * was compiled for the start alone is let go of by the first collection, not by the sixth; the heap is so small that threads have
 * nothing to share in that.
 */
function startCalmly() {
  const calm = ["--no-opt", "--no-maglev", "--no-sparkplug", "--single-threaded-gc", "--bytecode-old-age=1"];
  if (process.execve === undefined || process.execArgv.includes(calm[0])) return;
  const args = [process.argv0, ...process.execArgv, ...calm, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, args, process.env);
  } catch {
    // This platform cannot, or it is not permitted to.
  }
}
