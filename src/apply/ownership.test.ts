import { expect, test } from "vitest";
import {
  applies,
  check,
  conflicts,
  entries,
  forces,
  isNow,
  misfits,
  owners,
  patches,
  runStory,
  timeAt,
  updates,
  waits,
  wasWrite,
} from "./testing/story.ts";
import { storedEntries } from "./index.ts";
import type { Value } from "../value/value.ts";

interface Draft {
  metadata: { labels?: Record<string, string>; managedFields?: Value };
  spec: Record<string, Value>;
  data: Record<string, string>;
}

const data = (keys: Record<string, unknown>) => ({ data: keys });
const spec = (fields: Record<string, unknown>) => ({ spec: fields });

test("MF-1..9: an entry names manager, operation, version, time and a tree of fields", () => {
  runStory([
    applies("m1", data({ k: "v" })),
    entries([
      {
        manager: "m1",
        operation: "Apply",
        apiVersion: "v1",
        time: timeAt(0),
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:k": {} } },
      },
    ]),
  ]);
});

test("MF-3, OWN-12: a create owns every field it set and the containers that came with them, as Update", () => {
  runStory([
    updates("u", { metadata: { labels: { a: "b" }, finalizers: ["x"] }, data: { k: "v" }, spec: { color: "red" } }),
    owners({
      "u updating v1": [
        ".data",
        ".data.k",
        ".metadata.finalizers",
        '.metadata.finalizers[="x"]',
        ".metadata.labels",
        ".metadata.labels.a",
        ".spec",
        ".spec.color",
        ".spec.policy",
      ],
    }),
  ]);
});

test("DEC-14: identity and what the server sets have no owner", () => {
  const meta = {
    namespace: "n",
    resourceVersion: "7",
    creationTimestamp: timeAt(0),
    generation: 1,
    labels: { a: "b" },
  };
  runStory([
    applies("a", { metadata: meta }),
    owners({ a: [".metadata.labels.a"] }),
    updates("u", { metadata: { ...meta, generation: 2, labels: { a: "c" } } }),
    owners({ "u updating v1": [".metadata.labels.a"] }),
  ]);
});

test("OWN-1: two managers of different keys of one map own only their keys", () => {
  runStory([
    applies("a", data({ k: "1" })),
    applies("b", data({ l: "2" })),
    isNow({ data: { k: "1", l: "2" } }),
    owners({ a: [".data.k"], b: [".data.l"] }),
  ]);
});

test("OWN-2, OWN-3, APPLY-15: another value than the owner's is a conflict and nothing changes", () => {
  runStory([
    applies("a", data({ k: "1" })),
    conflicts("b", data({ k: "2", l: "3" }), { a: [".data.k"] }),
    isNow({ data: { k: "1" } }),
    owners({ a: [".data.k"] }),
  ]);
});

test("OWN-4, OWN-5, OWN-15: force overwrites and takes the field from appliers and updaters alike", () => {
  runStory([
    updates("u", { data: { k: "1" } }),
    applies("a", data({ k: "1", l: "1" })),
    forces("b", data({ k: "2" })),
    isNow({ data: { k: "2", l: "1" } }),
    owners({ a: [".data.l"], b: [".data.k"], "u updating v1": [".data"] }),
  ]);
});

test("OWN-6, OWN-17, TOPO-5: the stored value makes a co-owner", () => {
  runStory([
    applies("a", data({ k: "1" })),
    applies("b", data({ k: "1" })),
    owners({ a: [".data.k"], b: [".data.k"] }),
  ]);
});

test("OWN-7: a shared field conflicts with the change of any applier, its owners included", () => {
  runStory([
    applies("a", data({ k: "1" })),
    applies("b", data({ k: "1" })),
    conflicts("a", data({ k: "2" }), { b: [".data.k"] }),
    conflicts("b", data({ k: "2" }), { a: [".data.k"] }),
    conflicts("c", data({ k: "2" }), { a: [".data.k"], b: [".data.k"] }),
  ]);
});

test("OWN-8, TOPO-6: a co-owner that omits the field releases it, and the value stays", () => {
  runStory([
    applies("a", data({ k: "1", l: "1" })),
    applies("b", data({ k: "1" })),
    applies("a", data({ l: "1" })),
    isNow({ data: { k: "1", l: "1" } }),
    owners({ a: [".data.l"], b: [".data.k"] }),
  ]);
});

