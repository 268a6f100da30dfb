/** The promise that a list is never in memory as a whole: an unread list costs little, in every form. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { InjectResponse } from "../../src/server/http/inject.ts";
import type { StoredRecord } from "../../src/storage/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { bytesInUse } from "../../src/util/testing/heap.ts";
import { Api, worldOf } from "../rules/api.ts";

const COUNT = 20_000;
const LISTS = 100;
const MOST_MIB = 30;
const ITEMS = "/api/v1/namespaces/default/configmaps";

const api = new Api();
beforeAll(async () => {
  const records = Array.from({ length: COUNT }, (_, i): StoredRecord => {
    const metadata = { name: `object-${i}`, namespace: "default", labels: { part: String(i % 10) } };
    const value = Buffer.from(
      JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data: { i: String(i) } }),
    );
    return { key: `/core/configmaps/default/object-${i}`, value, revision: i + 1 };
  });
  const store = await openMemoryStore({ records, revision: COUNT });
  api.use(await worldOf({ controllers: "none" }, { store }));
});
afterAll(() => api.world.cluster.close(0));

/** Begins a list that is not read. */
const begin = (query: Record<string, string>, accept: string): Promise<InjectResponse> =>
  api.raw("GET", ITEMS, undefined, { query, headers: { accept } });

test.each([
  ["JSON", {}, "application/json"],
  ["protobuf", {}, "application/vnd.kubernetes.protobuf"],
  ["YAML", {}, "application/yaml"],
  ["a table", {}, "application/json;as=Table;g=meta.k8s.io;v=v1"],
  ["what a selector leaves", { labelSelector: "part!=3" }, "application/json"],
  ["a page of nearly all", { limit: String(COUNT - 1) }, "application/json"],
])(
  `${LISTS} lists that are not read cost less than ${MOST_MIB} MiB: %s`,
  { timeout: 90_000 },
  async (_what, query, accept) => {
    // What is made for the first of them stays for all.
    await (await begin(query, accept)).bytes();
    const before = bytesInUse();
    // One after the other: the turn of each is measured.
    const answers: InjectResponse[] = [];
    while (answers.length < LISTS) answers.push(await begin(query, accept));
    const more = (bytesInUse() - before) / 2 ** 20;
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([200]));
    const [first, second] = await Promise.all(answers.slice(0, 2).map((answer) => answer.bytes()));
    expect(first!.length).toBeGreaterThan(1e6);
    expect(first!.equals(second!)).toBe(true);
    for (const answer of answers.slice(2)) for await (const _ of answer.pieces()) break;
    expect(more).toBeLessThan(MOST_MIB);
  },
);
