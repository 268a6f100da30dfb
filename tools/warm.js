// Starts the server once and stops it, so that the compiled sources are kept: `npm ci` runs this, and the first start of
// a newcomer is as quick as the next one. Nothing depends on it: where it does not work, the first start is slower.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directory = mkdtempSync(join(tmpdir(), "keelson-warm-"));
const executable = new URL("../bin/keelson.js", import.meta.url).pathname;
const args = [executable, "serve", "--data-dir", directory, "--port", "0"];
const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
const giveUp = setTimeout(() => server.kill("SIGKILL"), 20_000);
server.stdout.on("data", (chunk) => {
  if (chunk.includes("ready in")) server.kill("SIGTERM");
});
server.on("error", () => clearTimeout(giveUp));
server.on("close", () => {
  clearTimeout(giveUp);
  rmSync(directory, { recursive: true, force: true });
});
