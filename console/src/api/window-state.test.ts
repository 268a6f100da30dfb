import fc from "fast-check";
import { expect, test } from "vitest";
import type { WindowRow } from "../../../src/meta/console-protocol.ts";
import { EMPTY_WINDOW, withMessage, type WindowView } from "./window-state.ts";

const row = (id: number, version: number): WindowRow => ({
  namespace: "default",
  name: `object-${id}`,
  uid: `uid-${id}`,
  resourceVersion: String(version),
  deleting: false,
  cells: [`object-${id}`, version],
});

/** What a server sends for this list, where `last` is what it has sent before. */
const encoded = (list: readonly WindowRow[], last: readonly WindowRow[]): (WindowRow | number)[] =>
  list.map((one) => {
    const index = last.indexOf(one);
    return index < 0 ? one : index;
  });

test("after a random history of lists the view shows the last one, with the same objects for rows that did not change", () => {
  const list = fc.uniqueArray(fc.record({ id: fc.nat(30), version: fc.nat(3) }), {
    selector: ({ id }) => id,
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.array(fc.record({ list, offset: fc.nat(1000), progress: fc.boolean() })), (history) => {
      const rows = new Map<string, WindowRow>();
      let sent: WindowRow[] = [];
      let view: WindowView = EMPTY_WINDOW;
      for (const [index, state] of history.entries()) {
        const now = state.list.map(({ id, version }) => {
          const key = `${id}/${version}`;
          const one = rows.get(key) ?? row(id, version);
          rows.set(key, one);
          return one;
        });
        if (state.progress) view = withMessage(view, { type: "progress", id: 1, done: 1, of: 2 });
        expect(view.progress).toEqual(state.progress ? { done: 1, of: 2 } : undefined);
        expect(view.rows).toEqual(sent);
        const before = view.rows;
        view = withMessage(view, {
          type: "window",
          id: 1,
          matching: now.length,
          total: 100,
          offset: state.offset,
          resourceVersion: String(index),
          rows: JSON.parse(JSON.stringify(encoded(now, sent))) as (WindowRow | number)[],
        });
        expect(view).toMatchObject({ state: "live", offset: state.offset, matching: now.length, rows: now });
        expect(view.progress).toBeUndefined();
        const same = now.map((one) => before[sent.indexOf(one)]);
        expect(view.rows.map((one, at) => same[at] === undefined || same[at] === one)).not.toContain(false);
        sent = now;
      }
    }),
  );
});

test("a message that names a row which was never sent is refused", () => {
  const message = { type: "window", id: 1, matching: 1, total: 1, offset: 0, resourceVersion: "1", rows: [3] } as const;
  expect(() => withMessage(EMPTY_WINDOW, message)).toThrow("expected the index of one of 0 rows, found 3");
});

test("columns stay until others are sent, and a failure keeps the rows", () => {
  const columns = [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }];
  const state = {
    type: "window",
    id: 1,
    matching: 1,
    total: 1,
    offset: 0,
    resourceVersion: "1",
    rows: [row(1, 1)],
  } as const;
  let view = withMessage(EMPTY_WINDOW, { ...state, columns });
  view = withMessage(view, { ...state, rows: [0] });
  expect(view.columns).toEqual(columns);
  view = withMessage(view, {
    type: "error",
    id: 1,
    status: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "no", code: 403 },
  });
  expect(view).toMatchObject({ state: "failed", failure: { code: 403 }, rows: [{ name: "object-1" }] });
});
