/**
 * Conflicts that explain themselves: what the field is now, what it would become, whose it is, and the ways out.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import { fieldManager } from "./blame.ts";
import type { FieldManager } from "./blame.ts";
import type { FieldConflict } from "./conflict.ts";
import { EMPTY_LEDGER, managerKey, readEntries } from "./entries.ts";
import type { Ledger } from "./entries.ts";
import type { Converter } from "./merge/index.ts";
import { sentEntries, withoutEntries } from "./objects.ts";
import { walkPlaces } from "./places.ts";
import type { Place } from "./places.ts";
import type { OwnershipRules } from "./rules.ts";
import { merge } from "./typed/index.ts";

/** A change of the body that was sent: one operation of a JSON patch (RFC 6902). */
export type BodyChange =
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "replace"; readonly path: string; readonly value: Value };

/**
 * One way out of a conflict.
 *
 * - `keep`: leave the field out of the request; its value and its owners stay (OWN-16).
 * - `take`: repeat the request with `force=true`; the value changes and the applier becomes its only owner (OWN-15).
 * - `share`: send the value that the field has; the applier becomes one more owner of it (OWN-17). Not offered for a
 *   field that has no value.
 */
export interface WayOut {
  readonly choice: "keep" | "take" | "share";
  /** What becomes of the field, in words. */
  readonly does: string;
  /** How to change the body; absent when the body stays as it is, or does not name the field at this place. */
  readonly patch?: readonly BodyChange[];
  /** What to add to the query; it is about every field of the request. */
  readonly query?: { readonly force: "true" };
}

/** A field that others own and an apply would change. */
export interface ConflictingField {
  /** As the causes of the Status name it (DEC-20). */
  readonly field: string;
  /** Where the body names it; absent when it does not do so in these words. */
  readonly pointer?: string;
  /** The value now; absent when the field has none. */
  readonly current?: Value;
  /** The value that it would get; absent when the field would go. */
  readonly proposed?: Value;
  /** Everybody who owns it, each with its last write. */
  readonly owners: readonly FieldManager[];
  readonly waysOut: readonly WayOut[];
}

/** A refused apply. */
export interface RefusedApply {
  readonly conflicts: readonly FieldConflict[];
  /** The stored object with its entries. */
  readonly live: Value;
  /** What was put over it. */
  readonly intent: Value;
  /** The body as it was sent, where that differs from the intent. */
  readonly body?: Value;
  readonly converter: Converter;
  /** The version of the request. */
  readonly apiVersion: string;
  readonly rules?: Partial<OwnershipRules> | undefined;
}

/** Explains the conflicts of a refused apply: one report for each field, in the order in which the causes name them. */
export function explainConflicts(refused: RefusedApply): ConflictingField[] {
  const ledger = readEntries(sentEntries(refused.live), refused.rules?.readOldShape ?? false) ?? EMPTY_LEDGER;
  const fields = [...Map.groupBy(refused.conflicts, ({ field }) => field)].map(([field, same]) => ({
    field,
    owners: same.map((conflict) => ownerOf(conflict, ledger, refused.apiVersion)),
  }));
  const values = new Map<string, Values>();
  for (const [version, some] of Map.groupBy(fields, ({ owners }) => owners[0]!.apiVersion)) {
    const wanted = new Set(some.map(({ field }) => field));
    for (const [field, found] of valuesAt(refused, version, wanted)) values.set(field, found);
  }
  return fields.map(({ field, owners }) => explain(field, owners, values.get(field) ?? {}));
}

function ownerOf({ owner }: FieldConflict, ledger: Ledger, apiVersion: string): FieldManager {
  const key = managerKey(owner);
  const version = ledger.managers.get(key)?.apiVersion ?? apiVersion;
  return fieldManager({ ...owner, apiVersion: version }, ledger.times.get(key));
}

/** What is known of a field; its path is meant in the version of its owner. */
interface Values {
  readonly current?: Value;
  readonly proposed?: Value;
  readonly pointer?: string;
}

function valuesAt(refused: RefusedApply, version: string, wanted: ReadonlySet<string>): Map<string, Values> {
  const { converter, apiVersion, live, intent, body = intent, rules } = refused;
  const type = converter.typeAt(apiVersion)!;
  const bare = withoutEntries(live);
  const merged = merge(type, bare, withoutEntries(intent), rules?.scalarEqual);
  const at = (value: Value, from: string): Map<string, Place<never>> => {
    const seen = from === version ? value : converter.convert(value, from, version);
    const seenAs = converter.typeAt(version);
    const found = new Map<string, Place<never>>();
    if (seen === undefined || seenAs === undefined) return found;
    const note = (place: Place<never>): void => {
      if (wanted.has(place.field)) found.set(place.field, place);
    };
    walkPlaces<never>(seenAs, seen, [], { leaf: note, container: note });
    return found;
  };
  const now = at(bare, apiVersion);
  const then = at(merged, apiVersion);
  // A pointer is into the body as it was sent, so only paths of its own version have one.
  const sent = version === apiVersion ? at(body, apiVersion) : new Map<string, Place<never>>();
  return new Map(
    [...wanted].map((field) => [
      field,
      {
        ...defined("pointer", sent.get(field)?.pointer),
        ...defined("current", now.get(field)?.value),
        ...defined("proposed", then.get(field)?.value),
      },
    ]),
  );
}

const defined = <K extends string, V>(name: K, value: V | undefined): { readonly [k in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [k in K]?: V };

function explain(field: string, owners: readonly FieldManager[], values: Values): ConflictingField {
  return { field, ...values, owners, waysOut: waysOut(values) };
}

function waysOut({ current, pointer }: Values): WayOut[] {
  const ways: WayOut[] = [
    {
      choice: "keep",
      does: "leave the field out of the request: its value and its owners stay",
      ...(pointer === undefined ? {} : { patch: [{ op: "remove", path: pointer }] }),
    },
    {
      choice: "take",
      does: "send the request again with force=true: the field gets the proposed value and you become its only owner",
      query: { force: "true" },
    },
  ];
  if (current === undefined) return ways;
  ways.push({
    choice: "share",
    does: "send the current value: it stays, and you become one more owner of the field",
    ...(pointer === undefined ? {} : { patch: [{ op: "replace", path: pointer, value: current }] }),
  });
  return ways;
}
