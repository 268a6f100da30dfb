/**
 * envtest of controller-runtime, unmodified, on the directory that `keelson envtest` makes: a suite in Go as kubebuilder lays
 * one out, with a control plane of its own for all tests and some that are started and stopped by the way.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { expectNotLong } from "../../src/util/testing/slices.ts";
import { Scratch, run } from "../serve/keelson.ts";
import { built } from "./built.ts";

const folder = new URL("envtest/", import.meta.url).pathname;
const suite = await built({
  name: "go-envtest",
  folder,
  commands: (output) => [
    ["go", "test", "-c", "-o", `${output}/suite`, "."],
    ["go", "test", "-c", "-o", `${output}/webhooks`, "./webhooks"],
    ["go", "test", "-c", "-o", `${output}/workloads`, "./workloads"],
  ],
});

/** From the call of `Environment.Start()` to the first answer, and for `Stop()`: the least of five, as is promised. */
const START_MS = 500;
const STOP_MS = 500;
/** It is wall time: a machine as fast as usual keeps it while it is busy, too. The two real binaries take 2.6 s. */
const SLACK = 2;

const scratch = new Scratch();
afterAll(() => scratch.remove());

test.skipIf(suite === undefined)(
  "a suite of envtest passes, and its starts are quick",
  { timeout: 300_000 },
  async () => {
    const { code, said } = await play("suite");
    const millisOf = (what: string): number => Number(new RegExp(`^${what} in (\\d+) ms$`, "m").exec(said)?.[1]);
    const [started, stopped] = [millisOf("started"), millisOf("stopped")];
    expect({ code, said }).toEqual({ code: 0, said: `started in ${started} ms\nstopped in ${stopped} ms\nPASS\n` });
    console.log(`envtest: started in ${started} ms, stopped in ${stopped} ms`);
    expectNotLong(started, START_MS * SLACK);
    expectNotLong(stopped, STOP_MS * SLACK);
  },
);

test.skipIf(suite === undefined)(
  "a suite with the webhooks of an operator passes: controller-runtime's server, installed by envtest",
  { timeout: 120_000 },
  async () => {
    expect(await play("webhooks")).toEqual({ code: 0, said: "PASS\n" });
  },
);

test.skipIf(suite === undefined)(
  "an operator that waits for a StatefulSet has its Pods where the environment says how many nodes there are",
  { timeout: 240_000 },
  async () => {
    expect(await play("workloads", { KEELSON_NODES: "3,zone=a,zone=b" })).toEqual({ code: 0, said: "PASS\n" });
  },
);

/** Runs a suite on the directory that `keelson envtest` makes. */
async function play(
  name: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly said: string }> {
  const assets = join(scratch.path, "assets");
  await run(["envtest", assets]);
  const { PATH } = process.env;
  const env = { PATH, HOME: scratch.path, KUBEBUILDER_ASSETS: assets, ...more };
  // Its definitions lie there.
  const playing = spawn(`${suite}/${name}`, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  playing.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  playing.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(playing, "close")) as [number | null];
  return { code, said };
}
