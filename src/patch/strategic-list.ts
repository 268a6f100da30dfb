/**
 * How a strategic merge patch merges and orders lists.
 *
 * A list that is merged has two parts: the elements that the patch speaks of, in its order, and those that only the
 * server has, in theirs. The two are woven together: where both sides know the order of two elements the server's order
 * holds, and otherwise the patch goes first. So a new element comes to stand in front, and `$setElementOrder`, which
 * speaks of all elements that the client knows, moves them.
 *
 * @module
 */

import type { Steps } from "../util/steps.ts";
import { canonicalJson } from "../value/canonical.ts";
import { getMember, isContainer, isObject, type Value, type ValueObject } from "../value/value.ts";
import { PatchError } from "./patch-error.ts";
import type { PatchWork } from "./patch-work.ts";

/** What the type says of a list, and what to do with its elements. */
export interface ListShape {
  /** The member, for messages. */
  readonly name: string;
  /** Whether elements are merged; otherwise the patch replaces the list. */
  readonly merges: boolean;
  /** The member that identifies an element, undefined for lists of scalars. */
  readonly mergeKey: string | undefined;
  readonly mergeItem: (before: ValueObject, given: ValueObject) => Steps<ValueObject>;
  /** A value where there was none; undefined when nothing is left of it. */
  readonly asNew: (value: Value) => Value | undefined;
  /** A value of the patch that is taken as it is. */
  readonly asGiven: (value: Value) => Value;
  /** What the patch has visited so far. */
  readonly work: PatchWork;
}

/** What it costs to find an element by what makes it the same one, and to put it into its place. */
const ITEM_COST = 12;

/** Merges the list of a patch into the stored one; `deletes`: its elements are to be taken away. */
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
 * Merges the list of a patch, if there is one, and puts the result into the order that `$setElementOrder` gives.
 *
 * @throws PatchError when the patch has an element that the order has not, or has them in another order
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
  const places = new Map<string, number>();
  merged.forEach((item, i) => {
    const id = Object.hasOwn(item, key) ? identity(item, key) : undefined;
    if (id !== undefined && !places.has(id)) places.set(id, i);
  });
  for (const item of rest) {
    const id = identity(item, key);
    const place = places.get(id);
    if (place !== undefined) {
      merged[place] = yield* shape.mergeItem(merged[place]!, item);
      yield;
    } else places.set(id, merged.push(shape.asGiven(item) as ValueObject) - 1);
  }
  return weave(merged, rest, base, key);
}

/**
 * Follows the `$patch` of elements: what is left of the stored list, and the elements of the patch without any. One that
 * says `replace` replaces the list, whatever else it says.
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

/** Weaves the elements that `order` has, in its order, into the others, which keep that of `server`. */
function weave(merged: Value[], order: Value[], server: Value[], key: string | undefined): Value[] {
  const orderOf = placesOf(order, key);
  const serverOf = placesOf(server, key);
  const spoken: Placed[] = [];
  const others: Placed[] = [];
  for (const item of merged) {
    const id = identity(item, key);
    const place = orderOf.get(id);
    const known = serverOf.get(id);
    if (place === undefined) others.push({ item, place: known ?? Infinity, known });
    else spoken.push({ item, place, known });
  }
  spoken.sort(byPlace);
  others.sort(byPlace);
  const woven: Value[] = [];
  let next = 0;
  for (const { item, known } of spoken) {
    // The server's order counts only between two elements that it knows.
    while (known !== undefined && next < others.length && others[next]!.place < known) woven.push(others[next++]!.item);
    woven.push(item);
  }
  for (; next < others.length; next++) woven.push(others[next]!.item);
  return woven;
}

/** An element on its way into the merged list: its place among its own part, and where the server has it. */
interface Placed {
  readonly item: Value;
  readonly place: number;
  readonly known: number | undefined;
}

/** Infinite places are equal; the sort is stable. */
const byPlace = (a: Placed, b: Placed): number => (a.place === b.place ? 0 : a.place - b.place);

function placesOf(items: Value[], key: string | undefined): Map<string, number> {
  const found = new Map<string, number>();
  items.forEach((item, i) => {
    const id = identity(item, key);
    if (!found.has(id)) found.set(id, i);
  });
  return found;
}

/** What makes two elements the same one: the value of the merge key, or the whole scalar. */
function identity(item: Value, key: string | undefined): string {
  if (key === undefined) return canonicalJson(item);
  const value = isObject(item) ? getMember(item, key) : undefined;
  if (value !== undefined) return canonicalJson(value);
  throw new PatchError("invalid", `an element of a keyed list does not contain declared merge key: ${key}`);
}

function without(stored: Value[], gone: Value[]): Value[] {
  const ids = new Set(gone.map((item) => canonicalJson(item)));
  return stored.filter((item) => !ids.has(canonicalJson(item)));
}

/** The elements of the patch must stand in the order of `$setElementOrder`, which must have them all. */
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

/** Whether a list is one of maps; its elements must be all maps or all scalars of one type. */
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
