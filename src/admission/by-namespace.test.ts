import { expect, test } from "vitest";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup, ObjectName } from "../schema/lookup.ts";
import { EventLoop } from "../util/loop.ts";
import { ByNamespace } from "./by-namespace.ts";
import { objectOf } from "./testing/requests.ts";

const LETTERS = "letters.example.com";

/** Stored letters, a lookup of them with a history, and how often all of them were read. */
function store(...names: readonly string[]) {
  const objects = new Map<string, ApiObject>();
  const changes: ObjectName[] = [];
  const state = { reads: 0, isHistoryLost: false, isClosed: false };
  const put = (key: string, text?: string): void => {
    const [namespace = "", name = ""] = key.split("/");
    if (text === undefined) objects.delete(key);
    else objects.set(key, objectOf({ namespace, name }, { text }));
    changes.push({ namespace, name });
  };
  for (const name of names) put(name, name);
  const lookup: Lookup = {
    get: (_, namespace, name) => objects.get(`${namespace}/${name}`),
    async collect(_, read) {
      if (state.isClosed) throw new Error("closed");
      state.reads++;
      return [...objects.values()].map(read).filter((found) => found !== undefined);
    },
    first: () => [],
    follow: () => ({
      get mark() {
        return changes.length;
      },
      changedSince: (mark) => (state.isHistoryLost ? undefined : changes.slice(mark)),
    }),
  };
  const textOf = ({ text }: ApiObject): string | undefined => (text === "" ? undefined : (text as string));
  const letters = new ByNamespace({ lookup, loop: new EventLoop() }, LETTERS, textOf);
  return { put, state, lookup, letters };
}

type Letters = ReturnType<typeof store>;

/** The texts in a namespace, which are there at once. */
function textsIn({ letters, lookup }: Letters, namespace: string): string[] {
  const found = letters.in(namespace, lookup);
  if (found instanceof Promise) throw new Error("expected the texts at once, got a promise");
  return [...(found ?? [])];
}

/** Letters that were read once. */
async function loaded(...names: readonly string[]): Promise<Letters> {
  const all = store(...names);
  await all.letters.in("", all.lookup);
  return all;
}

test("the first read waits for all objects, each later one has the changes at once", async () => {
  const all = store("a/x", "b/y");
  expect(all.letters.in("a", all.lookup)).toBeInstanceOf(Promise);
  await all.letters.in("a", all.lookup);
  expect([textsIn(all, "a"), textsIn(all, "b"), textsIn(all, "c")]).toEqual([["a/x"], ["b/y"], []]);
  all.put("a/x", "new");
  all.put("a/z", "z");
  expect(textsIn(all, "a")).toEqual(["new", "z"]);
  expect(all.state.reads).toBe(1);
});

test("objects that are deleted, or without interest, are left out", async () => {
  const all = await loaded("a/x", "a/y");
  all.put("a/x");
  all.put("a/y", "");
  expect(textsIn(all, "a")).toEqual([]);
  expect(all.letters.in("a", all.lookup)).toBeUndefined();
});

test("where the history is lost, all objects are read again, and reads that come meanwhile wait", async () => {
  const all = await loaded("a/x");
  all.put("a/y", "y");
  all.state.isHistoryLost = true;
  const [one, other] = [all.letters.in("a", all.lookup), all.letters.in("a", all.lookup)];
  expect([[...(await one)!], [...(await other)!]]).toEqual([
    ["a/x", "y"],
    ["a/x", "y"],
  ]);
  expect(all.state.reads).toBe(2);
});

test("a read that fails is tried again by the next request", async () => {
  const all = store("a/x");
  all.state.isClosed = true;
  await expect(all.letters.in("a", all.lookup)).rejects.toThrow("closed");
  all.state.isClosed = false;
  expect([...(await all.letters.in("a", all.lookup))!]).toEqual(["a/x"]);
});

test("planned objects are read from the lookup that shows them, and are not kept", async () => {
  const all = await loaded("a/x");
  const planned = store("a/p");
  expect([...(await all.letters.in("a", planned.lookup))!]).toEqual(["a/p"]);
  expect(textsIn(all, "a")).toEqual(["a/x"]);
});
