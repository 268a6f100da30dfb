/**
 * What a document changes of an object that exists: its fields with their managers, and what other managers lose.
 *
 * @module
 */
import { changesBetween } from "../meta/changes.ts";
import type { BlameReport, ReportedManager } from "../meta/ownership-reports.ts";
import type { LostFields, PlannedChange } from "../meta/plan-report.ts";
import { asValue } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { MEMBERS_A_STEP, type Steps } from "../util/steps.ts";

/** An object with its owners. */
export interface OwnedObject {
  readonly object: ApiObject;
  readonly blame: BlameReport;
}

/** The differences between two states of an object. */
export interface ObjectChanges {
  readonly changes: readonly PlannedChange[];
  readonly lost: readonly LostFields[];
}

/** At most this many fields are named for a manager that loses some. */
const MAX_LOST_FIELDS = 100;

/** The differences between two states of an object, in steps. */
export function* changesOf(before: OwnedObject, after: OwnedObject, manager: string): Steps<ObjectChanges> {
  const changes = changesBetween(asValue(before.object), asValue(after.object));
  yield;
  const old = yield* managersByPointer(before.blame);
  const now = yield* managersByPointer(after.blame);
  return {
    changes: changes.map((change) => {
      const managers = (change.op === "remove" ? old : now).get(change.pointer);
      return { ...change, managers: [...(managers ?? [])] };
    }),
    lost: yield* lostFields(before.blame, after.blame, manager),
  };
}

/** The managers of each leaf, and of all that is in each container, by JSON pointer. */
function* managersByPointer({ leaves }: BlameReport): Steps<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  for (const [at, { pointer, managers }] of leaves.entries()) {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
      const above = pointer.slice(0, end);
      const names = found.get(above) ?? new Set();
      found.set(above, names);
      for (const one of managers) names.add(one.manager);
    }
    if (at % MEMBERS_A_STEP === MEMBERS_A_STEP - 1) yield;
  }
  return found;
}

/** The fields that managers other than the one that applies own before, and not after. */
function* lostFields(before: BlameReport, after: BlameReport, applier: string): Steps<readonly LostFields[]> {
  const kept = new Map(after.leaves.map(({ field, managers }) => [field, new Set(managers.map(keyOf))]));
  yield;
  const lost = new Map<string, string[]>();
  for (const [at, { field, managers }] of before.leaves.entries()) {
    for (const one of managers) {
      if ((one.manager === applier && one.operation === "Apply") || kept.get(field)?.has(keyOf(one))) continue;
      const fields = lost.get(one.manager) ?? [];
      lost.set(one.manager, fields);
      if (fields.length < MAX_LOST_FIELDS) fields.push(field);
    }
    if (at % MEMBERS_A_STEP === MEMBERS_A_STEP - 1) yield;
  }
  return [...lost].map(([manager, fields]) => ({ manager, fields }));
}

const keyOf = ({ manager, operation, subresource = "" }: ReportedManager): string =>
  `${operation} ${subresource} ${manager}`;
