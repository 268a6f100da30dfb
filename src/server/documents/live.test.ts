import type { HashedDocument } from "./document.ts";
import { expect, test } from "vitest";
import { optional, struct, text as textType } from "../../meta/types.ts";
import { objectSchema } from "../../schema/object-schema.ts";
import { systemClock } from "../../util/clock.ts";
import { expectNoLongSlice, sliceBound } from "../../util/testing/slices.ts";
import { registryOf, widget } from "../../registry/testing/registry.ts";
import { Discovery } from "./discovery.ts";
import { OpenApi } from "./openapi.ts";

const FORM = { media: "json", shape: "", version: "", pretty: false } as const;
const other = widget("v1", { group: "other.com" });

async function setUp() {
  const { kinds } = await registryOf([widget("v1"), other]);
  return {
    kinds,
    discovery: new Discovery(kinds, systemClock.loop),
    openApi: new OpenApi(kinds, systemClock.loop, "0"),
  };
}

/** The sent bytes of a document; the loop runs nothing else meanwhile, unless the sender yields between two pieces. */
const textOf = (document: HashedDocument | undefined): string =>
  Buffer.concat([...(document?.pieces() ?? [])]).toString();

test("a kind that comes is in the documents of its group, and those of other groups stay the very same", async () => {
  const { kinds, discovery, openApi } = await setUp();
  const documents = async () => ({
    mine: [await discovery.resources("example.com", "v1", FORM), await openApi.document("apis/example.com/v1")],
    others: [await discovery.resources("other.com", "v1", FORM), await openApi.document("apis/other.com/v1")],
  });
  const before = await documents();
  await kinds.set({ versions: [widget("v1", { kind: "Gadget", plural: "gadgets", singular: "gadget" })] });
  const after = await documents();
  for (const [i, document] of after.others.entries()) expect(document).toBe(before.others[i]);
  for (const document of after.mine) expect(textOf(document)).toContain("Gadget");
});

test("documents of all groups follow what comes and goes", async () => {
  const { kinds, discovery, openApi } = await setUp();
  const overviews = async (): Promise<string[]> => [
    textOf(await discovery.root(false, FORM)),
    textOf(await discovery.aggregated(false, FORM)),
    textOf(await openApi.index()),
    textOf(await openApi.v2("json")),
  ];
  for (const text of await overviews()) expect(text).toContain("other.com");
  await kinds.remove("widgets.other.com");
  for (const text of await overviews()) expect(text).not.toContain("other.com");
  expect([discovery.has("other.com"), openApi.document("apis/other.com/v1")]).toEqual([false, undefined]);
  await kinds.set({ versions: [other] });
  for (const text of await overviews()) {
    expect(text).toContain("other.com");
    expect(JSON.parse(text)).toBeInstanceOf(Object);
  }
});

test("the documents of a thousand kinds leave their turns to others, also after each change", async () => {
  const { kinds, discovery, openApi } = await setUp();
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, optional(textType(`Field ${i}.`))]));
  const schema = objectSchema("A kind of many.", { spec: optional(struct("What is wanted.", fields)) });
  for (let n = 0; n < 1000; n++) await kinds.set({ versions: [widget("v1", { group: `g${n}.com`, schema })] });
  let changes = 0;
  const change = () =>
    kinds.set({ versions: [widget("v1", { group: "g7.com", schema, shortNames: [`s${changes++}`] })] });
  for (const make of [
    () => openApi.v2("protobuf"),
    () => openApi.v2("json"),
    () => openApi.index(),
    () => discovery.aggregated(false, FORM),
    () => openApi.document("apis/g7.com/v1"),
  ]) {
    await expectNoLongSlice(change, make);
  }
});

test("a change of one kind of a thousand in its group costs no other one", async () => {
  const { kinds, openApi } = await setUp();
  const named = (i: number) => ({ group: "many.com", kind: `K${i}`, plural: `k${i}s`, singular: `k${i}` });
  for (let i = 0; i < 1000; i++) await kinds.set({ versions: [widget("v1", named(i))] });
  const make = async () => (await openApi.document("apis/many.com/v1"))!;
  await expectNoLongSlice(() => undefined, make);
  const all = await make();
  await kinds.set({ versions: [widget("v1", { ...named(7), shortNames: ["seven"], description: "The seventh." })] });
  const begin = systemClock.steady();
  const changed = await make();
  const text = textOf(changed);
  const millis = systemClock.steady() - begin;
  expect(millis).toBeLessThan(sliceBound());
  expect(changed.hash).not.toBe(all.hash);
  expect(JSON.parse(text).components.schemas["com.many.v1.K7"].description).toBe("The seventh.");
});

test("a document is found by the very name that it has", async () => {
  const { openApi } = await setUp();
  expect(openApi.document("apis/example.com/v1")).toBeDefined();
  for (const name of [
    "api/example.com/v1",
    "apis/example.com/v2",
    "example.com/v1",
    "apis/v1",
    "x/apis/example.com/v1",
    "",
  ]) {
    expect(openApi.document(name)).toBeUndefined();
  }
});

test("objects that are stored in another version have the hash of that", async () => {
  const beta = widget("v1beta1");
  const { kinds } = await registryOf([]);
  await kinds.set({ versions: [widget("v1"), beta], storage: beta });
  const discovery = new Discovery(kinds, systemClock.loop);
  const told = async (version: string): Promise<string> =>
    textOf(await discovery.resources("example.com", version, FORM));
  const hashes = [await told("v1"), await told("v1beta1")].map(
    (text) => /"storageVersionHash":"([^"]*)"/.exec(text)?.[1],
  );
  expect(hashes[0]).toMatch(/^.{11}=$/);
  expect(hashes[1]).toBe(hashes[0]);
  await kinds.set({ versions: [widget("v1"), beta], storage: widget("v1") });
  expect(await told("v1")).not.toContain(hashes[0]);
});
