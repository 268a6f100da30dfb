/**
 * `npm run csi:generate`: writes `src/csi/generated/` from the published definitions in `src/csi/definitions/`.
 *
 * For development only, and only when a definition changes: it needs `protoc`, which is in Debian's package
 * `protobuf-compiler` and in the Python package `grpcio-tools` (`python3 -m grpc_tools.protoc`). What it writes is
 * JavaScript with declarations, since TypeScript with enumerations does not run without being compiled.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const room = new URL("../src/csi/", import.meta.url).pathname;
const plugin = new URL("../node_modules/.bin/protoc-gen-es", import.meta.url).pathname;
const definitions = join(room, "definitions");
const generated = join(room, "generated");

for (const name of readdirSync(generated)) rmSync(join(generated, name));
const args = [
  `--proto_path=${definitions}`,
  `--plugin=protoc-gen-es=${plugin}`,
  `--es_out=${generated}`,
  "--es_opt=target=js+dts",
  ...readdirSync(definitions),
];
const commands: readonly (readonly [string, ...string[]])[] = [["protoc"], ["python3", "-m", "grpc_tools.protoc"]];
const made = commands.some(([command, ...first]) => {
  const { status, error } = spawnSync(command, [...first, ...args], { stdio: ["ignore", "inherit", "inherit"] });
  return !error && status === 0;
});
if (!made) {
  console.error("expected protoc, of Debian's protobuf-compiler or of Python's grpcio-tools, to write the code");
  process.exitCode = 1;
}
