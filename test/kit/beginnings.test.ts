/**
 * What clusters of the kit begin with is put together beforehand (`src/testing/usual-beginning.ts`): here it is compared with
 * clusters that have begun in the ordinary way, through requests and controllers.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ConfigMap, Namespace } from "../../src/client/kinds/index.ts";
import { createCluster } from "../../src/testing/index.ts";
import { decodeSnapshot } from "../../src/testing/snapshot.ts";
import type { RememberedRecord } from "../../src/storage/memory/store.ts";
import { silentLog } from "../../src/util/log.ts";
import { DIALECTS, ordinaryBeginning, recordsFile, usualRecords } from "../../tools/beginnings/records.ts";

const text = ({ value, ...record }: RememberedRecord): unknown => ({ ...record, value: Buffer.from(value).toString() });

test("`npm run beginnings` would write what is there", async () => {
  const beginnings = await Promise.all(
    DIALECTS.map(async (dialect) => [dialect, await usualRecords(dialect)] as const),
  );
  const file = await readFile(new URL("../../src/testing/usual-records.ts", import.meta.url), "utf8");
  expect(file).toBe(recordsFile(beginnings));
});

describe.each(DIALECTS)("in the %s dialect", (dialect) => {
  test.each([
    ["2026-01-01T00:00:00Z", 1],
    ["2031-12-31T23:59:59.999Z", 77],
    ["1999-06-01T10:00:00Z", 2 ** 32 - 1],
    ["2026-01-01T00:00:00Z", -5],
  ])(
    "a cluster of %s and the seed %i begins with the same bytes, the same versions and the same chance",
    async (now, seed) => {
      const ordinary = await ordinaryBeginning(dialect, now, seed);
      await using cluster = await createCluster({ dialect, now, seed });
      const usual = decodeSnapshot(cluster.snapshot());
      expect(usual.records.map(text)).toEqual(ordinary.records.map(text));
      expect({ ...usual, records: [] }).toEqual({ ...ordinary, records: [] });
    },
  );

  test("a cluster goes on as one that has begun in the ordinary way", async () => {
    const written = async (log?: typeof silentLog): Promise<unknown[]> => {
      await using cluster = await createCluster({ dialect, ...(log ? { log } : {}) });
      await cluster.apply(Namespace, { metadata: { name: "made" } });
      await cluster.apply(ConfigMap, { metadata: { name: "a", namespace: "made" }, data: { a: "b" } });
      await cluster.settled();
      await cluster.clock.advance("25h");
      await cluster.fork().apply(ConfigMap, { metadata: { name: "elsewhere", namespace: "default" } });
      await cluster.client().resource(Namespace).delete({ name: "made" });
      await cluster.settled();
      return decodeSnapshot(cluster.snapshot()).records.map(text);
    };
    expect(await written()).toEqual(await written(silentLog));
  });
});
