/**
 * Removes what an applier no longer sends from a merged object (OWN-9, OWN-11, APPLY-14).
 *
 * A path is removed when the applier owned it, does not send it now, and no other manager owns it. It stays when
 * something below it has another owner, or none.
 *
 * @module
 */
import { assert } from "../../util/assert.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import { difference, intersection, isEmpty, union } from "../fieldpath/index.ts";
import type { FieldSet } from "../fieldpath/index.ts";
import { NEVER_OWNED_METADATA } from "../fieldpath/never-owned.ts";
import { ensureFields, removeItems, toFieldSet } from "../typed/index.ts";
import type { Type } from "../schema/schema.ts";
import type { Converter, Managers, Owned } from "./managers.ts";
import { release } from "./release.ts";

/** What {@link prune} works on. */
export interface PruneInput {
  readonly converter: Converter;
  /** The live object with the intent merged into it, in `apiVersion`. */
  readonly merged: Value;
  readonly apiVersion: string;
  /** Every manager, the applier with its new set. */
  readonly managers: Managers;
  /** What the applier owned before. */
  readonly last: Owned;
  /** What it owns now. */
  readonly next: FieldSet;
}

/** The merged object without what the applier released. */
export function prune(input: PruneInput): Value {
  const { converter, last } = input;
  const version = last.apiVersion;
  const type = converter.typeAt(version);
  if (type !== undefined && useOneVersion(input)) {
    const released = difference(last.set, input.next);
    if (isEmpty(released)) return input.merged;
    const owners = [...input.managers.values()].map(({ set }) => set);
    return release(type, input.merged, released, last.set, owners);
  }
  const merged = convert(converter, input.merged, input.apiVersion, version);
  if (type === undefined || merged === undefined) return input.merged;
  const lastSet = ensureFields(type, last.set);
  const restored = addBackOwned(input, { version, merged, pruned: removeItems(type, merged, lastSet) });
  const left = ensureFields(type, toFieldSet(type, restored));
  const removed = difference(ensureFields(type, toFieldSet(type, merged)), left);
  const pruned = removeItems(type, merged, intersection(removed, lastSet));
  const result = convertPart(converter, pruned, merged, version, input.apiVersion);
  assert(result !== undefined, "a version that could be converted to can be converted back");
  return result;
}

const useOneVersion = ({ apiVersion, last, managers }: PruneInput): boolean =>
  last.apiVersion === apiVersion && [...managers.values()].every((owned) => owned.apiVersion === apiVersion);

const convert = (converter: Converter, value: Value, from: string, to: string): Value | undefined =>
  from === to ? value : converter.convert(value, from, to);

const metadataOf = (object: Value): ValueObject | undefined => {
  const metadata = isObject(object) ? object["metadata"] : undefined;
  return metadata !== undefined && isObject(metadata) ? metadata : undefined;
};

/**
 * Converts what is left of `whole`. A converter needs an object with a name, and the metadata may have been removed with
 * the last label of the applier: so the part gets the identity of the whole object, which is removed again.
 */
function convertPart(converter: Converter, part: Value, whole: Value, from: string, to: string): Value | undefined {
  if (from === to || !isObject(part)) return convert(converter, part, from, to);
  const own = metadataOf(part);
  const identity = Object.entries(metadataOf(whole) ?? {}).filter(
    ([name]) => NEVER_OWNED_METADATA.has(name) && !Object.hasOwn(own ?? {}, name),
  );
  if (own !== undefined && identity.length === 0) return converter.convert(part, from, to);
  const converted = converter.convert({ ...part, metadata: { ...Object.fromEntries(identity), ...own } }, from, to);
  if (converted === undefined || !isObject(converted)) return converted;
  const { metadata: _own, ...rest } = converted;
  const kept = Object.entries(metadataOf(converted) ?? {}).filter(
    ([name]) => !identity.some(([other]) => other === name),
  );
  if (own !== undefined || kept.length > 0) return { ...converted, metadata: Object.fromEntries(kept) };
  return Object.hasOwn(part, "metadata") ? { ...converted, metadata: null } : rest;
}

/** A merged and a pruned object at a version. */
interface Pruning {
  readonly version: string;
  readonly merged: Value;
  readonly pruned: Value;
}

/** Adds back what others own, or the applier owns now: version by version, that of the pruned object first. */
function addBackOwned(input: PruneInput, start: Pruning): Value {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, set } of input.managers.values()) {
    const present = owned.get(apiVersion);
    owned.set(apiVersion, present === undefined ? set : union(present, set));
  }
  const first = owned.get(start.version);
  let at: Pruning = first === undefined ? start : addBackAt(input.converter, start, start.version, first);
  owned.delete(start.version);
  for (const [version, set] of owned) at = addBackAt(input.converter, at, version, set);
  return convertPart(input.converter, at.pruned, at.merged, at.version, start.version) ?? start.pruned;
}

function addBackAt(converter: Converter, at: Pruning, version: string, owned: FieldSet): Pruning {
  const type = converter.typeAt(version);
  const merged = convert(converter, at.merged, at.version, version);
  const pruned = convertPart(converter, at.pruned, at.merged, at.version, version);
  if (type === undefined || merged === undefined || pruned === undefined) return at;
  return { version, merged, pruned: removeUnowned(type, merged, pruned, owned) };
}

function removeUnowned(type: Type, merged: Value, pruned: Value, owned: FieldSet): Value {
  const kept = union(ensureFields(type, toFieldSet(type, pruned)), ensureFields(type, owned));
  return removeItems(type, merged, difference(ensureFields(type, toFieldSet(type, merged)), kept));
}
