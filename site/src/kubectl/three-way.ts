/**
 * The patch of `kubectl apply` and `kubectl edit`: what the manifest sets and the server has not, and what the manifest before it
 * set and this one does not. Where the schema of the kind says so, it is a strategic merge patch, whose lists are merged by key; else
 * a merge patch. After `strategicpatch.CreateThreeWayMergePatch` and `jsonmergepatch` of Kubernetes 1.35.
 *
 * @module
 */
import type { Json, JsonValue } from "./api.ts";
import { type Schema, type Schemas, resolved } from "./openapi.ts";
import { sorted } from "./print.ts";

/** The three versions of a value. */
interface Versions<T> {
  /** What the manifest before this one set. */
  readonly last: T;
  /** What the manifest sets. */
  readonly next: T;
  /** What the server has. */
  readonly live: T;
}

/** A schema with those that it refers to; `schema` is undefined for a merge patch, and for members without one. */
interface Typed {
  readonly schema: Schema | undefined;
  readonly schemas: Schemas;
}

/** Computes the patch; an empty one where nothing is to be done. */
export const threeWayPatch = (versions: Versions<Json>, typed: Typed): Json => mapPatch(versions, typed, false);

function mapPatch({ last, next, live }: Versions<Json>, typed: Typed, hasRetainKeys: boolean): Json {
  const patch = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(next)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(live, name)) patch.set(name, value);
    else {
      const before = Object.hasOwn(last, name) ? last[name] : undefined;
      const changes = memberPatch(name, { last: before, next: value, live: live[name] }, memberOf(typed, name));
      for (const [changed, change] of changes) patch.set(changed, change);
    }
  }
  const isGone = (name: string): boolean => !Object.hasOwn(next, name);
  for (const name of Object.keys(last)) if (isGone(name)) patch.set(name, null);
  const kept = Object.keys(next).filter((name) => next[name] !== null);
  const hasMore = [live, last].some((object) =>
    Object.keys(object).some((name) => object[name] !== null && isGone(name)),
  );
  if (hasRetainKeys && kept.length > 0 && (patch.size > 0 || hasMore)) patch.set("$retainKeys", kept.toSorted());
  return Object.fromEntries(patch);
}

/** Members of a patch with their names. */
type Members = readonly (readonly [string, JsonValue])[];

/** One member where there is a value for it, else none. */
const members = (name: string, value: JsonValue | undefined): Members => (value === undefined ? [] : [[name, value]]);

const filled = (list: JsonValue[]): JsonValue[] | undefined => (list.length > 0 ? list : undefined);

/** The members of a patch for one member of an object: itself, and the directives beside it. */
function memberPatch(name: string, { last, next, live }: Versions<JsonValue | undefined>, typed: Typed): Members {
  if (next === undefined) return [];
  const strategies = typed.schema?.["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  if (isMap(next) && isMap(live) && !strategies.includes("replace")) {
    const versions = { last: isMap(last) ? last : {}, next, live };
    const patch = mapPatch(versions, typed, strategies.includes("retainKeys"));
    return Object.keys(patch).length === 0 ? [] : [[name, patch]];
  }
  if (Array.isArray(next) && Array.isArray(live) && strategies.includes("merge")) {
    return listPatch(name, { last: Array.isArray(last) ? last : [], next, live }, typed);
  }
  return isSame(next, live) ? [] : [[name, next]];
}

function listPatch(name: string, { last, next, live }: Versions<readonly JsonValue[]>, typed: Typed): Members {
  if (live.length === 0) return next.length === 0 ? [] : [[name, [...next]]];
  const key = typed.schema?.["x-kubernetes-patch-merge-key"];
  if (key === undefined) {
    const [present, after] = [new Set(live), new Set(next)];
    const added = next.filter((item) => !present.has(item));
    const deleted = last.filter((item) => !after.has(item));
    const isChanged = deleted.length > 0 || !isSame([...next], [...live]);
    return [
      ...members(name, filled(added)),
      ...members(`$deleteFromPrimitiveList/${name}`, filled(deleted)),
      ...members(`$setElementOrder/${name}`, isChanged ? [...next] : undefined),
    ];
  }
  const [before, after, present] = [byKey(last, key), byKey(next, key), byKey(live, key)];
  const isRetaining = typed.schema?.["x-kubernetes-patch-strategy"]?.split(",").includes("retainKeys") === true;
  const items = itemsOf(typed);
  const patches: Json[] = [];
  for (const [id, item] of after) {
    const there = present.get(id);
    if (!there) {
      patches.push(item);
      continue;
    }
    const patch = mapPatch({ last: before.get(id) ?? {}, next: item, live: there }, items, isRetaining);
    if (Object.keys(patch).length > 0) patches.push({ ...patch, [key]: item[key] });
  }
  for (const [id, item] of before) if (!after.has(id)) patches.push({ $patch: "delete", [key]: item[key] });
  const isOrdered = isSame([...after.keys()], [...present.keys()]);
  if (patches.length === 0 && isOrdered) return [];
  const order = [...after.values()].map((item): Json => ({ [key]: item[key] }));
  return [...members(name, filled(patches)), ...members(`$setElementOrder/${name}`, order)];
}

/** The items of a list by the text of their key. Those with equal keys, such as a port of TCP and of UDP, are counted. */
function byKey(list: readonly JsonValue[], key: string): ReadonlyMap<string, Json> {
  const counts = new Map<string, number>();
  const found = new Map<string, Json>();
  for (const item of list) {
    if (!isMap(item)) continue;
    const id = JSON.stringify(item[key]) ?? "";
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    found.set(`${count} ${id}`, item);
  }
  return found;
}

function memberOf({ schema, schemas }: Typed, name: string): Typed {
  const found = schema && resolved(schema, schemas);
  if (!found) return { schema: undefined, schemas };
  const { properties = {}, additionalProperties } = found;
  if (Object.hasOwn(properties, name)) return { schema: properties[name], schemas };
  return { schema: typeof additionalProperties === "object" ? additionalProperties : undefined, schemas };
}

const itemsOf = ({ schema, schemas }: Typed): Typed => ({
  schema: schema && resolved(schema, schemas).items,
  schemas,
});

/** Whether a value is an object of JSON. */
const isMap = (value: JsonValue | undefined): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isSame = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
