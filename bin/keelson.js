#!/usr/bin/env node
// Runs `run.js`, or says what to do about an older Node.js. That must be able to read this file: nothing newer than ES2020 may stand
// in it, and no static import, which would be read before the first line runs.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 24 || (major === 24 && minor >= 9)) {
  import("./run.js");
} else {
  console.error(
    `keelson: expected Node.js 24.9 or newer, got ${process.version}: install Node.js 24 (https://nodejs.org, or "nvm install 24"), put it first in PATH, and try again`,
  );
  process.exitCode = 1;
}
