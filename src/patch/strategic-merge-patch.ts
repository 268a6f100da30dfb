/**
 * Strategic merge patch: a merge patch that uses the type of the object to merge lists by key, and may contain directives
 * (MARK-14; "strategic merge patch" in the API conventions of Kubernetes).
 *
 * - `$patch: replace | delete` in a map: the rest of the patch replaces the map, or the map becomes empty. In an element of a
 *   keyed list: the other elements of the patch replace the list, or the element is deleted.
 * - `$retainKeys: [...]`: unlisted members of the original are removed.
 * - `$deleteFromPrimitiveList/<member>: [...]`: these elements are removed.
 * - `$setElementOrder/<member>: [...]`: the order of the merged list.
 *
 * New values are added without nulls and without maps that contain a `$patch`. Whole numbers written as floats become
 * integers (recorded: `19.0` and `2e1` are accepted in this kind of patch only).
 *
 * @module
 */

import type { ListType, StructType, Type } from "../apply/schema/schema.ts";
import { asJsonNumber, getMember, isObject, setMember, type Value, type ValueObject } from "../value/value.ts";
import type { Steps } from "../util/steps.ts";
import { PatchError } from "./patch-error.ts";
import { PatchWork, membersCost } from "./patch-work.ts";
import { type ListShape, mergeLists, orderList } from "./strategic-list.ts";

const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_LIST = "$deleteFromPrimitiveList";
const SET_ORDER = "$setElementOrder";

/**
 * Applies a strategic merge patch, one step for each element that is merged with one of the same key. Changes neither
 * argument; the result shares unchanged parts with the target and new parts with the patch. It may contain members that the
 * type does not have: the decoder reports them.
 *
 * @throws PatchError `malformed` for a directive of a wrong form, `invalid` for one that does not fit
 */
export const applyStrategicMergePatch = (
  target: ValueObject,
  patch: ValueObject,
  type: StructType,
): Steps<ValueObject> => mergeMap(target, patch, type, new PatchWork());

/** The cost of copying a member, besides the visit. */
const COPY_COST = 4;

function* mergeMap(
  original: ValueObject,
  patch: ValueObject,
  type: Type | undefined,
  work: PatchWork,
): Steps<ValueObject> {
  work.charge(COPY_COST * (membersCost(Object.keys(original).length) + membersCost(Object.keys(patch).length)));
  const directive = getMember(patch, PATCH);
  if (directive !== undefined) return followDirective(directive, patch);
  const result = retainKeys(original, patch);
  const ordered = yield* orderLists(result, patch, type, work);
  for (const name of Object.keys(patch)) {
    if (name === RETAIN_KEYS || directiveField(name, SET_ORDER) !== undefined) continue;
    const deletes = directiveField(name, DELETE_LIST);
    const key = deletes ?? name;
    if (deletes === undefined && ordered.has(key)) continue;
    const value = patch[name]!;
    const before = getMember(result, key);
    const inner = memberType(type, key);
    const after = value === null ? undefined : yield* mergeMember(before, value, inner, deletes !== undefined, work);
    if (after === undefined) delete result[key];
    else if (after !== before) setMember(result, key, after);
  }
  return result;
}

/** Applies `$patch` in a map, in place of a merge. */
function followDirective(directive: Value, patch: ValueObject): ValueObject {
  if (directive === "delete") return {};
  if (directive !== "replace") {
    throw new PatchError("malformed", `Expected $patch to be replace or delete, got ${JSON.stringify(directive)}`);
  }
  const { [PATCH]: _, ...rest } = patch;
  return plainNumbers(rest) as ValueObject;
}

