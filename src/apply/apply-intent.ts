import { atOnce, type Steps } from "../util/steps.ts";
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
import type { WriteContext } from "./record-update.ts";
import { DEFAULT_RULES } from "./rules.ts";
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
export const applyIntent = (request: ApplyRequest): ApplyOutcome => atOnce(applySteps(request));

/** {@link applyIntent} in steps. */
export function* applySteps(request: ApplyRequest): Steps<ApplyOutcome> {
  const rules: OwnershipRules = { ...DEFAULT_RULES, ...request.rules };
  const type = request.converter.typeAt(request.apiVersion);
  if (type === undefined) return invalid(`expected a version of the kind, got ${request.apiVersion}`, ".apiVersion");
  if (!isObject(request.intent)) return invalid("expected an object");
  if ((sentEntries(request.intent) ?? null) !== null) {
    return invalid("expected managedFields to be absent from an apply", ".metadata.managedFields");
  }
  const bare = withoutEntries(request.intent);
  const intent = rules.nullIsAbsent ? withoutNulls(bare) : bare;
  const faults = validate(type, intent);
  if (faults.length > 0) return { kind: "invalid", faults };
  yield;
  return yield* applyValid({ request, rules, type, intent });
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
}

function* applyValid(valid: Valid): Steps<ApplyOutcome> {
  const { request, rules, type, intent } = valid;
  const full = request.live ?? request.zero;
  const live = withoutEntries(full);
  const ledger = readEntries(sentEntries(full), rules.readOldShape) ?? EMPTY_LEDGER;
  const present = ledger.managers.size > 0 || !request.live ? ledger : yield* firstOwners(request, live, ledger);
  const key = managerKey({
    manager: request.manager || "unknown",
    operation: "Apply",
    apiVersion: "",
    subresource: request.subresource ?? "",
  });
  yield;
  const result = yield* applyWithTakeOver(valid, live, present, key);
  if ("lost" in result) return { kind: "conflicts", conflicts: yield* describeConflicts(result.lost) };
  const managed = { managers: result.managers, times: present.times };
  yield;
  const managedFields = yield* stamp(valid, managed, key, result.changed, ledger, storedEntries(full));
  let object = result.changed ? result.object : live;
  if (rules.emptied === "absent" && result.changed) object = dropEmptied(type, live, object, intent);
  if (request.manager === KUBECTL) object = refreshLastApplied(object, request.intent);
  return { kind: "applied", object, managedFields, changed: object !== live || managedFields !== storedEntries(full) };
}

/** The entries, the applier's with the time of this apply when there is reason for it. */
function* stamp(
  { request, rules }: Valid,
  managed: Timed,
  key: string,
  objectChanged: boolean,
  ledger: Ledger,
  stored: readonly ManagedFieldsEntry[],
): Steps<readonly ManagedFieldsEntry[]> {
  const ownedMore = !rules.timelessOwnership && !sameOwned(ledger.managers.get(key), managed.managers.get(key));
  const times = objectChanged || ownedMore ? new Map(managed.times).set(key, request.time) : managed.times;
  return yield* writeEntries({ managers: managed.managers, times }, ledger, stored);
}

const sameOwned = (a: Owned | undefined, b: Owned | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.apiVersion === b.apiVersion && sameSet(a.set, b.set));

/** Everything that an object without owners has belongs to one updater, so that no applier takes it unawares. */
const firstOwners = (request: ApplyRequest, live: Value, ledger: Ledger): Steps<Timed> =>
  takeChanges({ ...request, manager: BEFORE_FIRST_APPLY }, withoutEntries(request.zero), live, { ledger });

/** Applies; conflicts about fields that the annotation of kubectl says are its own do not count for kubectl. */
function* applyWithTakeOver(valid: Valid, live: Value, present: Timed, key: string): Steps<Applied | Conflicts> {
  const { request, rules, type, intent } = valid;
  const { converter, apiVersion, filters } = request;
  const apply = (force: boolean): Steps<Applied | Conflicts> =>
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
    });
  const result = yield* apply(request.force ?? false);
  if (!("lost" in result) || request.manager !== KUBECTL) return result;
  const own = lastAppliedFields(type, live, apiVersion);
  if (own === undefined) return result;
  const lost = result.lost
    .map(({ manager, set }) => ({ manager, set: difference(set, own) }))
    .filter(({ set }) => !isEmpty(set));
  return lost.length > 0 ? { lost } : yield* apply(true);
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
