/**
 * Stories of ownership for the tests: who writes what, what is refused, and who owns what afterwards.
 *
 * A story is a list of steps over one object of a kind that has every marker. The object is decoded between the steps
 * the way a server does it: nulls and empty containers are dropped, defaults filled in.
 *
 * @module
 */
import { expect } from "vitest";
import {
  applyIntent,
  elementType,
  fieldOf,
  iterate,
  managerInfo,
  pathToString,
  readEntries,
  recordUpdate,
  singleVersion,
  storedEntries,
  typeOf,
  withEntries,
  withoutEntries,
} from "../index.ts";
import type { ApplyOutcome, Converter, Filters, JsonSchema, OwnershipRules, UpdateRecord } from "../index.ts";
import { clone, isObject, setMember } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";

const text: JsonSchema = { type: "string" };

/** A kind with a field for every way to merge. */
export const thingSchema: JsonSchema = {
  type: "object",
  properties: {
    apiVersion: text,
    kind: text,
    metadata: {
      type: "object",
      properties: {
        name: text,
        namespace: text,
        uid: text,
        resourceVersion: text,
        creationTimestamp: { type: "string", format: "date-time" },
        generation: { type: "integer" },
        labels: { type: "object", additionalProperties: text },
        annotations: { type: "object", additionalProperties: text },
        finalizers: { type: "array", "x-kubernetes-list-type": "set", items: text },
      },
    },
    spec: {
      type: "object",
      properties: {
        color: text,
        count: { type: "integer" },
        enabled: { type: "boolean" },
        policy: { type: "string", default: "Delete" },
        capacity: { type: "object", additionalProperties: { type: "string", format: "quantity" } },
        args: { type: "array", "x-kubernetes-list-type": "atomic", items: text },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
        drivers: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: { type: "object", properties: { name: text, nodeID: text, keys: { type: "array", items: text } } },
        },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" }, label: text },
          },
        },
        conditions: {
          type: "array",
          "x-kubernetes-patch-strategy": "merge",
          "x-kubernetes-patch-merge-key": "type",
          items: { type: "object", properties: { type: text, status: text } },
        },
        settings: { type: "object", additionalProperties: text },
        selector: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: text },
        ref: { type: "object", "x-kubernetes-map-type": "atomic", properties: { kind: text, name: text } },
        nested: { type: "object", properties: { a: text, b: { type: "object", properties: { c: text } } } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    data: { type: "object", additionalProperties: text },
    status: { type: "object", properties: { phase: text } },
  },
};

/** A story under way. */
export interface World {
  live: Value | undefined;
  converter: Converter;
  apiVersion: string;
  rules: Partial<OwnershipRules>;
  filters: Filters | undefined;
  /** Seconds since the story began. */
  clock: number;
  lastOutcome: ApplyOutcome | undefined;
}

/** One step of a story. */
export type Step = (world: World) => void;

/** What a story may begin with. */
export type Setting = Partial<Pick<World, "live" | "converter" | "rules" | "filters" | "apiVersion">>;

/** Plays a story and returns its last state. */
export function runStory(steps: readonly Step[], setting: Setting = {}): World {
  const world: World = {
    live: undefined,
    converter: singleVersion("v1", typeOf(thingSchema)),
    apiVersion: "v1",
    rules: {},
    filters: undefined,
    clock: 0,
    lastOutcome: undefined,
    ...setting,
  };
  for (const step of steps) step(world);
  return world;
}

/** The time `seconds` into a story. */
export const timeAt = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19) + "Z";

const ZERO: Value = { metadata: {} };

function context(world: World, name: string) {
  const [manager = "", subresource] = name.split("/");
  const { converter, apiVersion, rules, filters, clock } = world;
  return { converter, apiVersion, zero: ZERO, manager, subresource, time: timeAt(clock), filters, rules };
}

/** An object with its identity. */
export const thing = (world: World, body: object): Value => {
  const { metadata, ...rest } = body as ValueObject;
  const meta = isObject(metadata) ? metadata : {};
  return { apiVersion: world.apiVersion, kind: "Thing", metadata: { name: "t", ...meta }, ...rest };
};

/** Drops what a decoder of a kind drops, and fills in the one default. */
function decode(world: World, object: Value): Value {
  const left = dropEmpty(object) as ValueObject;
  const { spec } = left;
  const type = elementType(world.converter.typeAt(world.apiVersion)!, "f:spec");
  if (fieldOf(type, "policy") !== undefined && isObject(spec) && spec["policy"] === undefined)
    spec["policy"] = "Delete";
  if (!isObject(left["metadata"])) left["metadata"] = {};
  left["metadata"]["uid"] = "u-1";
  return left;
}

function dropEmpty(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(dropEmpty);
  const left: ValueObject = {};
  for (const key of Object.keys(value)) {
    const item = dropEmpty(value[key]!);
    if (item === null || (typeof item === "object" && Object.keys(item).length === 0)) continue;
    setMember(left, key, item);
  }
  return left;
}

function store(world: World, object: Value, entries: ReturnType<typeof storedEntries>): void {
  world.live = withEntries(decode(world, withoutEntries(object)), entries);
}

