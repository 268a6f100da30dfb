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
import { EMPTY_LEDGER, managerKey, readEntries, writeEntries } from "./entries.ts";
import type { Ledger, ManagedFieldsEntry, Timed } from "./entries.ts";
import { KUBECTL, lastAppliedFields, refreshLastApplied } from "./last-applied.ts";
import { dropEmptied } from "./emptied.ts";
import { NEVER_OWNED } from "./fieldpath/never-owned.ts";
import { sentEntries, storedEntries, withoutEntries } from "./objects.ts";
import { takeChanges } from "./record-update.ts";
import type { StartingPoint, WriteContext } from "./record-update.ts";
import { allRules } from "./rules.ts";
import type { OwnershipRules } from "./rules.ts";

/** An apply: a declarative patch of what one manager cares about (APPLY-6). */
export interface ApplyRequest extends WriteContext {
  /** The stored object with its entries; undefined when the apply creates it (APPLY-8). */
  readonly live: Value | undefined;
  /** The body, with its identity. It is not changed. */
  readonly intent: Value;
  /** Take over the fields of others instead of failing (APPLY-5). Default false. */
  readonly force?: boolean;
}

/** What became of an apply. */
export type ApplyOutcome =
  | {
      readonly kind: "applied";
      /** The new object without entries, not yet decoded and defaulted. Shares what it can with the live object. */
      readonly object: Value;
      /** The new entries; the very list of the live object when no owner changed. Empty: leave the member out. */
      readonly managedFields: readonly ManagedFieldsEntry[];
      /** Whether the object or any owner changed (DEC-31). Decoding may still show that both spell the same object. */
      readonly changed: boolean;
    }
  /** Others own fields that the intent would change (OWN-2); nothing is to be stored (OWN-3). */
  | { readonly kind: "conflicts"; readonly conflicts: readonly FieldConflict[] }
  /** The intent does not fit the type (APPLY-12, DEC-22). */
  | { readonly kind: "invalid"; readonly faults: readonly TypeFault[] };

/** The manager that owns what an object had before it was first applied (DEC-14). */
export const BEFORE_FIRST_APPLY = "before-first-apply";

/** Applies an intent to an object, or tells why not. Never throws for bad input. */
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

/** An intent that is known to fit. */
interface Valid {
  readonly request: ApplyRequest;
  readonly rules: OwnershipRules;
  readonly type: Type;
  readonly intent: Value;
  readonly isLarge: boolean;
}

function applyValid(valid: Valid): Work<ApplyOutcome> {
  const { request, rules, isLarge } = valid;
  const full = request.live ?? request.zero;
  const live = withoutEntries(full);
  const ledger = readEntries(sentEntries(full), rules.readOldShape) ?? EMPTY_LEDGER;
  const present = ledger.managers.size > 0 || !request.live ? ledger : firstOwners(request, live, { ledger }, isLarge);
  return andThen(present, (timed: Timed) => {
    const key = managerKey({
      manager: request.manager || "unknown",
      operation: "Apply",
      apiVersion: "",
      subresource: request.subresource ?? "",
    });
    return andThen(applyWithTakeOver(valid, live, timed, key), (result) =>
      "lost" in result
        ? andThen(describeConflicts(result.lost), (conflicts) => ({ kind: "conflicts", conflicts }))
        : applied(valid, live, { result, times: timed.times, ledger, stored: storedEntries(full) }, key),
    );
  });
}

/** An apply that nobody refuses, and where it began. */
interface Done {
  readonly result: Applied;
  readonly times: Timed["times"];
  readonly ledger: Ledger;
  readonly stored: readonly ManagedFieldsEntry[];
}

function applied({ request, rules, type, intent, isLarge }: Valid, live: Value, done: Done, key: string) {
  const { result, ledger, stored } = done;
  const { managers } = result;
  // The applier's entry gets the time of this apply when there is reason for it.
  const ownsMore = !rules.timelessOwnership && !sameOwned(ledger.managers.get(key), managers.get(key));
  const times = result.changed || ownsMore ? new Map(done.times).set(key, request.time) : done.times;
  return andThen(writeEntries({ managers, times }, ledger, stored, isLarge), (managedFields): ApplyOutcome => {
    let object = result.changed ? result.object : live;
    if (rules.emptied === "absent" && result.changed) object = dropEmptied(type, live, object, intent);
    if (request.manager === KUBECTL) object = refreshLastApplied(object, request.intent);
    return { kind: "applied", object, managedFields, changed: object !== live || managedFields !== stored };
  });
}

const sameOwned = (a: Owned | undefined, b: Owned | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.apiVersion === b.apiVersion && sameSet(a.set, b.set));

/** Everything that an object without owners has belongs to one updater, so that no applier takes it unawares. */
const firstOwners = (request: ApplyRequest, live: Value, start: StartingPoint, isLarge: boolean): Work<Timed> =>
  takeChanges({ ...request, manager: BEFORE_FIRST_APPLY }, withoutEntries(request.zero), live, start, isLarge);

/** Applies; conflicts about fields that the annotation of kubectl says are its own do not count for kubectl. */
function applyWithTakeOver(valid: Valid, live: Value, present: Timed, key: string): Work<Applied | Conflicts> {
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
      managers: present.managers,
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
