import { andThen, atOnce, whenLarge, type Work } from "../util/steps.ts";
import { isSmall } from "../value/small.ts";
import { isObject, setMember, isContainer } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";
import { difference, isEmpty, sameSet } from "./fieldpath/index.ts";
import { applyTo } from "./merge/index.ts";
import type { Applied, Conflicts, Owned } from "./merge/index.ts";
import { validate } from "./typed/index.ts";
import type { TypeFault } from "./typed/index.ts";
import type { Type } from "./schema/schema.ts";
import { describeConflicts } from "./conflict.ts";
import type { FieldConflict } from "./conflict.ts";
import { NO_ENTRIES, managerKey, readEntries, writeEntries } from "./entries.ts";
import type { ParsedEntries, ManagedFieldsEntry, TimedManagers } from "./entries.ts";
import { KUBECTL, lastAppliedFields, refreshLastApplied } from "./last-applied.ts";
import { dropEmptied } from "./emptied.ts";
import { NEVER_OWNED } from "./fieldpath/never-owned.ts";
import { sentEntries, storedEntries, withoutEntries } from "./objects.ts";
import { ownChanges } from "./record-update.ts";
import type { StartingPoint, WriteContext } from "./record-update.ts";
import { allRules } from "./rules.ts";
import type { OwnershipRules } from "./rules.ts";

/** An apply: a declarative patch of the fields that one manager wants to set (APPLY-6). */
export interface ApplyRequest extends WriteContext {
  /** The stored object with its entries; undefined when the apply creates it (APPLY-8). */
  readonly live: Value | undefined;
  /** The body, with its identity. It is not changed. */
  readonly intent: Value;
  /** Become the owner of fields of others instead of failing (APPLY-5). Default false. */
  readonly force?: boolean;
}

/** The result of an apply. */
export type ApplyOutcome =
  | {
      readonly kind: "applied";
      /** The new object without entries, not yet decoded and defaulted. Shares unchanged parts with the live object. */
      readonly object: Value;
      /** The new entries; the list of the live object itself when no owner changed. Empty: leave the member out. */
      readonly managedFields: readonly ManagedFieldsEntry[];
      /** Whether the object or any owner changed (DEC-31). Both may still decode to the same object. */
      readonly changed: boolean;
    }
  /** Other managers own fields that the intent would change (OWN-2); nothing may be stored (OWN-3). */
  | { readonly kind: "conflicts"; readonly conflicts: readonly FieldConflict[] }
  /** The intent does not fit the type (APPLY-12, DEC-22). */
  | { readonly kind: "invalid"; readonly faults: readonly TypeFault[] };

/** The manager of the fields that an object had before its first apply (DEC-14). */
export const BEFORE_FIRST_APPLY = "before-first-apply";

/** Applies an intent to an object, or returns why it cannot. Never throws for bad input. */
export const applyIntent = (request: ApplyRequest): ApplyOutcome => atOnce(applyWork(request));

/** {@link applyIntent}: at once, or in steps where the object or the intent is large. */
export function applyWork(request: ApplyRequest): Work<ApplyOutcome> {
  const rules = allRules(request.rules);
  const type = request.converter.typeAt(request.apiVersion);
  if (type === undefined) return invalid(`expected a version of the kind, got ${request.apiVersion}`, ".apiVersion");
  if (!isObject(request.intent)) return invalid("expected an object");
  if ((sentEntries(request.intent) ?? null) !== null) {
    return invalid("expected managedFields to be absent from an apply", ".metadata.managedFields");
  }
  const isLarge = !(isSmall(request.intent) && isSmall(request.live ?? request.zero));
  const bare = withoutEntries(request.intent);
  const intent = rules.nullIsAbsent ? withoutNulls(bare) : bare;
  return andThen(
    whenLarge(isLarge, () => validate(type, intent)),
    (faults) =>
      faults.length > 0 ? { kind: "invalid", faults } : applyValid({ request, rules, type, intent, isLarge }),
  );
}

const invalid = (message: string, path = ""): ApplyOutcome => ({
  kind: "invalid",
  faults: [{ path, message, reason: "wrongType" }],
});

