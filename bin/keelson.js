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
const source = new URL("../src/app/main.ts", import.meta.url);
const built = new URL("../dist/app/main.js", import.meta.url);
const inCheckout = existsSync(source);
// Compiled code is kept between starts. The variable says so to worker threads, which do not ask otherwise.
const cache = inCheckout
  ? fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url))
  : join(tmpdir(), "node-compile-cache");
process.env.NODE_COMPILE_CACHE ??= cache;
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { main } = await import((inCheckout ? source : built).href);
await main(process.argv.slice(2));
