/**
 * Explains conflicts: the current value of the field, the proposed one, its owners, and how to resolve the conflict.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import { fieldManager } from "./blame.ts";
import type { FieldManager } from "./blame.ts";
import type { FieldConflict } from "./conflict.ts";
import { NO_ENTRIES, managerKey, readEntries } from "./entries.ts";
import type { ParsedEntries } from "./entries.ts";
import type { Converter } from "./merge/index.ts";
import { sentEntries, withoutEntries } from "./objects.ts";
import { walkFields } from "./walk-fields.ts";
import type { VisitedField } from "./walk-fields.ts";
import type { OwnershipRules } from "./rules.ts";
import { merge } from "./typed/index.ts";

/** A change of the body that was sent: one operation of a JSON patch (RFC 6902). */
export type BodyChange =
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "replace"; readonly path: string; readonly value: Value };

/**
 * One way to resolve a conflict.
 *
 * - `keep`: leave the field out of the request; its value and its owners stay (OWN-16).
 * - `take`: repeat the request with `force=true`; the value changes and the applier becomes its only owner (OWN-15).
 * - `share`: send the value that the field has; the applier becomes one more owner of it (OWN-17). Not offered for a
 *   field that has no value.
 */
export interface WayOut {
  readonly choice: "keep" | "take" | "share";
  /** What it does to the field, as a sentence. */
  readonly does: string;
  /** How to change the body; absent when the body stays as it is, or does not have the field at this path. */
  readonly patch?: readonly BodyChange[];
  /** What to add to the query; it applies to every field of the request. */
  readonly query?: { readonly force: "true" };
}

/** A field that others own and an apply would change. */
export interface ConflictingField {
  /** As the causes of the Status name it (DEC-20). */
  readonly field: string;
  /** Its path in the body; absent when the body does not have it. */
  readonly pointer?: string;
  /** The current value; absent when the field has none. */
  readonly current?: Value;
  /** The value that it would get; absent when the field would be removed. */
  readonly proposed?: Value;
  /** Its owners, each with its last write. */
  readonly owners: readonly FieldManager[];
  readonly waysOut: readonly WayOut[];
}

/** A refused apply. */
export interface RefusedApply {
  readonly conflicts: readonly FieldConflict[];
  /** The stored object with its entries. */
  readonly live: Value;
  /** What was merged into it. */
  readonly intent: Value;
  /** The body as it was sent, where that differs from the intent. */
  readonly body?: Value;
  readonly converter: Converter;
  /** The version of the request. */
  readonly apiVersion: string;
  readonly rules?: Partial<OwnershipRules> | undefined;
}

/** Explains the conflicts of a refused apply: one report for each field, in the order of the causes. */
export function explainConflicts(refused: RefusedApply): ConflictingField[] {
  const parsed = readEntries(sentEntries(refused.live), refused.rules?.readOldShape ?? false) ?? NO_ENTRIES;
  const fields = [...Map.groupBy(refused.conflicts, ({ field }) => field)].map(([field, same]) => ({
    field,
    owners: same.map((conflict) => ownerOf(conflict, parsed, refused.apiVersion)),
  }));
  const values = new Map<string, Values>();
  for (const [version, some] of Map.groupBy(fields, ({ owners }) => owners[0]!.apiVersion)) {
    const requested = new Set(some.map(({ field }) => field));
    for (const [field, found] of valuesAt(refused, version, requested)) values.set(field, found);
  }
  return fields.map(({ field, owners }) => explain(field, owners, values.get(field) ?? {}));
}

function ownerOf({ owner }: FieldConflict, parsed: ParsedEntries, apiVersion: string): FieldManager {
  const key = managerKey(owner);
  const version = parsed.managers.get(key)?.apiVersion ?? apiVersion;
  return fieldManager({ ...owner, apiVersion: version }, parsed.times.get(key));
}

/** The values of a field; its path is of the version of its owner. */
interface Values {
  readonly current?: Value;
  readonly proposed?: Value;
  readonly pointer?: string;
}

function valuesAt(refused: RefusedApply, version: string, requested: ReadonlySet<string>): Map<string, Values> {
  const { converter, apiVersion, live, intent, body = intent, rules } = refused;
  const type = converter.typeAt(apiVersion)!;
  const bare = withoutEntries(live);
  const merged = merge(type, bare, withoutEntries(intent), rules?.scalarEqual);
  const at = (value: Value, from: string): Map<string, VisitedField<never>> => {
    const seen = from === version ? value : converter.convert(value, from, version);
    const seenAs = converter.typeAt(version);
    const found = new Map<string, VisitedField<never>>();
    if (seen === undefined || seenAs === undefined) return found;
    const note = (visited: VisitedField<never>): void => {
      if (requested.has(visited.field)) found.set(visited.field, visited);
    };
    walkFields<never>(seenAs, seen, [], { leaf: note, container: note });
    return found;
  };
  const now = at(bare, apiVersion);
  const then = at(merged, apiVersion);
  // Pointers are paths of the body as it was sent, so only paths of its version have one.
  const sent = version === apiVersion ? at(body, apiVersion) : new Map<string, VisitedField<never>>();
  return new Map(
    [...requested].map((field) => {
      const pointer = sent.get(field)?.pointer;
      const current = now.get(field)?.value;
      const proposed = then.get(field)?.value;
      return [
        field,
        {
          ...(pointer === undefined ? {} : { pointer }),
          ...(current === undefined ? {} : { current }),
          ...(proposed === undefined ? {} : { proposed }),
        },
      ];
    }),
  );
}

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
