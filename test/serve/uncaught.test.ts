import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, configMap } from "./keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

const CONTRACT = new URL("../../src/storage/contract.ts", import.meta.url).href;

/** Fails in a server on a signal, in each way that no caller waits for. */
const FAILING = `
import net from "node:net";
import { StoreError } from "${CONTRACT}";
let next = 0;
const failures = [
  () => { throw new Error("thrown in a listener"); },
  () => void Promise.reject(new Error("rejected and not awaited")),
  () => net.connect("/nonexistent/socket"),
  () => { throw new StoreError("failed", "the store is not what it was"); },
];
process.on("SIGUSR2", () => failures[next++ % failures.length]());
`;

async function serve(): Promise<{ keelson: Keelson; client: Http2Client }> {
  const module = join(scratch.path, "failing.mjs");
  writeFileSync(module, FAILING);
  const directory = scratch.fresh();
  // The sources, of which the module above has the classes.
  const env = { NODE_OPTIONS: `--import ${module}`, NODE_DISABLE_COMPILE_CACHE: "1" };
  const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0"], { env });
  return { keelson, client: await Http2Client.connect(keelson, directory) };
}

test("what reaches the process is logged with its stack and counted, and the server goes on; where the store may be wrong it ends", async () => {
  const { keelson, client } = await serve();
  for (const [i, text] of ["thrown in a listener", "rejected and not awaited", "connect ENOENT"].entries()) {
    keelson.process.kill("SIGUSR2");
    await expect.poll(() => keelson.stderr, { timeout: 20_000 }).toContain(text);
    expect((await client.send("POST", CONFIG_MAPS, configMap(`after-${i}`))).status).toBe(201);
  }
  expect(keelson.stderr).toMatch(
    /ERROR some work has failed, and nothing waited for it\s+stack:\s+Error: thrown in a listener\s+at .*failing\.mjs/,
  );
  const { text } = await client.send("GET", "/metrics");
  expect(text).toContain('keelson_uncaught_total{of="process"} 3');
  keelson.process.kill("SIGUSR2");
  expect(await keelson.ended).toEqual({ code: 70, signal: null });
  expect(keelson.stderr).toContain("the store has failed and the process ends: the store is not what it was");
});

test("a log that is no longer read ends nothing", async () => {
  const { keelson, client } = await serve();
  keelson.process.stderr!.destroy();
  keelson.process.stdout!.destroy();
  for (let i = 0; i < 3; i++) {
    keelson.process.kill("SIGUSR2");
    await expect
      .poll(async () => (await client.send("GET", "/metrics")).text, { timeout: 20_000 })
      .toContain(`keelson_uncaught_total{of="process"} ${i + 1}\n`);
    expect((await client.send("POST", CONFIG_MAPS, configMap(`after-${i}`))).status).toBe(201);
  }
  await keelson.stop("SIGKILL");
});
