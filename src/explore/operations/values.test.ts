import { expect, test } from "vitest";
import type { Structural } from "../../schema/structural/schema.ts";
import { itemBeside } from "./values.ts";

const texts = (more: object = {}): Structural => ({ type: "array", items: { type: "string" }, ...more }) as Structural;

test("an item of a set is none that is there; one of another list may be", () => {
  expect(itemBeside(texts(), ["a"])).toBeTypeOf("string");
  for (const more of [{ "x-kubernetes-list-type": "set" }, { uniqueItems: true }]) {
    const schema = texts(more);
    const list: string[] = [];
    for (let i = 0; i < 3; i++) list.push(itemBeside(schema, list) as string);
    expect(new Set(list).size).toBe(3);
  }
});

test("an item of a map has other keys", () => {
  const schema = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: { type: "object", required: ["name"], properties: { name: { type: "string" }, size: { type: "integer" } } },
  } as Structural;
  const item = itemBeside(schema, [{ name: "a", size: 3 }]) as { name: string; size: number };
  expect(item.name).not.toBe("a");
  expect(item.size).toBe(3);
});
