import { cpSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, configMap } from "./keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

const EXIT_GONE = 72;
/** It is noticed after a second. How long all of it takes on a machine that is busy proves nothing else. */
const MOST_MS = 30_000;

const FAULTS: Readonly<Record<string, (store: string) => void>> = {
  "is removed": (store) => rmSync(store, { recursive: true }),
  "is replaced": (store) => {
    cpSync(store, `${store}.copy`, { recursive: true });
    renameSync(store, `${store}.old`);
    renameSync(`${store}.copy`, store);
  },
  "has its log cut off": (store) => truncateSync(join(store, "keelson.db-wal")),
};

/** Creates objects one after the other until no answer comes; the codes of those that came. */
async function writeOn(client: Http2Client): Promise<number[]> {
  const codes: number[] = [];
  try {
    for (let i = 0; ; i++) codes.push((await client.send("POST", CONFIG_MAPS, configMap(`late-${i}`))).status);
  } catch {
    return codes;
  }
}

describe.each(Object.entries(FAULTS))("when the store %s under a server", (_what, fault) => {
  test.each([true, false])("it acknowledges nothing more, says so and ends (a client writes: %s)", async (writes) => {
    const directory = scratch.fresh();
    const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    const client = await Http2Client.connect(keelson, directory);
    expect((await client.send("POST", CONFIG_MAPS, configMap("before"))).status).toBe(201);
    fault(join(directory, "store"));
    const from = performance.now();
    const codes = writes ? await writeOn(client) : [];
    expect(await keelson.ended).toEqual({ code: EXIT_GONE, signal: null });
    expect(performance.now() - from).toBeLessThan(MOST_MS);
    expect(codes.filter((code) => code < 500)).toEqual([]);
    expect(keelson.stderr).toMatch(/keelson: the store has failed and the process ends: .*Expected \S+store\S* to/);
    client.session.destroy();
  });
});
