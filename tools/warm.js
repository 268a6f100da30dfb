// Puts the program together and starts its server once, so that what was compiled is kept: `npm ci` runs this, and a start in a
// checkout whose sources have changed. Nothing depends on it: where it does not work, starts are slower.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { get } from "node:https";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openProgram } from "../bin/program.js";

/** A server that does not respond within this time is given up. */
const RESPONSE_MS = 60_000;
/** What a process has begun so long ago it has left behind: another one may have its number since. */
const LEFT_BEHIND_MS = 600_000;

setPriority(10);
const root = fileURLToPath(new URL("../", import.meta.url));
if (isBeingMade(join(root, "dist/program"))) process.exit(0);
await import("./bundle.js");
const program = openProgram(root);
if (program) {
  const dataDir = mkdtempSync(join(tmpdir(), "keelson-warm-"));
  // A busy machine may take minutes to put the program together; the start itself takes half a second of CPU.
  setTimeout(() => process.exit(0), RESPONSE_MS).unref();
  try {
    process.stdout.write = () => true;
    await program.open("main.js", "serve").main(["serve", "--help"]);
    const server = await program.open("start.js", "serve").startServer({ dataDir, port: 0, dialect: "kubernetes" });
    const authorization = `Bearer ${server.pki.adminToken}`;
    const asked = { headers: { authorization }, rejectUnauthorized: false };
    await new Promise((done) =>
      get(`${server.url}/readyz`, asked, (response) => response.resume().on("end", done)).on("error", done),
    );
    program.keep();
    await server.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
process.exit(0);

/** Whether another process is at it, and lives. */
function isBeingMade(programs) {
  const names = existsSync(programs) ? readdirSync(programs) : [];
  return names.some((name) => {
    const [, pid] = /^making-(\d+)-/.exec(name) ?? [];
    const age = Date.now() - (statSync(join(programs, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return pid !== undefined && age < LEFT_BEHIND_MS && isAlive(Number(pid));
  });
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
