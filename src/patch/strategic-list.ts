/**
 * Merges and orders lists for a strategic merge patch.
 *
 * A merged list has two parts: the elements of the patch, in its order, and the other elements, in the server's order. They
 * are interleaved: the server's order holds between two elements that the server has; otherwise the patch comes first. So
 * new elements come to the front, and `$setElementOrder`, which lists all elements that the client knows, moves them.
 *
 * @module
 */

import type { Steps } from "../util/steps.ts";
import { canonicalJson } from "../value/canonical.ts";
import { getMember, isContainer, isObject, type Value, type ValueObject } from "../value/value.ts";
import { PatchError } from "./patch-error.ts";
import type { PatchWork } from "./patch-work.ts";

/** How the type merges a list, and functions for its elements. */
export interface ListShape {
  /** The name of the member, for messages. */
  readonly name: string;
  /** Whether elements are merged; otherwise the patch replaces the list. */
  readonly merges: boolean;
  /** The member that identifies an element; undefined for lists of scalars. */
  readonly mergeKey: string | undefined;
  readonly mergeItem: (before: ValueObject, patch: ValueObject) => Steps<ValueObject>;
  /** A new value; undefined when nothing of it is left. */
  readonly asNew: (value: Value) => Value | undefined;
  /** A value of the patch that replaces another one. */
  readonly asGiven: (value: Value) => Value;
  /** The work of the patch so far. */
  readonly work: PatchWork;
}

/** The cost of finding an element by its identity and moving it. */
const ITEM_COST = 12;

/** Merges the list of a patch into the stored one; with `deletes`, removes its elements. */
export function* mergeLists(stored: Value[], patch: Value[], shape: ListShape, deletes = false): Steps<Value[]> {
  shape.work.charge((stored.length + patch.length) * ITEM_COST);
  if (!shape.merges && !deletes) return patch.map(shape.asGiven);
  const given = patch.map((item) => (isObject(item) ? item : shape.asGiven(item)));
  if (stored.length === 0 && given.length === 0) return stored;
  const isKeyed = holdsMaps([...stored, ...given], shape);
  if (!isKeyed && deletes) return without(stored, given);
  if (!isKeyed) {
    const merged = new Map([...stored, ...given].map((item) => [identity(item, undefined), item]));
    return weave([...merged.values()], given, stored, undefined);
  }
  if (shape.mergeKey === undefined) {
    throw new PatchError("invalid", `Expected the list ${shape.name} to have a merge key, found none in its type`);
  }
  return yield* mergeKeyed(stored as ValueObject[], given as ValueObject[], shape, shape.mergeKey);
}

/**
 * Merges the list of a patch, if there is one, and sorts the result by `$setElementOrder`.
 *
 * @throws PatchError when elements of the patch are not in the order, or in another one
 */
export function* orderList(
  stored: Value[] | undefined,
  given: Value[] | undefined,
  order: Value[],
  shape: ListShape,
): Steps<Value[]> {
  const key = shape.mergeKey;
  shape.work.charge(((stored?.length ?? 0) + (given?.length ?? 0) + order.length) * ITEM_COST);
  checkOrder(given ?? [], order, shape);
  const items = [...(stored ?? []), ...(given ?? [])];
  if (items.length > 0) holdsMaps(items, shape);
  if (key === undefined && (items.some(isContainer) || order.some(isContainer))) {
    throw new PatchError(
      "invalid",
      `Expected ${shape.name} to be a list of scalars, or one with a merge key, to be ordered`,
    );
  }
  const merged = !given ? stored! : stored ? yield* mergeLists(stored, given, shape) : (shape.asNew(given) as Value[]);
  return weave(merged, order, stored ?? [], key);
}

function* mergeKeyed(stored: ValueObject[], given: ValueObject[], shape: ListShape, key: string): Steps<Value[]> {
  const { base, rest, replaced } = followItemDirectives(stored, given, shape, key);
  if (replaced) return weave(rest.map(shape.asGiven), rest, [], key);
  const merged: ValueObject[] = [...base];
  const indexes = new Map<string, number>();
  merged.forEach((item, i) => {
    const id = Object.hasOwn(item, key) ? identity(item, key) : undefined;
    if (id !== undefined && !indexes.has(id)) indexes.set(id, i);
  });
  for (const item of rest) {
    const id = identity(item, key);
    const index = indexes.get(id);
    if (index !== undefined) {
      merged[index] = yield* shape.mergeItem(merged[index]!, item);
      yield;
    } else indexes.set(id, merged.push(shape.asGiven(item) as ValueObject) - 1);
  }
  return weave(merged, rest, base, key);
}