function apply(world: World, manager: string, body: object, force: boolean): ApplyOutcome {
  const intent = thing(world, body);
  const before = JSON.stringify([world.live, intent]);
  const outcome = applyIntent({ ...context(world, manager), live: world.live, intent, force });
  expect(JSON.stringify([world.live, intent])).toBe(before);
  world.lastOutcome = outcome;
  if (outcome.kind === "applied") store(world, outcome.object, outcome.managedFields);
  return outcome;
}

/** `manager` (or `manager/status`) applies; it must succeed. */
export const applies =
  (manager: string, body: object): Step =>
  (world) => {
    const outcome = apply(world, manager, body, false);
    expect(outcome.kind === "applied" ? "applied" : outcome).toBe("applied");
  };

/** `manager` applies with force. */
export const forces =
  (manager: string, body: object): Step =>
  (world) =>
    expect(apply(world, manager, body, true).kind).toBe("applied");

/** `manager` applies and is refused, because of these fields of these owners; nothing changes. */
export const conflicts =
  (manager: string, body: object, fields: Readonly<Record<string, readonly string[]>>): Step =>
  (world) => {
    const outcome = apply(world, manager, body, false);
    const found: Record<string, string[]> = {};
    if (outcome.kind === "conflicts") {
      for (const { field, owner } of outcome.conflicts) (found[nameOf(owner)] ??= []).push(field);
    }
    expect(found).toEqual(fields);
  };

/** `manager` applies something that does not fit its type at these paths. */
export const misfits =
  (manager: string, body: object, paths: readonly string[]): Step =>
  (world) => {
    const outcome = apply(world, manager, body, false);
    expect(outcome.kind === "invalid" ? outcome.faults.map(({ path }) => path) : outcome).toEqual(paths);
  };

/** `manager` writes the whole object, keeping the entries as they were read. */
export const updates =
  (manager: string, body: object, more: Partial<UpdateRecord> = {}): Step =>
  (world) => {
    const sent = withEntries(thing(world, body), world.live === undefined ? [] : storedEntries(world.live));
    write(world, manager, sent, more);
  };

/** `manager` changes the object in place, as a patch does. */
export const patches =
  (manager: string, change: (object: never) => void, more: Partial<UpdateRecord> = {}): Step =>
  (world) => {
    const sent = clone(world.live!);
    change(sent as never);
    write(world, manager, sent, more);
  };

/** `manager` replaces the object by the result of `change`: the whole object is the request. */
export const replaces =
  (manager: string, change: (object: never) => void): Step =>
  (world) => {
    const sent = clone(world.live!);
    change(sent as never);
    write(world, manager, sent, { request: sent });
  };

function write(world: World, manager: string, sent: Value, more: Partial<UpdateRecord>): void {
  const updated = withEntries(decode(world, withoutEntries(sent)), []);
  const raw = isObject(sent) && isObject(sent["metadata"]) ? sent["metadata"]["managedFields"] : undefined;
  if (raw !== undefined) ((updated as ValueObject)["metadata"] as ValueObject)["managedFields"] = raw;
  const live = world.live;
  const request = more.request === sent ? { request: updated } : {};
  store(world, updated, recordUpdate({ ...context(world, manager), live, updated, ...more, ...request }));
}

/** Time passes. */
export const waits =
  (seconds: number): Step =>
  (world) => {
    world.clock += seconds;
  };

/** From now on the kind has other types. */
export const upgrades =
  (converter: Converter, apiVersion = "v1"): Step =>
  (world) => {
    Object.assign(world, { converter, apiVersion });
  };

/** The object, without its metadata unless `body` has some, is this. */
export const isNow =
  (body: object): Step =>
  (world) => {
    const { apiVersion: _, kind: __, metadata, ...rest } = world.live as ValueObject;
    const { uid: ___, name: ____, managedFields: _____, ...meta } = metadata as ValueObject;
    expect({ ...rest, ...("metadata" in body ? { metadata: meta } : {}) }).toEqual(body);
  };

function nameOf({ manager, operation, apiVersion, subresource }: ReturnType<typeof managerInfo>): string {
  const at = subresource === "" ? "" : `/${subresource}`;
  return manager + at + (operation === "Update" ? ` updating ${apiVersion}` : "");
}

/** Who owns which fields: `a` is an applier, `a updating v1` an updater, `a/status` one of a subresource. */
export function ownersOf(object: Value): Record<string, string[]> {
  const owners: Record<string, string[]> = {};
  for (const [key, { set }] of readEntries(storedEntries(object), false)!.managers) {
    const fields: string[] = [];
    iterate(set, (path) => fields.push(pathToString(path)));
    owners[nameOf(managerInfo(key))] = fields;
  }
  return owners;
}

/** Exactly these managers own exactly these fields. */
export const owners =
  (expected: Readonly<Record<string, readonly string[]>>): Step =>
  (world) =>
    expect(ownersOf(world.live!)).toEqual(expected);

/** The entries as printed. */
export const entries =
  (expected: readonly object[]): Step =>
  (world) =>
    expect(storedEntries(world.live!)).toEqual(expected);

/** The last apply was, or was not, a write. */
export const wasWrite =
  (expected: boolean): Step =>
  (world) =>
    expect(world.lastOutcome).toMatchObject({ kind: "applied", changed: expected });

/** Any check of the world. */
export const check =
  (look: (world: World) => void): Step =>
  (world) =>
    look(world);
