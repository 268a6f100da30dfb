import { expect, test } from "vitest";
import { Discovery } from "../client/index.ts";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { createCluster } from "./cluster.ts";

test.each([kubernetes, neutral])("a client of the same process gets the kinds of discovery: $name", async (dialect) => {
  await using cluster = await createCluster({ store: await openMemoryStore(), dialect });
  const client = cluster.client("test");
  const told = client.local!.kinds!();
  expect(told.length).toBeGreaterThan(50);
  expect(told).toEqual(await new Discovery(client).read());
  expect(client.local!.kinds!()).toBe(told);
  const gone = told.find(({ plural }) => plural === "configmaps")!;
  await cluster.kinds.remove("configmaps.");
  const left = client.local!.kinds!();
  expect(left).toEqual(told.filter((kind) => kind !== gone));
  expect(left.find(({ plural }) => plural === "secrets")).toBe(told.find(({ plural }) => plural === "secrets"));
});
