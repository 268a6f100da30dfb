import { expect, test } from "vitest";
import { failureOf } from "../kind/errors.ts";
import { CALLER, LIST, WRITE, bodyOf, named, registryOf, widget } from "../testing/registry.ts";

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

test("DEC-25: a list of one name is whole with a limit of one: it has no next page", async () => {
  const { widgets } = await three();
  const one = await widgets.list("", { ...LIST, fieldSelector: "metadata.name=b", limit: 1 });
  expect([one.entries.map(({ key }) => key), one.continue, one.remaining]).toEqual([["b"], "", undefined]);
});

test("DEC-25: pages show one revision, whatever is written between them, and the last one has no next", async () => {
  const { widgets } = await three();
  const first = await widgets.list("", { ...LIST, limit: 2 });
  await widgets.delete(named("c"), { dryRun: false }, CALLER);
  const second = await widgets.list("", { ...LIST, limit: 2, continue: first.continue });
  expect([first, second].map(({ entries }) => entries.map(({ key }) => key))).toEqual([["a", "b"], ["c"]]);
  expect([second.revision, second.continue, first.remaining]).toEqual([first.revision, "", 1]);
});

test("DEC-25: a page that selects does not say how many are left", async () => {
  const { widgets } = await three();
  const page = await widgets.list("", { ...LIST, labelSelector: "!none", limit: 1 });
  expect([page.entries.length, page.remaining, page.continue === ""]).toEqual([1, undefined, false]);
});

test.each([
  ["a token that the server did not issue", { continue: "x" }],
  ["a version beside a token", { resourceVersion: "3" }],
])("DEC-25: %s is refused", async (_, more) => {
  const { widgets } = await three();
  const { continue: token } = await widgets.list("", { ...LIST, limit: 1 });
  const refused = widgets.list("", { ...LIST, limit: 1, continue: token, ...more });
  expect(failureOf(await refused.catch((error: unknown) => error)).code).toBe(400);
});
