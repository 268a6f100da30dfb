import { afterAll, beforeAll, expect, test } from "vitest";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, configMap } from "../serve/keelson.ts";
import { compileFaulty } from "./faulty.ts";

const scratch = new Scratch();
let library: string | undefined;
let reason = "";
beforeAll(() => {
  const compiled = compileFaulty(scratch.fresh());
  if (compiled.reason === undefined) ({ library } = compiled);
  else ({ reason } = compiled);
});
afterAll(() => scratch.remove());

test.for(["sync", "write"])(
  "a server whose %s of the log fails acknowledges nothing more, says why, and ends by itself; what it acknowledged is there",
  { timeout: 120_000 },
  async (call, { skip }) => {
    if (library === undefined) return skip(reason);
    const directory = scratch.fresh();
    const args = ["--data-dir", directory, "--port", "0"];
    const env = {
      LD_PRELOAD: library,
      FAULTS_IN: `${directory}/store`,
      FAULTS_CALL: call,
      FAULTS_FILE: "keelson.db-wal",
      FAULTS_AT: call === "sync" ? "40" : "800",
      FAULTS_DO: "EIO",
    };
    const keelson = await Keelson.serve(args, { env });
    const client = await Http2Client.connect(keelson, directory);
    const acknowledged: string[] = [];
    let status = 201;
    for (let i = 0; status === 201 && i < 1000; i++) {
      // It may end before it can answer.
      const write = client.send("POST", CONFIG_MAPS, configMap(`c${i}`, { i: String(i) }));
      ({ status } = await write.catch(() => ({ status: 599 })));
      if (status === 201) acknowledged.push(`c${i}`);
    }
    expect(status).toBeGreaterThanOrEqual(500);
    const end = await keelson.ended;
    expect(end).toMatchObject({ signal: null });
    expect(end.code).toBeGreaterThan(0);
    expect(keelson.stderr).toMatch(/disk I\/O error/);

    const again = await Keelson.serve(args);
    const reader = await Http2Client.connect(again, directory);
    const { items } = (await reader.send("GET", CONFIG_MAPS)).json as { items: { metadata: { name: string } }[] };
    const names = new Set(items.map(({ metadata }) => metadata.name));
    expect(acknowledged.length).toBeGreaterThan(5);
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    await again.stop();
  },
);
