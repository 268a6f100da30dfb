// Builds the page of the console, to `dist/page`: `node tools/console.js [DIST]`, a step of a build and of `npm ci`.
//
// Without DIST it builds only where sources are newer than the page, and a failure is a message: a server without the page says
// what to do. The page is built beside the old one and takes its place as a whole.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Another process that has begun so long ago has ended. */
const ABANDONED_MS = 600_000;

const root = fileURLToPath(new URL("../", import.meta.url));
const sources = join(root, "console");

/** The rooms of `src/` that the page has modules of, by itself or by way of another one. */
export const SHARED_ROOMS = ["claims", "client", "explore", "meta", "util", "value", "workloads"];

/** Whether a source is newer than the page, or there is no page. */
export function isConsoleStale(page = join(root, "dist/page")) {
  const built = timeOf(join(page, "index.html"));
  // What the page has of packages changes with the lock.
  const shared = SHARED_ROOMS.map((room) => join(root, "src", room));
  const files = [sources, ...shared].flatMap((folder) => filesIn(folder));
  return [...files, join(root, "package-lock.json")].some((file) => timeOf(file) > built);
}

const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === "testing" ? [] : filesIn(path);
    return entry.name.includes(".test.") ? [] : [path];
  });

/** Builds the page into a folder; nothing where another process does. */
export async function buildConsole(dist) {
  const making = join(dist, "console-making");
  if (Date.now() - timeOf(making) < ABANDONED_MS) return;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  mkdirSync(making);
  try {
    const { build } = await import("vite");
    const outDir = join(making, "page");
    await build({ configFile: join(sources, "vite.config.ts"), logLevel: "error", build: { outDir } });
    const page = join(dist, "page");
    if (existsSync(page)) renameSync(page, join(making, "former"));
    renameSync(outDir, page);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , dist] = process.argv;
  if (dist !== undefined) await buildConsole(resolve(dist));
  else if (isConsoleStale()) {
    await buildConsole(join(root, "dist")).catch((error) => console.error(`The console could not be built: ${error}`));
  }
}