test("OWN-9, APPLY-14, APPLY-21: what the only owner omits is removed", () => {
  runStory([
    applies("a", data({ k: "1", l: "1" })),
    applies("a", data({ l: "1" })),
    isNow({ data: { l: "1" } }),
    applies("a", {}),
    isNow({}),
    owners({}),
  ]);
});

test("OWN-10: what the only owner omits falls back to its default", () => {
  runStory([
    updates("u", spec({ color: "red" })),
    forces("a", spec({ policy: "Retain" })),
    isNow({ spec: { color: "red", policy: "Retain" } }),
    applies("a", {}),
    isNow({ spec: { color: "red", policy: "Delete" } }),
  ]);
});

test("OWN-11: labels, keyed entries and set elements go with their only owner", () => {
  const full = { metadata: { labels: { a: "1" }, finalizers: ["x"] }, spec: { drivers: [{ name: "d", nodeID: "n" }] } };
  runStory([
    updates("u", { metadata: { labels: { o: "1" }, finalizers: ["o"] }, spec: { drivers: [{ name: "o" }] } }),
    applies("a", full),
    isNow({
      metadata: { labels: { o: "1", a: "1" }, finalizers: ["o", "x"] },
      spec: { drivers: [{ name: "o" }, { name: "d", nodeID: "n" }], policy: "Delete" },
    }),
    applies("a", {}),
    isNow({
      metadata: { labels: { o: "1" }, finalizers: ["o"] },
      spec: { drivers: [{ name: "o" }], policy: "Delete" },
    }),
  ]);
});

test("OWN-11: an entry that the applier drops is removed with its unowned members, but stays while another manager owns it", () => {
  runStory([
    applies("a", spec({ drivers: [{ name: "d", nodeID: "n" }] })),
    applies("b", spec({ drivers: [{ name: "d", keys: ["k"] }] })),
    applies("a", {}),
    isNow({ spec: { drivers: [{ name: "d", keys: ["k"] }], policy: "Delete" } }),
  ]);
});

test("OWN-12, OWN-13, OWN-14, AMB-40: an update owns what it changes, never fails, and then conflicts", () => {
  runStory([
    applies("a", data({ k: "1", l: "1" })),
    updates("u", { data: { k: "2", l: "1" } }),
    owners({ a: [".data.l"], "u updating v1": [".data.k"] }),
    conflicts("a", data({ k: "1", l: "1" }), { "u updating v1": [".data.k"] }),
  ]);
});

test("OWN-16: leaving the field out keeps the value and releases it", () => {
  runStory([
    applies("a", data({ k: "1", l: "1" })),
    updates("u", { data: { k: "2", l: "1" } }),
    applies("a", data({ l: "1" })),
    isNow({ data: { k: "2", l: "1" } }),
    owners({ a: [".data.l"], "u updating v1": [".data.k"] }),
  ]);
});

test("APPLY-6, APPLY-13: the intent is partial, and wins where both define a value", () => {
  runStory([
    applies("a", { data: { k: "1" }, spec: { color: "red", count: 1 } }),
    applies("a", { data: { k: "2" }, spec: { color: "red", count: 1 } }),
    isNow({ data: { k: "2" }, spec: { color: "red", count: 1, policy: "Delete" } }),
  ]);
});

test("APPLY-7: entries may not be in an intent, not even an empty list; null may", () => {
  runStory([
    applies("a", { metadata: { managedFields: null }, data: { k: "1" } }),
    misfits("a", { metadata: { managedFields: [] } }, [".metadata.managedFields"]),
    misfits("a", { metadata: { managedFields: [{}] } }, [".metadata.managedFields"]),
  ]);
});

test("APPLY-12, DEC-22: an intent that does not fit its type is refused with every faulty field", () => {
  runStory([
    misfits(
      "a",
      {
        metadata: { finalizers: ["x", "x", null] },
        spec: {
          count: "1",
          extra: 1,
          drivers: [{ nodeID: "n" }, { name: "d", x: 1 }],
          args: [1],
          enabled: 1,
          tags: [{}],
        },
        data: { k: 1 },
      },
      [
        ".metadata.finalizers",
        ".metadata.finalizers[2]",
        ".spec.count",
        ".spec.extra",
        ".spec.drivers[0]",
        '.spec.drivers[name="d"].x',
        ".spec.args[0]",
        ".spec.enabled",
        ".spec.tags[0]",
        ".data.k",
      ],
    ),
  ]);
});

