/**
 * Strategic merge patch: a merge patch that knows the type of the object, so that lists can be merged by key, and that
 * may hold directives (MARK-14; the upstream description is "strategic merge patch" in the API conventions of Kubernetes).
 *
 * - `$patch: replace | delete` in a map: the rest of the patch map stands for it, or nothing is left. In an element of a
 *   keyed list: the element is deleted, or the other elements of the patch replace the whole list.
 * - `$retainKeys: [...]`: members of the original that are not listed go.
 * - `$deleteFromPrimitiveList/<member>: [...]`: these elements go.
 * - `$setElementOrder/<member>: [...]`: the order of the merged list.
 *
 * What is new is taken as it is given, without nulls and without maps that hold a `$patch`. Whole numbers written as
 * floats are integers here (recorded: `19.0` and `2e1` are accepted in this kind of patch only).
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
 * Applies a strategic merge patch, in a step for each element that is merged with one of the same key. Neither argument is
 * modified; the result shares what did not change with the target and what is new with the patch. The result may hold
 * members that the type does not have: whoever decodes it tells.
 *
 * @throws PatchError `malformed` for directives of a wrong form, `invalid` for those that cannot be followed
 */
export const applyStrategicMergePatch = (
  target: ValueObject,
  patch: ValueObject,
  type: StructType,
): Steps<ValueObject> => mergeMap(target, patch, type, new PatchWork());

/** What it costs to copy a member, beside looking at it. */
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
    const given = patch[name]!;
    const before = getMember(result, key);
    const inner = memberType(type, key);
    const after = given === null ? undefined : yield* mergeMember(before, given, inner, deletes !== undefined, work);
    if (after === undefined) delete result[key];
    else if (after !== before) setMember(result, key, after);
  }
  return result;
}

/** `$patch` in a map: takes the place of any merging. */
function followDirective(directive: Value, patch: ValueObject): ValueObject {
  if (directive === "delete") return {};
  if (directive !== "replace") {
    throw new PatchError("malformed", `Expected $patch to be replace or delete, got ${JSON.stringify(directive)}`);
  }
  const { [PATCH]: _, ...rest } = patch;
  return plainNumbers(rest) as ValueObject;
}

/** A copy of the original, of which `$retainKeys` leaves only the listed members. */
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

/** Merges and orders the lists that a `$setElementOrder` names; gives the names of those that are done. */
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
    const order = patch[name]!;
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

/** The member after the patch, undefined when it goes. `deletes`: the patch lists elements to take away. */
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

/** How the lists of a place are merged. */
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

/** The member that a directive of the form `$name/<member>` is about, undefined for any other name. */
function directiveField(name: string, directive: string): string | undefined {
  if (!name.startsWith(directive)) return undefined;
  if (name.charAt(directive.length) === "/") return name.slice(directive.length + 1);
  throw new PatchError(
    "malformed",
    `Expected ${directive} to be followed by a slash and the name of a member, got ${JSON.stringify(name)}`,
  );
}

/**
 * A value where there was none: members of null are left out, and so are maps with a `$patch`, which patch nothing.
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

/** The value with plain numbers in place of whole numbers that were written as floats. */
function plainNumbers(value: Value): Value {
  const number = asJsonNumber(value);
  if (number) return number.integer === undefined && Number.isSafeInteger(number.value) ? number.value : value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (!isObject(value)) return value;
  const plain: ValueObject = {};
  for (const key of Object.keys(value)) setMember(plain, key, plainNumbers(value[key]!));
  return plain;
}
