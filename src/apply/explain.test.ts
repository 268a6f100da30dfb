import { describe, expect, test } from "vitest";
import { parsePointer } from "../value/pointer.ts";
import { clone, setMember } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";
import { applyIntent, explainConflicts, singleVersion, typeOf } from "./index.ts";
import type { BodyChange, ConflictingField, Converter, FieldConflict } from "./index.ts";
import { applies, patches, runStory, thing, thingSchema, timeAt, updates, waits } from "./testing/story.ts";
import type { Setting, Step, World } from "./testing/story.ts";

const type = typeOf(thingSchema);
const one = singleVersion("v1", type);

function apply(world: World, intent: Value, force = false) {
  const { live, apiVersion, converter } = world;
  const common = { converter, apiVersion, zero: { metadata: {} }, time: timeAt(100) };
  return applyIntent({ ...common, manager: "me", live, intent, force });
}

const conflictsOf = (world: World, intent: Value): readonly FieldConflict[] => {
  const outcome = apply(world, intent);
  expect(outcome.kind).toBe("conflicts");
  return outcome.kind === "conflicts" ? outcome.conflicts : [];
};

/** The explained conflicts of `me`, who applies `body` at the end of a story. */
function explained(steps: readonly Step[], body: object, setting: Setting = {}): ConflictingField[] {
  const world = runStory(steps, setting);
  const intent = thing(world, body);
  const { live, converter, apiVersion } = world;
  return explainConflicts({ conflicts: conflictsOf(world, intent), live: live!, intent, converter, apiVersion });
}

/** A body after changes; none of them is in an element of a list. */
function changed(body: Value, changes: readonly BodyChange[]): Value {
  const copy = clone(body);
  for (const change of changes) {
    const tokens = parsePointer(change.path);
    const member = tokens.pop()!;
    const parent = tokens.reduce<Value>((at, token) => (at as ValueObject)[token]!, copy) as ValueObject;
    expect(Object.hasOwn(parent, member)).toBe(true);
    if (change.op === "remove") delete parent[member];
    else setMember(parent, member, change.value);
  }
  return copy;
}

