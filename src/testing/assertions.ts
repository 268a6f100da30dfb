/**
 * Assertions for any test runner: they throw an AssertionError with the expected and the found value.
 *
 * @module
 */
import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import type { Condition } from "../client/condition.ts";
import type { ApiObject } from "../client/index.ts";
import { conditionsOf } from "../runtime/conditions.ts";

/** The expected members of a condition. */
export type ExpectedCondition = Partial<Omit<Condition, "type">>;

const nameOf = ({ kind, metadata: { namespace, name } }: ApiObject): string =>
  `${kind} ${namespace === undefined || namespace === "" ? "" : `${namespace}/`}${name}`;

/** Returns why an object does not have a condition; undefined if it does. */
export function conditionMismatch(
  object: ApiObject,
  type: string,
  expected: ExpectedCondition = {},
): string | undefined {
  const conditions = conditionsOf(object);
  const found = conditions.find((condition) => condition.type === type);
  if (!found) {
    const present = conditions.map((condition) => condition.type).join(", ") || "none";
    return `expected ${nameOf(object)} to have the condition ${type}, it has ${present}`;
  }
  const wrong = Object.entries(expected).filter(
    ([member, value]) => !isDeepStrictEqual(found[member as keyof Condition], value),
  );
  if (wrong.length === 0) return undefined;
  const [wanted, got] = [expected, found].map((condition) =>
    wrong.map(([member]) => `${member} ${JSON.stringify(condition[member as keyof ExpectedCondition])}`).join(", "),
  );
  return `expected the condition ${type} of ${nameOf(object)} to have ${wanted}, it has ${got}`;
}

/** Returns why an object is not owned by another one; undefined if it is. */
export function ownerMismatch(object: ApiObject, owner: ApiObject): string | undefined {
  const references = object.metadata.ownerReferences ?? [];
  const { apiVersion, kind, metadata } = owner;
  const same = references.find(({ uid }) => uid === metadata.uid);
  if (same && same.kind === kind && same.name === metadata.name && same.apiVersion === apiVersion) return undefined;
  const present = references.map((one) => `${one.kind} ${one.name} (uid ${one.uid})`).join(", ") || "no object";
  return `expected ${nameOf(object)} to be owned by ${nameOf(owner)} (uid ${metadata.uid}), it is owned by ${present}`;
}

function throwMismatch(message: string | undefined, about: (...args: never[]) => unknown): void {
  if (message !== undefined) throw new AssertionError({ message, stackStartFn: about });
}

/** Throws unless an object has a condition of a type with the given members. */
export function hasCondition(object: ApiObject, type: string, expected?: ExpectedCondition): void {
  throwMismatch(conditionMismatch(object, type, expected), hasCondition);
}

/** Throws unless an object has an owner reference to `owner`, with its kind, name and uid. */
export function isOwnedBy(object: ApiObject, owner: ApiObject): void {
  throwMismatch(ownerMismatch(object, owner), isOwnedBy);
}
