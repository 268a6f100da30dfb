import { expect, test } from "vitest";
import type { WindowRow } from "../../../../src/meta/console-protocol.ts";
import { EMPTY_WINDOW, type WindowView } from "../../api/window-state.ts";
import { cellText, columnGrid, ColumnWidths, isTime, shownColumns, toneOf } from "./columns.ts";
import { changedRows, flashesOf, movedBy, NO_FLASHES, rowAt } from "./rows.ts";
import { added, MOST_SELECTED, toggled, without } from "./selection.ts";

const row = (name: string, version = "1", cells: WindowRow["cells"] = [name]): WindowRow => ({
  namespace: "a",
  name,
  uid: `uid-${name}`,
  resourceVersion: version,
  deleting: false,
  cells,
});
const live = (rows: readonly WindowRow[], offset = 0, matching = offset + rows.length): WindowView => ({
  ...EMPTY_WINDOW,
  state: "live",
  rows,
  offset,
  matching,
  total: matching,
});

test("rows flash that were written or made, not those that were scrolled in", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => row(name));
  const before = live([a!, b!, c!], 0, 10);
  expect(changedRows(before, live([a!, row("b", "2"), c!], 0, 10))).toEqual(new Set(["uid-b"]));
  expect(changedRows(before, live([a!, row("aa"), b!, c!], 0, 11))).toEqual(new Set(["uid-aa"]));
  expect(changedRows(before, live([row("x"), row("y"), row("z")], 7, 10))).toEqual(new Set());
  expect(changedRows({ ...before, state: "stale" }, live([row("a", "2")]))).toEqual(new Set());
  expect(changedRows(live([], 0, 0), live([d!], 0, 1))).toEqual(new Set(["uid-d"]));
});

test("the list has moved where a row and the next one have", () => {
  const rows = ["b", "c", "d", "e"].map((name) => row(name));
  const before = live(rows, 100, 500);
  expect(movedBy(before, live([row("a"), ...rows], 100, 501), 101)).toBe(1);
  expect(movedBy(before, live(rows.slice(1), 100, 499), 101)).toBe(-1);
  expect(movedBy(before, live(rows, 100, 500), 101)).toBe(0);
  // The row was sorted to another place; the list has not moved.
  expect(movedBy(before, live([rows[1]!, rows[0]!, rows[2]!, rows[3]!], 100, 500), 100)).toBe(0);
  expect(movedBy(before, live(rows, 100, 500), 50)).toBe(0);
  expect(rowAt(before, 102)).toBe(rows[2]);
  expect(rowAt(before, 99)).toBeUndefined();
});

test("columns of wide tables are shown in them, and the namespace where there are several", () => {
  const columns = [
    { name: "Name", type: "string", format: "name", description: "", priority: 0 },
    { name: "Restarts", type: "integer", format: "", description: "", priority: 0 },
    { name: "IP", type: "string", format: "", description: "", priority: 1 },
  ];
  const names = (wide: boolean, namespaces: boolean): string[] =>
    shownColumns(columns, { wide, namespaces }).map(({ name }) => name);
  expect(names(false, false)).toEqual(["Name", "Restarts"]);
  expect(names(true, true)).toEqual(["Namespace", "Name", "Restarts", "IP"]);
  expect(shownColumns([], { wide: true, namespaces: true })).toEqual([]);
  expect(shownColumns(columns, { wide: false, namespaces: false })[1]).toMatchObject({ cell: 1, isNumber: true });
});

test("a column is as wide as what was seen in it, within bounds, and does not become narrower", () => {
  const columns = shownColumns(
    [
      { name: "Name", type: "string", format: "", description: "", priority: 0 },
      { name: "Age", type: "string", format: "", description: "", priority: 0 },
    ],
    { wide: false, namespaces: false },
  );
  const measured: string[] = [];
  const widths = new ColumnWidths({
    cell: (text) => {
      measured.push(text);
      return 7.5 * text.length;
    },
    header: (text) => 8 * text.length,
  });
  const long = row("long", "1", ["x".repeat(253), "2026-11-30T07:00:00Z"]);
  expect(widths.of(columns, [row("a", "1", ["a", null])])).toEqual([48, 40]);
  expect(widths.of(columns, [row("b", "1", ["twelve chars", "soon"])])).toEqual([90, 40]);
  expect(widths.of(columns, [long])).toEqual([560, 53]);
  expect(widths.of(columns, [row("a")])).toEqual([560, 53]);
  // A row is measured once, a long text only as far as it may be seen.
  measured.length = 0;
  widths.of(columns, [long]);
  expect(measured).toEqual([]);
  widths.of([...columns], [long]);
  expect(measured.map(({ length }) => length)).toEqual([186, 7]);
});

