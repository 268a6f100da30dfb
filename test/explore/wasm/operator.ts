/** The operator of these tests, built once for each state of its sources and of the overlay. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { built } from "../../clients/built.ts";

const OPERATOR = new URL("operator/", import.meta.url).pathname;
const BUILDER = new URL("../../../src/testing/explore/wasm/", import.meta.url).pathname;

/** The file of the operator; undefined where it cannot be built here. */
export async function builtOperator(): Promise<string | undefined> {
  const folder = await built({
    name: "go-operator",
    folder: OPERATOR,
    files: [
      ...readdirSync(OPERATOR).map((file) => join(OPERATOR, file)),
      join(BUILDER, "overlay.ts"),
      join(BUILDER, "build.ts"),
    ],
    // Code without optimizations is several times larger.
    commands: (output) => [
      [
        "env",
        "-u",
        "GOFLAGS",
        process.execPath,
        join(import.meta.dirname, "build.ts"),
        OPERATOR,
        join(output, "operator.wasm"),
      ],
    ],
  });
  return folder && join(folder, "operator.wasm");
}