/** Copies the original; `$retainKeys` keeps only the listed members. */
function retainKeys(original: ValueObject, patch: ValueObject): ValueObject {
  const list = getMember(patch, RETAIN_KEYS);
  if (list === undefined) return { ...original };
  if (!Array.isArray(list)) {
    const got = list === null ? "null" : typeof list;
    throw new PatchError("malformed", `Expected $retainKeys to be a list of member names, got ${got}`);
  }
  const kept = new Set(list);
  for (const key of Object.keys(patch)) {
    const isDirective = key === RETAIN_KEYS || key.startsWith(SET_ORDER) || key.startsWith(DELETE_LIST);
    if (isDirective || patch[key] === null || kept.has(key)) continue;
    throw new PatchError(
      "malformed",
      `Expected $retainKeys to list every member of its patch, got none for ${JSON.stringify(key)}`,
    );
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
}

/** Merges and orders the lists that a `$setElementOrder` names; returns their names. */
function* orderLists(
  result: ValueObject,
  patch: ValueObject,
  type: Type | undefined,
  work: PatchWork,
): Steps<Set<string>> {
  const done = new Set<string>();
  for (const name of Object.keys(patch)) {
    const key = directiveField(name, SET_ORDER);
    if (key === undefined) continue;
    if (type?.kind === "struct" && !type.fields.has(key)) {
      throw new PatchError("invalid", `Expected ${name} to name a member of its object, found none of that name`);
    }
    const order = patch[name];
    const before = getMember(result, key);
    const given = getMember(patch, key);
    for (const [what, value] of Object.entries({ [name]: order, [key]: given, [`the stored ${key}`]: before })) {
      if (value === undefined || Array.isArray(value)) continue;
      throw new PatchError("invalid", `Expected ${what} to be a list, as ${SET_ORDER} needs it`);
    }
    if (before === undefined && given === undefined) continue;
    const shape = listShape(memberType(type, key), key, work);
    setMember(
      result,
      key,
      yield* orderList(before as Value[] | undefined, given as Value[] | undefined, order as Value[], shape),
    );
    done.add(key);
  }
  return done;
}

/** The member after the patch, undefined when it is removed. `deletes`: the patch lists elements to remove. */
function* mergeMember(
  before: Value | undefined,
  given: Value,
  type: Type | undefined,
  deletes: boolean,
  work: PatchWork,
): Steps<Value | undefined> {
  if (isObject(before) && isObject(given)) {
    if (patchStrategy(type).includes("replace")) return plainNumbers(given);
    return yield* mergeMap(before, given, type, work);
  }
  if (Array.isArray(before) && Array.isArray(given)) {
    return yield* mergeLists(before, given, listShape(type, "", work), deletes);
  }
  if (deletes) return before;
  return asNew(given);
}

/** How lists of a type are merged. */
function listShape(type: Type | undefined, name: string, work: PatchWork): ListShape {
  const list: ListType | undefined = type?.kind === "list" ? type : undefined;
  return {
    name,
    merges: list?.patchStrategy.includes("merge") ?? false,
    mergeKey: list?.patchMergeKey,
    mergeItem: (before, given) => mergeMap(before, given, list?.item, work),
    work,
    asNew,
    asGiven: plainNumbers,
  };
}

function memberType(type: Type | undefined, key: string): Type | undefined {
  return type?.kind === "struct" ? type.fields.get(key)?.type : type?.kind === "map" ? type.item : undefined;
}

const patchStrategy = (type: Type | undefined): string[] =>
  type?.schema["x-kubernetes-patch-strategy"]?.split(",") ?? [];

/** The member in a directive of the form `$name/<member>`, undefined for any other name. */
function directiveField(name: string, directive: string): string | undefined {
  if (!name.startsWith(directive)) return undefined;
  if (name.charAt(directive.length) === "/") return name.slice(directive.length + 1);
  throw new PatchError(
    "malformed",
    `Expected ${directive} to be followed by a slash and the name of a member, got ${JSON.stringify(name)}`,
  );
}

/**
 * A new value, without null members and without maps that contain a `$patch`.
 */
function asNew(value: Value): Value | undefined {
  if (Array.isArray(value)) return value.map(asNew).filter((item) => item !== undefined);
  if (!isObject(value)) return plainNumbers(value);
  if ((value[PATCH] ?? null) !== null) return undefined;
  const kept: ValueObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] === null ? undefined : asNew(value[key]!);
    if (member !== undefined) setMember(kept, key, member);
  }
  return kept;
}

/** Replaces whole numbers that were written as floats by integers. */
function plainNumbers(value: Value): Value {
  const number = asJsonNumber(value);
  if (number) return number.integer === undefined && Number.isSafeInteger(number.value) ? number.value : value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (!isObject(value)) return value;
  const plain: ValueObject = {};
  for (const key of Object.keys(value)) setMember(plain, key, plainNumbers(value[key]!));
  return plain;
}
