/**
 * The registry's side of field ownership: who writes, through which path, in which version.
 * `apply/` knows fields, owners and conflicts; this file passes it the kind's versions, the fields that a path resets, the dialect's rules
 * and the time.
 *
 * @module
 */
import { asObject, asValue } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { rulesOf } from "../../schema/write/prepare.ts";
import {
  type ApplyOutcome,
  type Converter,
  type Filters,
  type ManagedFieldsEntry,
  type OwnershipRules,
  type WriteContext as OwnershipContext,
  applyWork,
  excludeFilter,
  fieldElement,
  recordWork,
  setOf,
} from "../../apply/index.ts";
import type { ManagedFields } from "../../meta/object-meta.ts";
import { compareQuantities, parseQuantity } from "../../meta/quantity.ts";
import { formatTime } from "../../meta/time.ts";
import { type Work, andThen } from "../../util/steps.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import type { Caller, WriteOptions } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { withTimesOf } from "./lens.ts";
import { convertWithin } from "../versions/convert-later.ts";

const LONGEST_MANAGER = 128;

/** The manager of a write: the name that the client has sent, else the first part of its user agent (APPLY-17, DEC-15). */
export function managerOf(options: WriteOptions, caller: Caller): string {
  if (options.fieldManager !== "") return options.fieldManager;
  const agent = caller.userAgent.replace(/\/.*/s, "").replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "");
  return cutBytes(agent, LONGEST_MANAGER) || "unknown";
}

/** The longest beginning of a text that has at most `most` bytes. */
function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let cut = "";
  let size = 0;
  for (const letter of text) {
    size += Buffer.byteLength(letter);
    if (size > most) break;
    cut += letter;
  }
  return cut;
}

/** Records who owns the fields of a new object. */
export function ownCreated(kind: OwnedKind, object: ApiObject, manager: string, subresource = ""): Work<void> {
  const entries = recordWork({
    ...contextOf(kind, subresource),
    manager,
    live: undefined,
    updated: asValue(object),
    editing: kind.shared.api.dialect.rules.managedFieldsEditable && !subresource ? "all" : "none",
  });
  return andThen(entries, (list) => setEntries(object, list));
}

/** Records who owns the fields of a changed object; `how` defines which entries the write may change (MF-11, CLR-1). */
export function ownUpdated(
  kind: Kind,
  object: ApiObject,
  old: ApiObject,
  manager: string,
  subresource: string,
  how: { readonly edits: boolean; readonly request?: Value | undefined },
): Work<void> {
  const editable = how.edits || kind.shared.api.dialect.rules.managedFieldsEditable;
  const entries = recordWork({
    ...contextOf(kind, subresource),
    manager,
    live: asValue(old),
    updated: asValue(object),
    editing: subresource ? "none" : editable ? "all" : "clear",
    ...(how.request === undefined ? {} : { request: how.request }),
  });
  const isLens = kind.definition.subresources?.[subresource]?.lens !== undefined;
  return andThen(entries, (list) =>
    setEntries(object, isLens ? withTimesOf(old.metadata, list as unknown as ManagedFields[]) : list),
  );
}

/** Applies an intent; the resulting object is neither decoded nor defaulted. */
export function applyOwned(
  kind: Kind,
  live: ApiObject | undefined,
  intent: Value,
  manager: string,
  subresource: string,
  force: boolean,
): Work<ApplyOutcome> {
  return applyWork({
    ...contextOf(kind, subresource),
    manager,
    live: live === undefined ? undefined : asValue(live),
    intent,
    force,
  });
}

/** Sets the entries of an object, or removes the member when there are none. */
export function setEntries(object: ApiObject, entries: readonly ManagedFieldsEntry[] | readonly ManagedFields[]): void {
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries as unknown as ManagedFields[];
}

/** The parts of a kind that ownership needs. */
export type OwnedKind = Pick<Kind, "definition" | "apiVersion" | "walker" | "type" | "stored" | "shared">;

interface KindOwnership {
  readonly converter: Converter;
  readonly zero: Value;
  readonly rules: Partial<OwnershipRules>;
  readonly filters: Map<string, Filters>;
}

const known = new WeakMap<OwnedKind, KindOwnership>();

/** The properties of every write of a kind, without the writer. */
export function contextOf(kind: OwnedKind, subresource: string): Omit<OwnershipContext, "manager"> {
  let own = known.get(kind);
  if (!own) known.set(kind, (own = ownershipOf(kind)));
  let filters = own.filters.get(subresource);
  if (!filters) own.filters.set(subresource, (filters = filtersOf(kind, subresource)));
  return {
    converter: own.converter,
    apiVersion: kind.apiVersion,
    zero: own.zero,
    subresource,
    time: formatTime(kind.shared.api.clock.now()),
    filters,
    rules: own.rules,
  };
}

function ownershipOf(kind: OwnedKind): KindOwnership {
  const { rules } = kind.shared.api.dialect;
  const { untyped = false } = kind.definition;
  return {
    converter: converterOf(kind),
    zero: asValue(kind.walker.zero()),
    rules: {
      // Without a type an empty list is read as none.
      emptyListClears: rules.emptyListClearsManagedFields && !untyped,
      recordAfterClear: rules.recordAfterClear,
      timelessOwnership: rules.timelessOwnership,
      keylessClears: rules.keylessClearsOwners && !untyped,
      nullIsAbsent: rules.applyNullIsAbsent,
      // No decoder reads nulls of such kinds as absent.
      emptied: untyped && rules.applyNullIsAbsent ? "absent" : "null",
      readOldShape: rules.readOldManagedFields,
      scalarEqual: rules.compareQuantitiesByValue ? sameQuantity : undefined,
    },
    filters: new Map(),
  };
}

/** Two spellings of one quantity are one value (DEC-9). */
const sameQuantity: OwnershipRules["scalarEqual"] = (type, a, b) => {
  if (type.format !== "quantity") return false;
  if ((typeof a !== "string" && typeof a !== "number") || (typeof b !== "string" && typeof b !== "number"))
    return false;
  const [x, y] = [String(a), String(b)];
  return parseQuantity(x) !== undefined && parseQuantity(y) !== undefined && compareQuantities(x, y) === 0;
};

/** The versions of a kind, as field ownership reads them. */
function converterOf({ stored }: OwnedKind): Converter {
  return {
    typeAt: (apiVersion) => stored.versions.get(apiVersion)?.type,
    convert(value, from, to) {
      if (!stored.versions.has(from) || !stored.versions.has(to)) return undefined;
      return asValue(convertWithin({ stored }, asObject(value as ValueObject), to));
    },
  };
}

/** The fields that a write through this path never owns, as the definition lists them, in every version (DEC-14). */
function filtersOf({ stored }: OwnedKind, subresource: string): Filters {
  const filters = new Map<string, Filters extends ReadonlyMap<string, infer F> ? F : never>();
  for (const [apiVersion, { definition }] of stored.versions) {
    const { resetFields = [] } = rulesOf({ definition }, subresource);
    const reset = setOf(...resetFields.map((path) => path.split(".").map(fieldElement)));
    filters.set(apiVersion, excludeFilter(reset));
  }
  return filters;
}
