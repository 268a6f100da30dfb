import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluatePointer } from "../value/testing/pointer.ts";
import type { Value, ValueObject } from "../value/value.ts";
import {
  blame,
  iterate,
  pathToString,
  readEntries,
  storedEntries,
  toFieldSet,
  toFieldsV1,
  typeOf,
  withEntries,
  withoutEntries,
} from "./index.ts";
import type { Blame, ManagedFieldsEntry } from "./index.ts";
import { applies, forces, patches, runStory, thingSchema, updates, waits } from "./testing/story.ts";
import type { Setting, Step } from "./testing/story.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";

const type = typeOf(thingSchema);

/** The owners of the fields at the end of a story. */
function blamed(steps: readonly Step[], setting?: Setting): Blame {
  return blame(type, runStory(steps, setting).live!);
}

/** Who owns each leaf, in short. */
const owners = ({ leaves }: Blame): Record<string, string[]> =>
  Object.fromEntries(leaves.map(({ field, managers }) => [field, managers.map(({ manager }) => manager)]));

describe("blame", () => {
  test("MF-1..9: a leaf has its manager, operation, version, subresource and time", () => {
    const { leaves } = blamed([
      applies("a", { data: { x: "1" } }),
      waits(60),
      patches("b/status", (object: { status?: object }) => (object.status = { phase: "Ready" })),
    ]);
    expect(leaves.find(({ field }) => field === ".data.x")).toEqual({
      field: ".data.x",
      pointer: "/data/x",
      value: "1",
      managers: [{ manager: "a", operation: "Apply", apiVersion: "v1", time: "1970-01-01T00:00:00Z" }],
    });
    expect(leaves.find(({ field }) => field === ".status.phase")?.managers).toEqual([
      { manager: "b", operation: "Update", apiVersion: "v1", time: "1970-01-01T00:01:00Z", subresource: "status" },
    ]);
  });

  test("OWN-6: co-owners are all shown", () => {
    const found = blamed([applies("a", { data: { x: "1" } }), applies("b", { data: { x: "1" } })]);
    expect(owners(found)[".data.x"]).toEqual(["a", "b"]);
  });

  test("what identifies an object, and what no manager owns, is listed without an owner", () => {
    expect(owners(blamed([applies("a", { data: { x: "1" } })]))).toEqual({
      ".apiVersion": [],
      ".kind": [],
      ".metadata.name": [],
      ".metadata.uid": [],
      ".data.x": ["a"],
    });
  });

  test("MARK-3, MARK-4: entries of keyed lists are found by their keys at any position, defaults of keys included", () => {
    const found = blamed([
      applies("a", { spec: { drivers: [{ name: "d1", nodeID: "n1" }], ports: [{ port: 80, label: "web" }] } }),
      applies("b", { spec: { drivers: [{ name: "d2", nodeID: "n2" }], ports: [{ port: 80, protocol: "UDP" }] } }),
      patches("c", (object: { spec: { drivers: unknown[] } }) => object.spec.drivers.reverse()),
    ]);
    expect(owners(found)).toMatchObject({
      '.spec.drivers[name="d1"].name': ["a"],
      '.spec.drivers[name="d1"].nodeID': ["a"],
      '.spec.drivers[name="d2"].nodeID': ["b"],
      '.spec.ports[port=80,protocol="TCP"].label': ["a"],
      '.spec.ports[port=80,protocol="UDP"].port': ["b"],
    });
    const d1 = found.leaves.find(({ field }) => field === '.spec.drivers[name="d1"].nodeID');
    expect(d1?.pointer).toBe("/spec/drivers/1/nodeID");
    expect(found.containers.find(({ field }) => field === '.spec.drivers[name="d1"]')).toMatchObject({
      list: false,
      managers: [{ manager: "a" }],
    });
    expect(found.containers.find(({ field }) => field === ".spec.drivers")).toMatchObject({ list: true, managers: [] });
  });

  test("MARK-2: elements of sets are leaves of their own", () => {
    const found = blamed([applies("a", { spec: { tags: ["x"] } }), applies("b", { spec: { tags: ["y"] } })]);
    expect(owners(found)).toMatchObject({ '.spec.tags[="x"]': ["a"], '.spec.tags[="y"]': ["b"] });
  });

  test("MARK-5..8: atomic lists, maps and structs are one leaf each", () => {
    const spec = { args: ["1", "2"], selector: { app: "web" }, ref: { kind: "K", name: "n" } };
    const found = blamed([applies("a", { spec })]);
    expect(
      found.leaves.filter(({ field }) => field.startsWith(".spec")).map(({ field, value }) => [field, value]),
    ).toEqual([
      [".spec.args", ["1", "2"]],
      [".spec.selector", { app: "web" }],
      [".spec.ref", { kind: "K", name: "n" }],
      [".spec.policy", "Delete"],
    ]);
    expect(owners(found)).toMatchObject({ ".spec.args": ["a"], ".spec.selector": ["a"], ".spec.ref": ["a"] });
  });

  test("CLR-1..3: an object without entries has leaves and no owners; entries that cannot be read count as none", () => {
    const object = { apiVersion: "v1", data: { x: "1" } };
    expect(owners(blame(type, object))).toEqual({ ".apiVersion": [], ".data.x": [] });
    const broken = { ...object, metadata: { name: "n", managedFields: [{ operation: "Fly" }] } };
    expect(owners(blame(type, broken))).toEqual({ ".apiVersion": [], ".data.x": [], ".metadata.name": [] });
  });

  test("an empty container is a leaf, and so is a null", () => {
    const found = blame(type, { data: {}, spec: { free: { a: null, b: [] } } });
    expect(found.leaves.map(({ field, value }) => [field, value])).toEqual([
      [".data", {}],
      [".spec.free.a", null],
      [".spec.free.b", []],
    ]);
  });

  test("entries of one key, and entries without any, are leaves with different pointers", () => {
    const entry = {
      manager: "a",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:drivers": { 'k:{"name":"d"}': {} } } },
    };
    const drivers = [{ name: "d" }, { name: "d", nodeID: "n" }, { nodeID: "lost" }];
    const found = blame(type, { metadata: { name: "t", managedFields: [entry] }, spec: { drivers } });
    expect(found.leaves.map(({ field, pointer, managers }) => [field, pointer, managers.length])).toEqual([
      [".metadata.name", "/metadata/name", 0],
      ['.spec.drivers[name="d"]', "/spec/drivers/0", 1],
      ['.spec.drivers[name="d"]', "/spec/drivers/1", 1],
      [".spec.drivers[2]", "/spec/drivers/2", 0],
    ]);
  });

  test("paths that the object does not have are reported as absent, with their owners", () => {
    const story = runStory([applies("a", { data: { x: "1" }, spec: { color: "red" } })]);
    const { spec: _, ...left } = story.live as ValueObject;
    const found = blame(type, { ...left, data: { x: { y: "was a text" } } } as unknown as Value);
    expect(found.absent.map(({ field, manager }) => [field, manager.manager])).toEqual([[".spec.color", "a"]]);
  });

  test("TOPO-1: who owned a part of what is atomic now owns the whole", () => {
    const entry = {
      manager: "a",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:selector": { "f:app": {} } } },
    };
    const found = blame(type, { metadata: { name: "t", managedFields: [entry] }, spec: { selector: { app: "x" } } });
    expect(owners(found)).toEqual({ ".metadata.name": [], ".spec.selector": ["a"] });
    expect(found.absent).toEqual([]);
  });

  test("names like __proto__ and constructor are leaves like others", () => {
    const found = blamed([applies("a", JSON.parse('{"data":{"__proto__":"1","constructor":"2"}}') as object)]);
    expect(owners(found)).toMatchObject({ ".data.constructor": ["a"] });
    expect(found.leaves.map(({ field }) => field)).toContain(".data.__proto__");
  });

  test("time grows with the object and its entries, not with their product", () => {
    const measure = (n: number): number => {
      const names = Array.from({ length: n }, (_, i) => `k${i}`);
      const managedFields = names.map((name) => ({
        manager: name,
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { [`f:${name}`]: {} } },
      }));
      const object = {
        metadata: { name: "t", managedFields },
        data: Object.fromEntries(names.map((name) => [name, ""])),
      };
      const start = cpuMillis();
      const { leaves } = blame(type, object);
      const took = cpuMillis() - start;
      expect(leaves.slice(1).every(({ managers }) => managers.length === 1)).toBe(true);
      return took;
    };
    measure(1000);
    // Were it the product, 16 times as much would take 256 times as long.
    expect(measure(16_000)).toBeLessThan(100 * Math.max(measure(1000), 2));
  });
});

