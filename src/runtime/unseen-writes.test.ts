import { expect, test } from "vitest";
import type { ApiObject, Write } from "../client/index.ts";
import { ConfigMap } from "../client/kinds/index.ts";
import type { Informers } from "./informers.ts";
import { UnseenWrites } from "./unseen-writes.ts";

/** A reflector whose last seen revision the test sets. */
class Seen {
  readonly hasSynced = true;
  readonly hasEnded = false;
  readonly selection = {};
  readonly listeners = new Set<() => void>();
  readonly objects = new Map<string, ApiObject>();
  position = 0;
  readonly memory = { get: ({ name }: { readonly name: string }) => this.objects.get(name) };

  hasPassed(version: string): boolean {
    return this.position >= Number(version);
  }

  onProgress(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  see(position: number, ...objects: readonly ApiObject[]): void {
    this.position = position;
    for (const object of objects) this.objects.set(object.metadata.name, object);
    for (const listener of this.listeners) listener();
  }
}

const object = (name: string, version: number): ApiObject =>
  ({ metadata: { name, namespace: "n", uid: name, resourceVersion: String(version) } }) as unknown as ApiObject;
const create = (response: ApiObject): Write => ({ verb: "create", kind: ConfigMap, response }) as unknown as Write;

function setUp() {
  const seen = new Seen();
  const again: string[] = [];
  const writes = new UnseenWrites({ of: () => [seen] } as unknown as Informers, {
    again: (key) => void again.push(key),
    allAgain: () => void again.push("all"),
  });
  return { seen, again, writes };
}

test("who made an object that was gone before it was seen is called again, once", () => {
  const { seen, again, writes } = setUp();
  writes.add("k", create(object("a", 5)));
  seen.see(4);
  expect(again).toEqual([]);
  seen.see(9);
  seen.see(10);
  expect(again).toEqual(["k"]);
  expect(seen.listeners.size).toBe(0);
});

test("who made an object that is seen is not called, also where it goes later", () => {
  const { seen, again, writes } = setUp();
  const [a, b] = [object("a", 5), object("b", 6)];
  writes.add("k", create(a));
  writes.add("k", create(b));
  seen.see(5, a);
  seen.objects.delete("a");
  seen.see(6, b);
  expect(again).toEqual([]);
});

test("who made an object that was changed before it was seen is called again", () => {
  const { seen, again, writes } = setUp();
  writes.add("k", create(object("a", 5)));
  seen.see(9, object("a", 8));
  expect(again).toEqual(["k"]);
});

test("nothing is waited for after the end", () => {
  const { seen, again, writes } = setUp();
  writes.add("k", create(object("a", 5)));
  writes[Symbol.dispose]();
  seen.see(9);
  expect([again, seen.listeners.size]).toEqual([[], 0]);
});

test("writes for which there is no room are forgotten, and all keys are reconciled again when memory has passed them", () => {
  const { seen, again, writes } = setUp();
  const count = 20_000;
  // The answers come in another order than the writes.
  for (let i = 1; i <= count; i++) writes.add(`k${i}`, create(object(`a${i}`, 1 + (i % count))));
  seen.see(3);
  expect(again).toEqual([]);
  seen.see(count);
  expect(new Set(again).has("all")).toBe(true);
  // The first ones were forgotten, and the last ones are known.
  expect(again).not.toContain("k1");
  expect(again).toContain(`k${count - 1}`);
  expect(again.length).toBeLessThan(12_000);
  expect(again.filter((key) => key === "all")).toEqual(["all"]);
  expect(seen.listeners.size).toBe(0);
});

test("no callback runs for dropped writes after the end", () => {
  const { seen, again, writes } = setUp();
  for (let i = 1; i <= 20_000; i++) writes.add("k", create(object(`a${i}`, i)));
  writes[Symbol.dispose]();
  seen.see(20_000);
  expect([again, seen.listeners.size]).toEqual([[], 0]);
});
