import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../client/kinds/index.ts";
import type { Progress } from "../../util/progress.ts";
import { resolveOptions } from "../options/options.ts";
import { runServer } from "./server.ts";

test("a start tells how many of the stored records it has loaded", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "keelson-progress-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const options = resolveOptions({ "data-dir": dataDir, port: 0, "insecure-http": true });
  {
    await using server = await runServer(options);
    const maps = server.client("test").resource(ConfigMap);
    const names = Array.from({ length: 1500 }, (_, i) => ({ name: `m${i}`, namespace: "default" }));
    await Promise.all(names.map((metadata) => maps.create({ metadata })));
  }
  const begun: unknown[] = [];
  let loaded = 0;
  const progress: Progress = {
    begin: (...part) => void begun.push(part),
    at: (done) => void (loaded = Math.max(loaded, done)),
    end() {},
  };
  await using server = await runServer(options, { progress });
  const { records } = await server.store.stats();
  expect(begun).toEqual([["opening the store"], ["opening the store", "record", expect.any(Number)]]);
  expect(records).toBeGreaterThan(1500);
  // What is not of a kind, such as the state of pools, is not loaded.
  expect(loaded).toBeGreaterThan(1500);
  expect(loaded).toBeLessThanOrEqual(records);
});
