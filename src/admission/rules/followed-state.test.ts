import { expect, test } from "vitest";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { lookupOf, objectOf } from "../testing/requests.ts";
import { FollowedState } from "./followed-state.ts";

const RESOURCE = "widgets.example.com";

/** A lookup whose objects change, and the state of their names over it. */
function followed() {
  const objects: ApiObject[] = [];
  let mark = 1;
  let collected = 0;
  const base = lookupOf({ [RESOURCE]: objects });
  const lookup: Lookup = {
    ...base,
    first: () => objects.map(({ metadata: { name = "" } }) => ({ namespace: "", name })),
    collect: (_resource, read) => (collected++, Promise.resolve(objects.map(read).filter((one) => one !== undefined))),
    follow: () => ({
      get mark() {
        return mark;
      },
      changedSince: (since) => (since === mark ? [] : undefined),
    }),
  };
  const state = new FollowedState<string, string>(lookup, {
    resource: RESOURCE,
    read: ({ metadata }) => metadata.name,
    build: (names) => names.toSorted().join("+"),
  });
  const add = (name: string): void => {
    objects.push(objectOf({ name }));
    mark++;
  };
  return { lookup, state, add, objects, change: () => void mark++, collected: () => collected };
}

test("where there are no objects the state is there at once, and nothing is read", () => {
  const { state, lookup, collected } = followed();
  expect(state.of(lookup)).toBe("");
  expect(collected()).toBe(0);
});

test("HOOK-3: a change is seen by the next request; requests that come meanwhile wait for the same state", async () => {
  const { state, lookup, add, collected } = followed();
  add("b");
  add("a");
  const [first, second] = [state.of(lookup), state.of(lookup)];
  expect(first).toBeInstanceOf(Promise);
  expect([await first, await second]).toEqual(["a+b", "a+b"]);
  expect(state.of(lookup)).toBe("a+b");
  expect(collected()).toBe(1);
  add("c");
  expect(await state.of(lookup)).toBe("a+b+c");
});

test("a change while the state is built has it built once more", async () => {
  const { state, lookup, add } = followed();
  add("a");
  const first = state.of(lookup);
  add("b");
  const second = state.of(lookup);
  await first;
  await second;
  expect(state.of(lookup)).toBe("a+b");
});

test("objects that are planned are seen by the requests that are planned with them, and by no others", async () => {
  const { state, lookup, add } = followed();
  add("a");
  await state.of(lookup);
  const planned: Lookup = {
    ...lookup,
    collect: (_resource, read) =>
      Promise.resolve([objectOf({ name: "z" })].map(read).filter((one) => one !== undefined)),
    follow: (resource) => ({ mark: lookup.follow(resource).mark, changedSince: () => undefined }),
  };
  expect(await state.of(planned)).toBe("z");
  expect(state.of(lookup)).toBe("a");
  const plannedElsewhere = { ...lookup };
  expect(state.of(plannedElsewhere)).toBe("a");
});
