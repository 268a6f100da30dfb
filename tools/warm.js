// Puts the program together and starts its server once, so that what was compiled is kept: `npm ci` runs this, and a start in a
// checkout whose sources have changed. Nothing depends on it: where it does not work, starts are slower.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { get } from "node:https";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openProgram } from "../bin/program.js";

const GIVE_UP_MS = 60_000;

setPriority(10);
setTimeout(() => process.exit(0), GIVE_UP_MS).unref();
const root = fileURLToPath(new URL("../", import.meta.url));
if (isBeingMade(join(root, "dist/program"))) process.exit(0);
await import("./bundle.js");
const program = openProgram(root);
if (program) {
  const dataDir = mkdtempSync(join(tmpdir(), "keelson-warm-"));
  try {
    process.stdout.write = () => true;
    await program.open("main.js", "serve").main(["serve", "--help"]);
    const server = await program.open("start.js", "serve").startServer({ dataDir, port: 0, dialect: "kubernetes" });
    const authorization = `Bearer ${server.pki.adminToken}`;
    const asked = { headers: { authorization }, rejectUnauthorized: false };
    await new Promise((done) =>
      get(`${server.url}/readyz`, asked, (answer) => answer.resume().on("end", done)).on("error", done),
    );
    program.keep();
    await server.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
process.exit(0);

/** Whether somebody else is at it; who was killed is at nothing. */
function isBeingMade(programs) {
  const names = existsSync(programs) ? readdirSync(programs).filter((name) => name.startsWith("making-")) : [];
  return names.some(
    (name) => Date.now() - (statSync(join(programs, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) < GIVE_UP_MS,
  );
}