test("MARK-4, AMB-42: two applied entries of one key are refused, an update may store a duplicate in a set", () => {
  runStory([
    misfits("a", spec({ drivers: [{ name: "d" }, { name: "d", nodeID: "n" }] }), [".spec.drivers"]),
    updates("u", spec({ tags: ["x", "x", "y"] })),
    isNow({ spec: { tags: ["x", "x", "y"], policy: "Delete" } }),
    conflicts("a", spec({ tags: ["x"] }), { "u updating v1": ['.spec.tags[="x"]'] }),
    forces("a", spec({ tags: ["x"] })),
    isNow({ spec: { tags: ["x", "y"], policy: "Delete" } }),
  ]);
});

test("APPLY-22: what was there before the first apply cannot be removed by apply", () => {
  runStory([
    updates("u", { data: { k: "1" } }),
    applies("a", data({ l: "1" })),
    applies("a", {}),
    isNow({ data: { k: "1" } }),
  ]);
});

test("MARK-2, MARK-15: an atomic list has one owner, and nothing below it is owned", () => {
  runStory([
    applies("a", spec({ args: ["x"] })),
    owners({ a: [".spec.args"] }),
    conflicts("b", spec({ args: ["x", "y"] }), { a: [".spec.args"] }),
    forces("b", spec({ args: ["y"] })),
    isNow({ spec: { args: ["y"], policy: "Delete" } }),
    owners({ b: [".spec.args"] }),
  ]);
});

test("MARK-3, MARK-5: elements of a set have their own owners", () => {
  runStory([
    applies("a", spec({ tags: ["x", "y"] })),
    applies("b", spec({ tags: ["y", "z"] })),
    isNow({ spec: { tags: ["x", "y", "z"], policy: "Delete" } }),
    owners({ a: ['.spec.tags[="x"]', '.spec.tags[="y"]'], b: ['.spec.tags[="y"]', '.spec.tags[="z"]'] }),
  ]);
});

test("MARK-4, MARK-5, MARK-14: entries of keyed lists have their own owners, also by the patch markers", () => {
  runStory([
    applies("a", spec({ drivers: [{ name: "d1", nodeID: "1" }], conditions: [{ type: "A", status: "True" }] })),
    applies("b", spec({ drivers: [{ name: "d2", nodeID: "2" }], conditions: [{ type: "B", status: "True" }] })),
    conflicts("b", spec({ drivers: [{ name: "d1", nodeID: "2" }] }), { a: ['.spec.drivers[name="d1"].nodeID'] }),
    conflicts("b", spec({ conditions: [{ type: "A", status: "No" }] }), { a: ['.spec.conditions[type="A"].status'] }),
  ]);
});

test("MARK-6, MARK-8: keys may be several fields, with defaults", () => {
  runStory([
    applies("a", spec({ ports: [{ port: 1, label: "x" }] })),
    applies("b", spec({ ports: [{ port: 1, protocol: "UDP", label: "y" }] })),
    conflicts("b", spec({ ports: [{ port: 1, protocol: "TCP", label: "y" }] }), {
      a: ['.spec.ports[port=1,protocol="TCP"].label'],
    }),
  ]);
});

test("MARK-10, MARK-11, MARK-12: a granular map has owners by key, an atomic one a single owner", () => {
  runStory([
    applies("a", spec({ settings: { x: "1" }, selector: { x: "1" } })),
    applies("b", spec({ settings: { y: "1" } })),
    conflicts("b", spec({ selector: { y: "1" } }), { a: [".spec.selector"] }),
    owners({ a: [".spec.settings.x", ".spec.selector"].sort(), b: [".spec.settings.y"] }),
  ]);
});

test("MARK-13: an atomic struct has one owner", () => {
  runStory([
    applies("a", spec({ ref: { kind: "K", name: "n" } })),
    owners({ a: [".spec.ref"] }),
    conflicts("b", spec({ ref: { name: "m" } }), { a: [".spec.ref"] }),
  ]);
});

test("MARK-16: without a schema members are owned at any depth and lists as a whole", () => {
  runStory([
    applies("a", spec({ free: { x: { y: 1 }, l: [1, 2] } })),
    applies("b", spec({ free: { x: { z: 1 } } })),
    conflicts("b", spec({ free: { l: [1] } }), { a: [".spec.free.l"] }),
    owners({ a: [".spec.free.l", ".spec.free.x", ".spec.free.x.y"], b: [".spec.free.x", ".spec.free.x.z"] }),
  ]);
});

test("DEC-31: the same intent again is no write, and one that only makes a co-owner is one", () => {
  runStory([
    applies("a", data({ k: "1" })),
    waits(60),
    applies("a", data({ k: "1" })),
    wasWrite(false),
    applies("b", data({ k: "1" })),
    wasWrite(true),
  ]);
});

