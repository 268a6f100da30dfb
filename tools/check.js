// What must hold before tests run: format, lint, imports between rooms, dead code, types. All at once, since each uses one core;
// what fails is printed, and the code is then 1.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const CHECKS = {
  format: "oxfmt --check",
  lint: "npm run --silent lint",
  layers: "npm run --silent layers",
  dead: "npm run --silent dead",
  types: "npm run --silent types -- --incremental --tsBuildInfoFile .results/types.tsbuildinfo",
  "types of the console":
    "npm run --silent types:console -- --incremental --tsBuildInfoFile .results/types-console.tsbuildinfo",
  "types of the site": "npm run --silent types:site -- --incremental --tsBuildInfoFile .results/types-site.tsbuildinfo",
};

/** Runs one of them; whether all is right. */
async function passes(name, command) {
  const started = performance.now();
  const child = spawn(`${command} 2>&1`, { shell: true, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(code === 0 ? `${name}: right, in ${seconds} s` : `${name}: failed\n${output}`);
  return code === 0;
}

const results = await Promise.all(Object.entries(CHECKS).map((check) => passes(...check)));
process.exitCode = results.every(Boolean) ? 0 : 1;