/** An apply whose intent fits its type. */
interface ValidApply {
  readonly request: ApplyRequest;
  readonly rules: OwnershipRules;
  readonly type: Type;
  readonly intent: Value;
  readonly isLarge: boolean;
}

function applyValid(valid: ValidApply): Work<ApplyOutcome> {
  const { request, rules, isLarge } = valid;
  const full = request.live ?? request.zero;
  const live = withoutEntries(full);
  const parsed = readEntries(sentEntries(full), rules.readOldShape) ?? NO_ENTRIES;
  const current = parsed.managers.size > 0 || !request.live ? parsed : firstOwners(request, live, { parsed }, isLarge);
  return andThen(current, (timed: TimedManagers) => {
    const key = managerKey({
      manager: request.manager || "unknown",
      operation: "Apply",
      apiVersion: "",
      subresource: request.subresource ?? "",
    });
    return andThen(applyOrTakeOver(valid, live, timed, key), (result) =>
      "lost" in result
        ? andThen(describeConflicts(result.lost), (conflicts) => ({ kind: "conflicts", conflicts }))
        : applied(valid, live, { result, times: timed.times, parsed, stored: storedEntries(full) }, key),
    );
  });
}

/** The result of an apply without conflicts, and the entries before it. */
interface Result {
  readonly result: Applied;
  readonly times: TimedManagers["times"];
  readonly parsed: ParsedEntries;
  readonly stored: readonly ManagedFieldsEntry[];
}

function applied({ request, rules, type, intent, isLarge }: ValidApply, live: Value, before: Result, key: string) {
  const { result, parsed, stored } = before;
  const { managers } = result;
  // The applier's entry gets the time of this apply when it changes the object or owns other fields.
  const ownsMore = !rules.timelessOwnership && !sameOwned(parsed.managers.get(key), managers.get(key));
  const times = result.changed || ownsMore ? new Map(before.times).set(key, request.time) : before.times;
  return andThen(writeEntries({ managers, times }, parsed, stored, isLarge), (managedFields): ApplyOutcome => {
    let object = result.changed ? result.object : live;
    if (rules.emptied === "absent" && result.changed) object = dropEmptied(type, live, object, intent);
    if (request.manager === KUBECTL) object = refreshLastApplied(object, request.intent);
    return { kind: "applied", object, managedFields, changed: object !== live || managedFields !== stored };
  });
}

const sameOwned = (a: Owned | undefined, b: Owned | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.apiVersion === b.apiVersion && sameSet(a.set, b.set));

/** All fields of an object without owners get one updater, so that an apply of others has conflicts. */
const firstOwners = (request: ApplyRequest, live: Value, start: StartingPoint, isLarge: boolean): Work<TimedManagers> =>
  ownChanges({ ...request, manager: BEFORE_FIRST_APPLY }, withoutEntries(request.zero), live, start, isLarge);

/** Applies; kubectl has no conflicts about fields that its annotation lists. */
function applyOrTakeOver(
  valid: ValidApply,
  live: Value,
  current: TimedManagers,
  key: string,
): Work<Applied | Conflicts> {
  const { request, rules, type, intent, isLarge } = valid;
  const { converter, apiVersion, filters } = request;
  const apply = (force: boolean): Work<Applied | Conflicts> =>
    applyTo({
      converter,
      apiVersion,
      type,
      live,
      intent,
      force,
      filters,
      managers: current.managers,
      manager: key,
      neverOwned: NEVER_OWNED,
      scalarEqual: rules.scalarEqual,
      isLarge,
    });
  return andThen(apply(request.force ?? false), (result) => {
    if (!("lost" in result) || request.manager !== KUBECTL) return result;
    const own = lastAppliedFields(type, live, apiVersion);
    if (own === undefined) return result;
    const lost = result.lost
      .map(({ manager, set }) => ({ manager, set: difference(set, own) }))
      .filter(({ set }) => !isEmpty(set));
    return lost.length > 0 ? { lost } : apply(true);
  });
}

/** The value without members that are null, at any depth (DEC-22). Elements of lists stay. */
function withoutNulls(value: Value): Value {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const left: ValueObject = {};
  for (const key in value) {
    const item = value[key]!;
    if (item !== null) setMember(left, key, withoutNulls(item));
  }
  return left;
}
