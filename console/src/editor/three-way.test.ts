import { expect, test } from "vitest";
import { seededRandom } from "../../../src/util/clock.ts";
import { atOnce } from "../../../src/util/steps.ts";
import { type Merged, mergeEdits } from "./three-way.ts";

const BASE = "a: 1\nb: 2\nc: 3\nd: 4\nresourceVersion: 7\n";
const merge = (base: string, edited: string, newer: string): Merged => atOnce(mergeEdits(base, edited, newer));

test("edits and changes of others come together", () => {
  const mine = BASE.replace("b: 2", "b: mine");
  const theirs = BASE.replace("d: 4", "d: theirs\ne: new").replace("7", "8");
  expect(merge(BASE, mine, theirs)).toEqual({
    text: "a: 1\nb: mine\nc: 3\nd: theirs\ne: new\nresourceVersion: 8\n",
    conflicts: [],
  });
});

test("where both change a line the edit stands, and is named", () => {
  const merged = merge(BASE, BASE.replace("b: 2", "b: mine\nx: y"), BASE.replace("b: 2", "b: theirs"));
  expect(merged).toEqual({ text: BASE.replace("b: 2", "b: mine\nx: y"), conflicts: [1, 2] });
  expect(merge(BASE, BASE.replace("b: 2\n", ""), BASE.replace("b: 2", "b: theirs")).conflicts).toEqual([1]);
});

test("what both add at one place is there from both, and named", () => {
  const base = "a: 1\nb: 2\n";
  expect(merge(base, `${base}mine: 1\n`, `${base}theirs: 1\n`)).toEqual({
    text: `${base}theirs: 1\nmine: 1\n`,
    conflicts: [3],
  });
});

test("a last line without an end is no edit", () => {
  const mine = BASE.trimEnd().replace("b: 2", "b: mine");
  expect(merge(BASE, mine, `${BASE}size: 1\n`).text).toBe(`${BASE.replace("b: 2", "b: mine")}size: 1\n`);
});

test("the same change is no conflict", () => {
  const same = BASE.replace("b: 2", "b: 3");
  expect(merge(BASE, same, same)).toEqual({ text: same, conflicts: [] });
});

test("texts may have more lines than a call can have arguments", () => {
  const many = "x\n".repeat(200_000);
  expect(merge(many, `${many}mine\n`, `theirs\n${many}`).text).toBe(`theirs\n${many}mine\n`);
  const removed = merge(`${many}a\n`, "", many.replaceAll("x", "y"));
  expect([removed.text, removed.conflicts.length]).toEqual(["\n", 1]);
});

test("random texts: without edits it is the newer text, without changes the edited one, and no line is lost", () => {
  const random = seededRandom(7);
  const text = (): string =>
    Array.from({ length: Math.floor(random.next() * 12) }, () => "abc"[Math.floor(random.next() * 3)]).join("\n");
  for (let run = 0; run < 2000; run++) {
    const [base, one, two] = [text(), text(), text()];
    expect(merge(base, base, two)).toEqual({ text: two, conflicts: [] });
    expect(merge(base, one, base)).toEqual({
      text: one + (base.endsWith("\n") && !one.endsWith("\n") ? "\n" : ""),
      conflicts: [],
    });
    // Every line of the edited text that the base does not have is there.
    const marked = merge(base, `${one}\nEDIT`, two).text;
    expect(marked.split("\n")).toContain("EDIT");
  }
});
