/**
 * What a document changes of an object that exists: its fields with their managers, and what other managers lose.
 *
 * @module
 */
import { changesBetween } from "../meta/changes.ts";
import type { ReportedChange } from "../meta/history-report.ts";
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
  const removed = changes.filter(({ op }) => op === "remove");
  const others = changes.filter(({ op }) => op !== "remove");
  const old = yield* managersOf(removed, before.blame);
  const now = yield* managersOf(others, after.blame);
  return {
    changes: changes.map((change) => {
      const managers = (change.op === "remove" ? old : now).get(change.pointer);
      return { ...change, managers: [...(managers ?? [])] };
    }),
    lost: yield* lostFields(before.blame, after.blame, manager),
  };
}

/** The managers of each changed leaf, and of all that is in each changed container, by JSON pointer. */
function* managersOf(
  changes: readonly ReportedChange[],
  { leaves }: BlameReport,
): Steps<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map(changes.map(({ pointer }) => [pointer, new Set<string>()]));
  if (found.size === 0) return found;
  for (const [at, { pointer, managers }] of leaves.entries()) {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
      const names = found.get(end === pointer.length ? pointer : pointer.slice(0, end));
      if (names) for (const one of managers) names.add(one.manager);
    }
    if (at % MEMBERS_A_STEP === MEMBERS_A_STEP - 1) yield;
  }
  return found;
}

/** The fields that managers other than the one that applies own before, and not after. */
function* lostFields(before: BlameReport, after: BlameReport, applier: string): Steps<readonly LostFields[]> {
  const isOther = (one: ReportedManager): boolean => one.manager !== applier || one.operation !== "Apply";
  const owned = before.leaves.filter(({ managers }) => managers.some(isOther));
  if (owned.length === 0) return [];
  yield;
  const kept = new Map(after.leaves.map(({ field, managers }) => [field, managers]));
  yield;
  const lost = new Map<string, string[]>();
  for (const [at, { field, managers }] of owned.entries()) {
    for (const one of managers) {
      if (!isOther(one) || kept.get(field)?.some((other) => isSame(one, other))) continue;
      const fields = lost.get(one.manager) ?? [];
      lost.set(one.manager, fields);
      if (fields.length < MAX_LOST_FIELDS) fields.push(field);
    }
    if (at % MEMBERS_A_STEP === MEMBERS_A_STEP - 1) yield;
  }
  return [...lost].map(([manager, fields]) => ({ manager, fields }));
}

const isSame = (a: ReportedManager, b: ReportedManager): boolean =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;