/**
 * Applies the `$patch` directives of elements: returns the stored elements that are left, and the elements of the patch
 * without a directive. One `replace` replaces the whole list.
 */
function followItemDirectives(
  stored: ValueObject[],
  given: ValueObject[],
  shape: ListShape,
  key: string,
): { base: ValueObject[]; rest: ValueObject[]; replaced: boolean } {
  const rest: ValueObject[] = [];
  const deleted = new Set<string>();
  let replaced = false;
  for (const item of given) {
    const { $patch: directive } = item;
    if (directive === undefined) rest.push(item);
    else if (directive === "delete") deleted.add(identity(item, key));
    else if (directive === "replace") replaced = true;
    else {
      throw new PatchError(
        "malformed",
        `Expected $patch in ${shape.name} to be replace or delete, got ${JSON.stringify(directive)}`,
      );
    }
  }
  const stays = (item: ValueObject): boolean => !Object.hasOwn(item, key) || !deleted.has(identity(item, key));
  return { base: deleted.size === 0 ? stored : stored.filter(stays), rest, replaced };
}

/** Interleaves the elements in `order` with the others, which keep the order of `server`. */
function weave(merged: Value[], order: Value[], server: Value[], key: string | undefined): Value[] {
  const orderOf = indexesOf(order, key);
  const serverOf = indexesOf(server, key);
  const listed: Indexed[] = [];
  const others: Indexed[] = [];
  for (const item of merged) {
    const id = identity(item, key);
    const index = orderOf.get(id);
    const known = serverOf.get(id);
    if (index === undefined) others.push({ item, index: known ?? Infinity, known });
    else listed.push({ item, index, known });
  }
  listed.sort(byIndex);
  others.sort(byIndex);
  const woven: Value[] = [];
  let next = 0;
  for (const { item, known } of listed) {
    // The server's order holds only between two elements that it has.
    while (known !== undefined && next < others.length && others[next]!.index < known) woven.push(others[next++]!.item);
    woven.push(item);
  }
  for (; next < others.length; next++) woven.push(others[next]!.item);
  return woven;
}

/** An element of the merged list: its index in its own part, and its index on the server. */
interface Indexed {
  readonly item: Value;
  readonly index: number;
  readonly known: number | undefined;
}

/** Infinite indexes are equal; the sort is stable. */
const byIndex = (a: Indexed, b: Indexed): number => (a.index === b.index ? 0 : a.index - b.index);

function indexesOf(items: Value[], key: string | undefined): Map<string, number> {
  const found = new Map<string, number>();
  items.forEach((item, i) => {
    const id = identity(item, key);
    if (!found.has(id)) found.set(id, i);
  });
  return found;
}

/** The identity of an element: the value of the merge key, or the whole scalar. */
function identity(item: Value, key: string | undefined): string {
  if (key === undefined) return canonicalJson(item);
  const value = isObject(item) ? getMember(item, key) : undefined;
  if (value !== undefined) return canonicalJson(value);
  throw new PatchError("invalid", `an element of a keyed list does not contain declared merge key: ${key}`);
}

function without(stored: Value[], deleted: Value[]): Value[] {
  const ids = new Set(deleted.map((item) => canonicalJson(item)));
  return stored.filter((item) => !ids.has(canonicalJson(item)));
}

/** Checks that the elements of the patch are in the order of `$setElementOrder`, which must list them all. */
function checkOrder(given: Value[], order: Value[], shape: ListShape): void {
  if (given.length === 0 || order.length === 0) return;
  const ids = order.map((item) => identity(item, shape.mergeKey));
  let at = 0;
  for (const item of given) {
    if (isObject(item) && Object.hasOwn(item, "$patch")) continue;
    const id = identity(item, shape.mergeKey);
    while (at < ids.length && ids[at] !== id) at++;
    if (at++ < ids.length) continue;
    throw new PatchError(
      "invalid",
      `Expected the elements of ${shape.name} in the order of its $setElementOrder, found ${id} not there`,
    );
  }
}

/** Whether the elements are maps; throws unless all have one type, maps or scalars. */
function holdsMaps(items: Value[], shape: ListShape): boolean {
  const kinds = new Set(
    items.map((item) =>
      isObject(item) ? "a map" : Array.isArray(item) ? "a list" : item === null ? "null" : typeof item,
    ),
  );
  if (kinds.size === 1 && !kinds.has("a list") && !kinds.has("null")) return kinds.has("a map");
  throw new PatchError(
    "invalid",
    `Expected the elements of the list ${shape.name} to be of one type, got ${[...kinds].join(" and ")}`,
  );
}
