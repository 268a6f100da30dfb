// Puts what is JavaScript already beside what was compiled: `node tools/copy-generated.js DIST`, the last step of a build.
import { cpSync } from "node:fs";
import { join } from "node:path";

const generated = "csi/generated";
cpSync(new URL(`../src/${generated}`, import.meta.url), join(process.argv[2], generated), { recursive: true });
