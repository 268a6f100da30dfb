/** Builds a program of Go: `node build.ts FOLDER OUTPUT`. */
import { buildGoProgram } from "../../../src/testing/explore/wasm/build.ts";

const [folder = ".", output = "program.wasm"] = process.argv.slice(2);
await buildGoProgram({ folder, output });