test("DEC-14: with timelessOwnership an apply that changes only owners has no time; otherwise it has", () => {
  const steps = [applies("b", data({ k: "1" })), waits(5), applies("a", data({ k: "1" }))];
  const times = (timelessOwnership: boolean) =>
    storedEntries(runStory(steps, { rules: { timelessOwnership } }).live!).map(({ manager, time }) => [manager, time]);
  expect(times(true)).toEqual([
    ["a", undefined],
    ["b", timeAt(0)],
  ]);
  expect(times(false)).toEqual([
    ["b", timeAt(0)],
    ["a", timeAt(5)],
  ]);
});

test("DEC-14: of one manager, the entry of the object precedes those of its subresources", () => {
  const steps = ["m/status", "m", "m/scale"].map((name, i) => applies(name, data({ [`k${i}`]: "1" })));
  const stored = storedEntries(runStory(steps).live!);
  expect(stored.map(({ subresource }) => subresource)).toEqual([undefined, "scale", "status"]);
});

test("MF-5, DEC-14: an update that changes nothing leaves list and times as they are", () => {
  runStory([
    updates("u", { data: { k: "1" } }),
    waits(60),
    check((world) => {
      const before = storedEntries(world.live!);
      updates("u", { data: { k: "1" } })(world);
      expect(storedEntries(world.live!)).toBe(before);
    }),
    updates("u", { data: { k: "2" } }),
    check((world) => expect(storedEntries(world.live!)[0]!.time).toBe(timeAt(60))),
  ]);
});

test("a field that an update removes has no owner", () => {
  runStory([
    applies("a", data({ k: "1", l: "1" })),
    waits(5),
    updates("u", { data: { l: "1" } }),
    owners({ a: [".data.l"] }),
    check((world) => expect(storedEntries(world.live!)[0]!.time).toBe(timeAt(0))),
  ]);
});

test("DEC-14: one name that applies and updates is two managers", () => {
  runStory([
    applies("a", data({ k: "1" })),
    updates("a", { data: { k: "2" } }),
    owners({ "a updating v1": [".data.k"] }),
    conflicts("a", data({ k: "1" }), { "a updating v1": [".data.k"] }),
  ]);
});

test("DEC-14: the order is Apply before Update, then time, then name", () => {
  const world = runStory([
    updates("z", { data: { a: "1" } }),
    applies("y", data({ b: "1" })),
    waits(5),
    applies("x", data({ c: "1" })),
    applies("w", data({ d: "1" })),
    patches("v", (it: Draft) => (it.data["e"] = "1")),
  ]);
  expect(storedEntries(world.live!).map(({ manager }) => manager)).toEqual(["y", "w", "x", "z", "v"]);
});

test("DEC-14: more than ten updaters are folded into ancient-changes, appliers never", () => {
  const many = Array.from({ length: 15 }, (_, i) => [
    waits(1),
    patches(`u${i}`, (it: Draft) => (it.data[`k${i}`] = "1")),
    applies(`a${i}`, data({ [`l${i}`]: "1" })),
  ]);
  const world = runStory([updates("first", { data: { k: "1" } }), ...many.flat()]);
  const listed = storedEntries(world.live!);
  const updaters = listed.filter(({ operation }) => operation === "Update");
  expect(listed.length - updaters.length).toBe(15);
  expect(updaters.map(({ manager }) => manager)).toEqual([
    "ancient-changes",
    ...Array.from({ length: 9 }, (_, i) => `u${i + 6}`),
  ]);
  expect(Object.keys(updaters[0]!.fieldsV1["f:data"]!)).toEqual([
    ".",
    "f:k",
    "f:k0",
    "f:k1",
    "f:k2",
    "f:k3",
    "f:k4",
    "f:k5",
  ]);
  expect(updaters[0]!.time).toBe(timeAt(6));
});

test("DEC-14: the first apply to an object without owners makes before-first-apply the owner of the rest", () => {
  runStory(
    [
      conflicts("a", data({ k: "2" }), { "before-first-apply updating v1": [".data.k"] }),
      applies("a", data({ k: "1", l: "1" })),
      owners({
        a: [".data.k", ".data.l"],
        "before-first-apply updating v1": [".data", ".data.k", ".spec", ".spec.color"],
      }),
    ],
    {
      live: {
        apiVersion: "v1",
        kind: "Thing",
        metadata: { name: "t", uid: "u" },
        data: { k: "1" },
        spec: { color: "r" },
      },
    },
  );
});

