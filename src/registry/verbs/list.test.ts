import { expect, test } from "vitest";
import { CALLER, LIST, WRITE, bodyOf, registryOf, widget } from "../testing/registry.ts";

async function three() {
  const { kinds } = await registryOf([widget("v1")]);
  const widgets = kinds.find("example.com", "v1", "widgets")!;
  for (const name of ["a", "b", "c"]) {
    const body = bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name } });
    await widgets.create({ namespace: "", name: "", subresource: "" }, body, WRITE, CALLER);
  }
  return { widgets, revision: String(kinds.revision) };
}

test("DEC-25: any version is listed as a whole, a version that is not older is listed in pages", async () => {
  const { widgets, revision } = await three();
  const of = async (resourceVersion: string, resourceVersionMatch: "" | "Exact" | "NotOlderThan") => {
    const { entries, remaining } = await widgets.list("", { ...LIST, limit: 1, resourceVersion, resourceVersionMatch });
    return [entries.length, remaining];
  };
  expect([await of("0", ""), await of("0", "NotOlderThan")]).toEqual([
    [3, undefined],
    [3, undefined],
  ]);
  for (const match of ["", "Exact", "NotOlderThan"] as const) expect(await of(revision, match)).toEqual([1, 2]);
});

test("EP-21: a delete of a part of a collection tells how much is left, and whether it changed anything", async () => {
  const { widgets } = await three();
  const some = { ...LIST, limit: 1 };
  const tried = await widgets.deleteCollection("", some, { dryRun: true }, CALLER);
  expect(tried).toMatchObject({ changed: false, list: { remaining: 2, entries: [{ key: "a" }] } });
  expect(await widgets.deleteCollection("", some, { dryRun: false }, CALLER)).toMatchObject({ changed: true });
  expect((await widgets.list("", LIST)).entries.map(({ key }) => key)).toEqual(["b", "c"]);
});
