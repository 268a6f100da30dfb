/**
 * Assertions for any runner: they throw where something is not as expected, and say what was found.
 *
 * @module
 */
import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import type { Condition } from "../client/condition.ts";
import type { ApiObject } from "../client/index.ts";
import { conditionsOf } from "../runtime/conditions.ts";

/** Members of a condition that are expected. */
export type ExpectedCondition = Partial<Omit<Condition, "type">>;

/** What is wrong with an object, undefined when nothing is. */
type Complaint = string | undefined;

const nameOf = ({ kind, metadata: { namespace, name } }: ApiObject): string =>
  `${kind} ${namespace === undefined || namespace === "" ? "" : `${namespace}/`}${name}`;

/** Why an object has no such condition. */
export function conditionComplaint(object: ApiObject, type: string, expected: ExpectedCondition = {}): Complaint {
  const conditions = conditionsOf(object);
  const found = conditions.find((condition) => condition.type === type);
  if (!found) {
    const there = conditions.map((condition) => condition.type).join(", ") || "none";
    return `expected ${nameOf(object)} to have the condition ${type}, it has ${there}`;
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

/** Why an object is not owned by another one, as its controller or otherwise. */
export function ownerComplaint(object: ApiObject, owner: ApiObject): Complaint {
  const references = object.metadata.ownerReferences ?? [];
  const { apiVersion, kind, metadata } = owner;
  const same = references.find(({ uid }) => uid === metadata.uid);
  if (same && same.kind === kind && same.name === metadata.name && same.apiVersion === apiVersion) return undefined;
  const there = references.map((one) => `${one.kind} ${one.name} (uid ${one.uid})`).join(", ") || "nobody";
  return `expected ${nameOf(object)} to be owned by ${nameOf(owner)} (uid ${metadata.uid}), it is owned by ${there}`;
}

function complain(message: Complaint, about: (...args: never[]) => unknown): void {
  if (message !== undefined) throw new AssertionError({ message, stackStartFn: about });
}

/** Throws unless an object has a condition of a type, with the members that are given. */
export function hasCondition(object: ApiObject, type: string, expected?: ExpectedCondition): void {
  complain(conditionComplaint(object, type, expected), hasCondition);
}

/** Throws unless one of an object's owner references is to `owner`: that kind, name and uid. */
export function isOwnedBy(object: ApiObject, owner: ApiObject): void {
  complain(ownerComplaint(object, owner), isOwnedBy);
}