test("DEC-14: status is a manager of its own, and owns what its path may write", () => {
  runStory([
    updates("u", { data: { k: "1" } }),
    patches("u/status", (it: Draft & { status: object }) => (it.status = { phase: "Bound" })),
    owners({
      "u updating v1": [".data", ".data.k"],
      "u/status updating v1": [".status", ".status.phase"],
    }),
    conflicts("a/status", { status: { phase: "Lost" } }, { "u/status updating v1": [".status.phase"] }),
  ]);
});

test("DEC-20: a conflict names every field of every owner, in words too", () => {
  const world = runStory([
    applies("a", data({ k: "1", l: "1" })),
    applies("b", data({ k: "1" })),
    updates("u", { data: { k: "1", l: "1", m: "1" } }),
    conflicts("c", data({ k: "2", l: "2", m: "2" }), {
      a: [".data.k", ".data.l"],
      b: [".data.k"],
      "u updating v1": [".data.m"],
    }),
  ]);
  const outcome = world.lastOutcome!;
  expect(outcome.kind === "conflicts" && outcome.conflicts.map(({ message }) => message)).toEqual([
    'conflict with "a"',
    'conflict with "a"',
    'conflict with "b"',
    'conflict with "u" using v1',
  ]);
});

test("DEC-22: null in an intent is as if absent in one dialect, a value in the other", () => {
  const steps = [
    applies("a", { data: { k: "1" }, spec: { color: "red" } }),
    applies("a", { data: null, spec: { color: null } }),
  ];
  runStory([...steps, isNow({ spec: { policy: "Delete" } }), owners({ a: [".spec"] })], {
    rules: { nullIsAbsent: true },
  });
  runStory([...steps, owners({ a: [".data", ".spec.color"] })]);
  runStory([applies("a", spec({ color: "red" })), conflicts("b", spec({ color: null }), { a: [".spec.color"] })]);
});

test("DEC-9: quantities are compared by their text, or by a rule", () => {
  const big = (storage: string) => spec({ capacity: { storage } });
  runStory([applies("a", big("1Gi")), conflicts("b", big("1024Mi"), { a: [".spec.capacity.storage"] })]);
  const scalarEqual = (type: { format: string | undefined }) => type.format === "quantity";
  runStory(
    [
      applies("a", big("1Gi")),
      applies("b", big("1024Mi")),
      isNow(spec({ capacity: { storage: "1Gi" }, policy: "Delete" })),
      owners({ a: [".spec.capacity.storage"], b: [".spec.capacity.storage"] }),
    ],
    { rules: { scalarEqual } },
  );
});

test("keys that every object inherits are fields like others", () => {
  const odd = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}') as Record<string, string>;
  const world = runStory([
    applies("a", data(odd)),
    owners({ a: [".data.__proto__", ".data.constructor", ".data.toString"] }),
    conflicts("b", data({ constructor: "x" }), { a: [".data.constructor"] }),
    updates("u", data(JSON.parse('{"__proto__":"9","constructor":"2","toString":"3"}'))),
    owners({ a: [".data.constructor", ".data.toString"], "u updating v1": [".data.__proto__"] }),
    applies("a", {}),
  ]);
  expect(JSON.stringify((world.live as { data: unknown }).data)).toBe('{"__proto__":"9"}');
});

test("a free value of a thousand levels is owned, compared and released like any other", () => {
  let deep: Value = "x";
  let deeper: Value = "y";
  for (let i = 0; i < 1000; i++) [deep, deeper] = [{ n: deep }, { n: deeper }];
  const path = ".spec.free" + ".n".repeat(1000);
  const world = runStory([
    updates("u", spec({ color: "red" })),
    applies("a", spec({ free: deep })),
    conflicts("b", spec({ free: deeper }), { a: [path] }),
    updates("u", spec({ color: "red", free: deeper })),
    check(({ live }) => {
      expect(storedEntries(live!).map(({ manager }) => manager)).toEqual(["a", "u"]);
    }),
    applies("a", {}),
  ]);
  expect(storedEntries(world.live!).map(({ manager }) => manager)).toEqual(["u"]);
});

test("DEC-22: an intent with nothing but an identity releases all fields and keeps the identity", () => {
  const world = runStory([
    applies("a", { metadata: { labels: { a: "1" } }, data: { k: "1" } }),
    applies("a", {}),
    owners({}),
  ]);
  const { lastOutcome } = world;
  expect(lastOutcome?.kind === "applied" && (lastOutcome.object as { metadata: object }).metadata).toMatchObject({
    name: "t",
    uid: "u-1",
  });
});
