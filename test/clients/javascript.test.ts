import { cpSync, readFileSync } from "node:fs";
import { built } from "./built.ts";
import { BOTH, KUBERNETES, testLibrary } from "./program.ts";

const folder = new URL("javascript/", import.meta.url).pathname;
const pins = JSON.parse(readFileSync(`${folder}pinned/package.json`, "utf8")) as {
  dependencies: Record<string, string>;
};

const bin = await built({
  name: "client-node",
  folder: `${folder}pinned`,
  commands: (output) => [
    ["cp", "package.json", "package-lock.json", output],
    ["npm", "ci", "--prefix", output, "--ignore-scripts", "--no-audit", "--no-fund"],
  ],
});
// What a module imports is looked for beside it.
if (bin !== undefined) cpSync(folder, bin, { recursive: true });

testLibrary({
  name: "@kubernetes/client-node",
  language: "JavaScript",
  version: pins.dependencies["@kubernetes/client-node"]!,
  command: bin === undefined ? undefined : { file: process.execPath, args: ["main.js"], cwd: bin },
  parts: {
    core: BOTH,
    storage: KUBERNETES,
    patches: KUBERNETES,
    objects: BOTH,
    watches: KUBERNETES,
    informers: BOTH,
    expired: KUBERNETES,
    errors: KUBERNETES,
  },
  serveFor: { expired: ["--history", "1s"] },
});
