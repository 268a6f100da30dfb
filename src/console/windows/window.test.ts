import { expect, test } from "vitest";
import type { Entry, Resource } from "../../registry/index.ts";
import { testServer } from "../../server/testing/test-server.ts";
import { silentLog } from "../../util/log.ts";
import { bytesInUse } from "../../util/testing/heap.ts";
import type { ListState } from "./source.ts";
import { WindowTable, newRows } from "./table.ts";
import { Window } from "./window.ts";

const entryOf = (key: string, revision: number, bytes = 10): Entry => ({
  key,
  revision,
  labels: {},
  bytes: new Uint8Array(bytes),
});
const stateOf = (entries: readonly Entry[]): ListState => ({
  revision: 1,
  matching: entries.length,
  total: entries.length,
  entries: (offset, count) => entries.slice(offset, offset + count),
});

async function newWindow(): Promise<{ window: Window; table: WindowTable }> {
  const { resource } = await testServer();
  const { definition } = resource("configmaps");
  const table = new WindowTable({ definition } as unknown as Resource, silentLog, "0", newRows());
  const window = new Window(1, "kim", () => {});
  window.size = 500;
  return { window, table };
}

test("a row that the client has is named by its place, in another place too; one that was written again is not", async () => {
  const { window, table } = await newWindow();
  window.took(window.next(stateOf([entryOf("n/a", 1), entryOf("n/b", 2)]), table)!);
  expect(window.next(stateOf([entryOf("n/a", 1), entryOf("n/b", 2)]), table)).toBeUndefined();
  const rows = [entryOf("n/b", 2), entryOf("n/a", 3), entryOf("n/c", 2)];
  const { before } = window.next(stateOf(rows), table)!;
  expect(rows.map((entry) => before!.positionOf(entry))).toEqual([1, undefined, undefined]);
});

test("a window whose client takes nothing keeps no object that it has shown", async () => {
  const { window, table } = await newWindow();
  const before = bytesInUse();
  const show = (revision: number): void => {
    const entries = Array.from({ length: 100 }, (_, i) => entryOf(`n/c${i}`, revision, 1 << 20));
    window.took(window.next(stateOf(entries), table)!);
  };
  show(1);
  expect(bytesInUse() - before).toBeLessThan(10 << 20);
});