describe("explained conflicts", () => {
  test("OWN-2: each field has both values, its owner and the owner's last write", () => {
    const found = explained([applies("a", { data: { x: "1" } }), waits(60), applies("a", { data: { x: "2" } })], {
      data: { x: "3" },
    });
    expect(found).toMatchObject([
      {
        field: ".data.x",
        pointer: "/data/x",
        current: "2",
        proposed: "3",
        owners: [{ manager: "a", operation: "Apply", apiVersion: "v1", time: "1970-01-01T00:01:00Z" }],
      },
    ]);
  });

  test("OWN-7: a field with several owners is one report that names them all", () => {
    const found = explained(
      [
        applies("a", { data: { x: "1" } }),
        applies("b", { data: { x: "1" } }),
        updates("c", { data: { x: "1", y: "0" } }),
      ],
      { data: { x: "2", y: "1" } },
    );
    expect(found.map(({ field, owners }) => [field, owners.map(({ manager }) => manager)])).toEqual([
      [".data.x", ["a", "b"]],
      [".data.y", ["c"]],
    ]);
  });

  test("OWN-15..17: the three ways out, each as data", () => {
    const [field] = explained([applies("a", { data: { x: "1" } })], { data: { x: "2" } });
    expect(field?.waysOut.map((way) => ({ ...way, does: undefined }))).toEqual([
      { choice: "keep", patch: [{ op: "remove", path: "/data/x" }] },
      { choice: "take", query: { force: "true" } },
      { choice: "share", patch: [{ op: "replace", path: "/data/x", value: "1" }] },
    ]);
  });

  const story = [
    applies("a", {
      data: { x: "1" },
      spec: { color: "red", args: ["1"], drivers: [{ name: "d1", nodeID: "n1" }], ports: [{ port: 80, label: "l" }] },
    }),
    patches("b", (object: { spec: { count: number } }) => (object.spec.count = 3)),
  ];
  const mine = {
    data: { x: "2", y: "mine" },
    spec: {
      color: "blue",
      count: 4,
      args: ["2"],
      drivers: [
        { name: "d0", nodeID: "n0" },
        { name: "d1", nodeID: "n2" },
      ],
      ports: [{ port: 80, label: "m" }],
    },
  };
  const paths = [
    ".data.x",
    ".spec.args",
    ".spec.color",
    '.spec.drivers[name="d1"].nodeID',
    '.spec.ports[port=80,protocol="TCP"].label',
    ".spec.count",
  ];

  test("keyed entries are named by their keys and found in the body by their position", () => {
    const found = explained(story, mine);
    expect(found.map(({ field }) => field)).toEqual(paths);
    expect(found.map(({ pointer }) => pointer)).toContain("/spec/drivers/1/nodeID");
    expect(found.map(({ pointer }) => pointer)).toContain("/spec/ports/0/label");
  });

  test.each(["keep", "share"] as const)(
    "OWN-16, OWN-17: a body changed by `%s` applies without a conflict",
    (choice) => {
      const world = runStory(story);
      const found = explained(story, mine);
      const changes = found.flatMap(({ waysOut }) => waysOut.find((way) => way.choice === choice)?.patch ?? []);
      expect(changes).toHaveLength(paths.length);
      const body = changed(thing(world, mine), changes);
      expect(apply(world, body)).toMatchObject({ kind: "applied", object: { data: { x: "1", y: "mine" } } });
    },
  );

  test("OWN-15: the same body with force applies", () => {
    const world = runStory(story);
    expect(apply(world, thing(world, mine), true)).toMatchObject({ kind: "applied", object: { data: { x: "2" } } });
  });

  test("an owner that is only known since this apply has no last write", () => {
    const world = runStory([]);
    world.live = thing(world, { metadata: { uid: "u" }, data: { x: "1" } });
    const intent = thing(world, { data: { x: "2" } });
    const conflicts = conflictsOf(world, intent);
    const [field] = explainConflicts({ conflicts, live: world.live, intent, converter: one, apiVersion: "v1" });
    expect(field?.owners).toEqual([{ manager: "before-first-apply", operation: "Update", apiVersion: "v1" }]);
  });

  test("a body that does not name the field in these words gets no change of it", () => {
    const world = runStory([applies("a", { data: { x: "1" } })]);
    const intent = thing(world, { data: { x: "2" } });
    const refused = {
      conflicts: conflictsOf(world, intent),
      live: world.live!,
      intent,
      converter: one,
      apiVersion: "v1",
    };
    const [field] = explainConflicts({ ...refused, body: thing(world, { spec: { color: "x" } }) });
    expect(field).not.toHaveProperty("pointer");
    expect(field?.waysOut.map(({ choice, patch }) => [choice, patch])).toEqual([
      ["keep", undefined],
      ["take", undefined],
      ["share", undefined],
    ]);
  });

  test("APPLY-19: a field of an owner in another version is explained in that version", () => {
    const other = typeOf({
      type: "object",
      properties: {
        ...thingSchema.properties,
        data: {},
        info: { type: "object", additionalProperties: { type: "string" } },
      },
    });
    const rename = (value: Value, from: string, to: string): Value => {
      const { [from]: moved, ...rest } = value as { [name: string]: Value };
      return moved === undefined ? rest : { ...rest, [to]: moved };
    };
    const converter: Converter = {
      typeAt: (version) => (version === "v1" ? type : version === "v2" ? other : undefined),
      convert: (value, _from, to) => (to === "v2" ? rename(value, "data", "info") : rename(value, "info", "data")),
    };
    const entry = {
      manager: "old",
      operation: "Apply",
      apiVersion: "v2",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:info": { "f:x": {} } },
    };
    const world = runStory([], { converter });
    world.live = thing(world, { metadata: { uid: "u", managedFields: [entry] }, data: { x: "1" } });
    const intent = thing(world, { data: { x: "2" } });
    const conflicts = conflictsOf(world, intent);
    expect(explainConflicts({ conflicts, live: world.live, intent, converter, apiVersion: "v1" })).toMatchObject([
      { field: ".info.x", current: "1", proposed: "2", owners: [{ manager: "old", apiVersion: "v2" }] },
    ]);
  });
});
