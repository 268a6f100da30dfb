/**
 * An operator with a kind of its own, as `examples/go-operator` has it: it installs its definition and works on what
 * is made of it, on a cluster of `keelson run`.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { built } from "./built.ts";

const keelson = new URL("../../bin/keelson.js", import.meta.url).pathname;
const suite = await built({
  name: "go-operator",
  folder: new URL("../../examples/go-operator/", import.meta.url).pathname,
  commands: (output) => [["go", "test", "-c", "-o", `${output}/suite`, "."]],
});

test.skipIf(suite === undefined)(
  "an operator with a kind of its own passes its suite",
  { timeout: 180_000 },
  async () => {
    const run = spawn("node", [keelson, "run", "--", `${suite}/suite`], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    run.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    run.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(run, "close")) as [number | null];
    expect({ code, said }).toEqual({ code: 0, said: "PASS\n" });
  },
);