const word = fc.constantFrom("a", "b", "c", "constructor", "x.y/z");
const texts = fc.dictionary(word, word, { maxKeys: 3 });
const some = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<object>;
const body = some({
  metadata: some({ labels: texts, finalizers: fc.uniqueArray(word, { maxLength: 3 }) }),
  spec: some({
    color: word,
    args: fc.array(word, { maxLength: 3 }),
    tags: fc.uniqueArray(word, { maxLength: 3 }),
    drivers: fc.uniqueArray(
      fc.record({ name: word, nodeID: word, keys: fc.array(word, { maxLength: 2 }) }, { requiredKeys: ["name"] }),
      { selector: ({ name }) => name, maxLength: 3 },
    ),
    settings: texts,
    selector: texts,
    nested: some({ a: word, b: some({ c: word }) }),
    free: fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
  }),
  data: texts,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(word, body).map(([manager, intent]) => forces(manager, intent)),
  fc.tuple(word, body).map(([manager, object]) => updates(manager, object)),
);

/** The pointers of all leaves of a value, found without types, sets or paths. */
function plainLeaves(value: Value, pointer: string, atomic: ReadonlySet<string>): string[] {
  const isLeaf = typeof value !== "object" || value === null || Object.keys(value).length === 0;
  if (isLeaf || atomic.has(pointer)) return [pointer];
  return Object.entries(value).flatMap(([name, item]) =>
    plainLeaves(item, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, atomic),
  );
}

test("every leaf is reported exactly once, with its value, in the order of the object", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
      const live = withoutEntries(runStory(steps).live!);
      const found = blame(type, live);
      // Values that are no scalars and are one leaf nevertheless: those that the type calls atomic.
      const atomic = new Set(
        found.leaves.filter(({ value }) => typeof value === "object" && value !== null).map(({ pointer }) => pointer),
      );
      for (const pointer of atomic) {
        const value = evaluatePointer(live, pointer)!;
        const declared = /^\/spec\/(args|selector|drivers\/\d+\/keys)$/.test(pointer);
        expect(declared || Array.isArray(value) || Object.keys(value).length === 0).toBe(true);
      }
      expect(found.leaves.map(({ pointer }) => pointer)).toEqual(plainLeaves(live, "", atomic));
      for (const { pointer, value } of found.leaves) expect(evaluatePointer(live, pointer)).toEqual(value);
    }),
  );
});

test("every path of the entries resolves to exactly one leaf or container, or is reported as absent", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
      const live = runStory(steps).live!;
      const found = blame(type, live);
      const expected: string[] = [];
      for (const [key, { set }] of readEntries(storedEntries(live), false)!.managers) {
        const { manager, operation } = JSON.parse(key) as ManagedFieldsEntry;
        iterate(set, (path) => expected.push(`${operation} ${manager} ${pathToString(path)}`));
      }
      const present = [...found.leaves, ...found.containers].flatMap(({ field, managers }) =>
        managers.map(({ manager, operation }) => `${operation} ${manager} ${field}`),
      );
      const missing = found.absent.map(({ field, manager }) => `${manager.operation} ${manager.manager} ${field}`);
      expect([...present, ...missing].toSorted()).toEqual(expected.toSorted());
    }),
  );
});

test("nothing is absent of what a manager owns of the very intent that it sent", () => {
  fc.assert(
    fc.property(body, (intent) => {
      const fieldsV1 = toFieldsV1(toFieldSet(type, intent as Value));
      const entry = { manager: "a", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 } as const;
      expect(blame(type, withEntries(intent as Value, [entry])).absent).toEqual([]);
    }),
  );
});
