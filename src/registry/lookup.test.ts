import { expect, test } from "vitest";
import type { ApiObject } from "../schema/definition.ts";
import { CALLER, WRITE, bodyOf, named, registryOf, widget } from "./testing/registry.ts";

test("a reader is asked about each state of an object once, and about none as long as none changes", async () => {
  const { kinds, lookup } = await registryOf([widget("v1")]);
  const widgets = kinds.find("example.com", "v1", "widgets")!;
  const seen: string[] = [];
  const read = ({ metadata }: ApiObject): string | undefined => {
    seen.push(metadata.name!);
    return metadata.name === "b" ? undefined : metadata.name;
  };
  const collect = (): Promise<readonly string[]> => lookup.collect("widgets.example.com", read);
  const create = (name: string) => widgets.create(named(""), bodyOf({ metadata: { name } }), WRITE, CALLER);
  for (const name of ["a", "b"]) await create(name);
  const first = await collect();
  expect([first, seen]).toEqual([["a"], ["a", "b"]]);
  expect(await collect()).toBe(first);
  await create("c");
  expect([await collect(), seen]).toEqual([
    ["a", "c"],
    ["a", "b", "c"],
  ]);
  await widgets.delete(named("a"), { dryRun: false }, CALLER);
  expect([await collect(), seen]).toEqual([["c"], ["a", "b", "c"]]);
});

test("what a reader collected in one registry stays when it reads in another", async () => {
  const [one, other] = [await registryOf([widget("v1")]), await registryOf([widget("v1")])];
  const read = ({ metadata }: ApiObject): string | undefined => metadata.name;
  const collectIn = ({ lookup }: typeof one): Promise<readonly string[]> => lookup.collect("widgets.example.com", read);
  const first = await collectIn(one);
  await collectIn(other);
  expect(await collectIn(one)).toBe(first);
});
