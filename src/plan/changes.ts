/**
 * The changes of a document to an existing object: fields with their managers, and fields that other managers lose.
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
  /** Called once, and only where owners are needed. */
  readonly blame: () => BlameReport;
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
  const isOther = (one: Owner): boolean => one.manager !== manager || one.operation !== "Apply";
  const mayLose = (before.object.metadata.managedFields ?? []).some(isOther);
  const removed = changes.filter(({ op }) => op === "remove");
  const others = changes.filter(({ op }) => op !== "remove");
  const oldBlame = mayLose || removed.length > 0 ? before.blame() : undefined;
  yield;
  const newBlame = mayLose || others.length > 0 ? after.blame() : undefined;
  yield;
  const old = yield* managersOf(removed, oldBlame);
  const now = yield* managersOf(others, newBlame);
  return {
    changes: changes.map((change) => {
      const managers = (change.op === "remove" ? old : now).get(change.pointer);
      return { ...change, managers: [...(managers ?? [])] };
    }),
    lost: mayLose && oldBlame && newBlame ? yield* lostFields(oldBlame, newBlame, isOther) : [],
  };
}

/** The replacement of a value of a Secret, as in `kubectl diff`: a plan may be printed where all can read it. */
const MASKED = { before: "*** (before)", after: "*** (after)" } as const;

const SECRET_MEMBERS: readonly string[] = ["data", "stringData", "metadata"];

/** A change of a Secret without values; names of its members stay. Of metadata only annotations may have values. */
export function masked(change: PlannedChange): PlannedChange {
  const [, member = "", inside] = change.pointer.split("/");
  const isMasked = SECRET_MEMBERS.includes(member) && (member !== "metadata" || inside === "annotations");
  if (!isMasked) return change;
  const { before, after, ...rest } = change;
  return {
    ...rest,
    ...(before === undefined ? {} : { before: MASKED.before }),
    ...(after === undefined ? {} : { after: MASKED.after }),
  };
}

/** A manager, or an entry of `managedFields`. */
type Owner = { readonly manager?: string | undefined; readonly operation?: string | undefined };

/** The managers of each changed leaf, and of all that is in each changed container, by JSON pointer. */
function* managersOf(
  changes: readonly ReportedChange[],
  blame: BlameReport | undefined,
): Steps<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map(changes.map(({ pointer }) => [pointer, new Set<string>()]));
  if (!blame) return found;
  for (const [at, { pointer, managers }] of blame.leaves.entries()) {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
      const names = found.get(end === pointer.length ? pointer : pointer.slice(0, end));
      if (names) for (const one of managers) names.add(one.manager);
    }
    if (at % MEMBERS_A_STEP === MEMBERS_A_STEP - 1) yield;
  }
  return found;
}

/** The fields that managers other than the one that applies own before, and not after. */
function* lostFields(
  before: BlameReport,
  after: BlameReport,
  isOther: (one: Owner) => boolean,
): Steps<readonly LostFields[]> {
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