test("the name takes what is left of the width, without one the last text", () => {
  const columns = (...names: string[]) =>
    names.map((name, cell) => ({ name, description: "", cell, isNumber: name === "Count" }));
  expect(columnGrid(columns("Namespace", "Name", "Ready"), [50, 300, 40])).toEqual({
    template: "34px 68px minmax(318px, 1fr) 58px",
    width: 34 + 68 + 318 + 58,
  });
  // A long text that is no name does not make the table wide.
  expect(columnGrid(columns("Last Seen", "Message", "Count"), [50, 300, 40]).template).toBe(
    "34px 68px minmax(178px, 1fr) 58px",
  );
  // Where the room is less, the widest columns get the same; where that would be less than 160 pixels, the table is scrolled.
  const [long, room] = [columns("Namespace", "Name", "Ready"), 34 + 3 * 18 + 40];
  expect(columnGrid(long, [360, 560, 40], room + 500)).toEqual({
    template: "34px 268px minmax(268px, 1fr) 58px",
    width: room + 500,
  });
  expect(columnGrid(long, [200, 560, 40], room + 500).template).toBe("34px 218px minmax(318px, 1fr) 58px");
  expect(columnGrid(long, [360, 560, 40], 300).template).toBe("34px 378px minmax(578px, 1fr) 58px");
  expect(columnGrid(long, [360, 560, 40], room + 1000).template).toBe("34px 378px minmax(578px, 1fr) 58px");
  expect(columnGrid([], [])).toEqual({ template: "34px", width: 34 });
});

test("a row that changes while it flashes flashes again, and one that is gone is forgotten", () => {
  const [a, b] = [row("a"), row("b")];
  let flashes = flashesOf({ view: live([a, b]), times: NO_FLASHES }, live([row("a", "2"), b]));
  expect([...flashes.times]).toEqual([["uid-a", 1]]);
  flashes = flashesOf(flashes, live([row("a", "3"), row("b", "2")]));
  expect([...flashes.times]).toEqual([
    ["uid-a", 2],
    ["uid-b", 1],
  ]);
  flashes = flashesOf(flashes, live([row("b", "3")]));
  expect([...flashes.times]).toEqual([["uid-b", 2]]);
});

test("times are shown as ages, other texts as they are", () => {
  const now = Date.parse("2026-11-30T07:01:00Z");
  expect(cellText("2026-11-30T07:00:00Z", now)).toBe("60s");
  expect(cellText("2026-11-30", now)).toBe("2026-11-30");
  expect(cellText(null, now)).toBe("");
  expect(cellText(false, now)).toBe("false");
  expect(isTime("2026-11-30T07:00:00.123456Z")).toBe(true);
  const status = { name: "Status", description: "", cell: 0, isNumber: false };
  expect(toneOf(status, "Running")).toBe("good");
  expect(toneOf(status, "constructor")).toBeUndefined();
  expect(toneOf({ ...status, name: "Name" }, "Running")).toBeUndefined();
});

test("what is selected stays so until it is not, and has a bound", () => {
  const [a, b] = [row("a"), row("b")];
  let selection = toggled(new Map(), a);
  selection = toggled(selection, b);
  expect([...selection.values()]).toEqual([
    { uid: "uid-a", namespace: "a", name: "a" },
    { uid: "uid-b", namespace: "a", name: "b" },
  ]);
  expect([...toggled(selection, a).keys()]).toEqual(["uid-b"]);
  expect([...without(selection, ["uid-b", "uid-z"]).keys()]).toEqual(["uid-a"]);
  const many = Array.from({ length: MOST_SELECTED + 5 }, (_, index) => row(`row-${index}`));
  expect(added(new Map(), many).size).toBe(MOST_SELECTED);
});
