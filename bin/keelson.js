#!/usr/bin/env node
// Runs the built program where there is one, and the sources in a checkout.
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(`keelson: expected Node.js 24.9 or newer, got ${process.version}`);
  process.exit(1);
}
enableCompileCache?.();
const source = new URL("../src/app/main.ts", import.meta.url);
const built = new URL("../dist/app/main.js", import.meta.url);
const { main } = await import((existsSync(source) ? source : built).href);
await main(process.argv.slice(2));
