/**
 * Who owns which field after a write: the top of the ladder.
 *
 * {@link applyTo} is the declarative write: it merges an intent, takes away what the applier gave up, and is refused
 * when it would change what others own. {@link updateTo} is every other write: it takes what it changed. Both are pure,
 * go in steps, and know managers as keys; entries, times and the server's habits are in the files above this folder.
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import type { Value } from "../../value/value.ts";
import { difference, EMPTY, intersection, isEmpty, union } from "../fieldpath/index.ts";
import type { FieldSet } from "../fieldpath/index.ts";
import { compareSteps, filterComparison, merge, reconcileSet, sameValue, toFieldSet } from "../typed/index.ts";
import type { Comparison, ScalarEqual } from "../typed/index.ts";
import type { Type } from "../schema/schema.ts";
import type { Conflicts, Converter, Filters, Lost, Managers, Owned } from "./managers.ts";
import { prune } from "./prune.ts";

/** What both kinds of writes need to know. */
export interface Write {
  readonly converter: Converter;
  /** The version of the write; `live` and the new value are in it. */
  readonly apiVersion: string;
  /** The type of the kind in that version. */
  readonly type: Type;
  readonly live: Value;
  readonly managers: Managers;
  /** The key of the writer. */
  readonly manager: string;
  /** What a write may own, by version. Default: everything. */
  readonly filters?: Filters | undefined;
  /** Paths that nobody ever owns; taken from the writer's set. Default: none. */
  readonly neverOwned?: FieldSet | undefined;
  readonly scalarEqual?: ScalarEqual | undefined;
}

/** A write of a whole new value. */
export interface UpdateWrite extends Write {
  readonly updated: Value;
}

/** An apply of an intent that fits its type. */
export interface ApplyWrite extends Write {
  readonly intent: Value;
  /** Take over what others own instead of failing (OWN-4). */
  readonly force: boolean;
}

/** The owners after an update: the writer has what it added and changed, others lost that and what is gone (OWN-12). */
export function* updateTo(write: UpdateWrite): Steps<Managers> {
  const { manager, apiVersion } = write;
  const present = yield* reconcileManagers(write);
  const { changed, found } = yield* shift(write, present, write.updated);
  const before = present.get(manager)?.set ?? EMPTY;
  let set = union(union(difference(before, found.removed), found.modified), found.added);
  set = ownable(write, set);
  return withManager(changed, manager, { set, apiVersion, applied: false });
}

/** What an apply gives: the new object, whether it differs from the live one, and the owners. */
export interface Applied {
  readonly object: Value;
  readonly changed: boolean;
  readonly managers: Managers;
}

/** Applies an intent, or tells every field of another owner that it would change. */
export function* applyTo(write: ApplyWrite): Steps<Applied | Conflicts> {
  const { converter, type, apiVersion, live, manager } = write;
  const present = yield* reconcileManagers(write);
  const last = present.get(manager);
  // What is sent holds its place also where nobody owns it: an intent of identity alone keeps `metadata`.
  const sent = filtered(write, toFieldSet(type, write.intent));
  const next = ownable(write, sent);
  const claim = (set: FieldSet): Map<string, Owned> =>
    new Map(present).set(manager, { set, apiVersion, applied: true });
  yield;
  let object = merge(type, live, write.intent, write.scalarEqual);
  yield;
  if (last !== undefined && !isEmpty(last.set)) {
    object = prune({ converter, merged: object, apiVersion, managers: claim(sent), last, next: sent });
    yield;
  }
  const managers = claim(next);
  const shifted = yield* shift(write, managers, object);
  if (!write.force && shifted.lost.length > 0) return { lost: shifted.lost };
  return { object, changed: object !== live && !sameValue(live, object), managers: shifted.changed };
}

/** The part of a set that a write may own: what its filter keeps, without what nobody owns. */
export function ownable(write: Write, set: FieldSet): FieldSet {
  const kept = filtered(write, set);
  return write.neverOwned === undefined ? kept : difference(kept, write.neverOwned);
}

const filtered = (write: Write, set: FieldSet): FieldSet => write.filters?.get(write.apiVersion)?.(set) ?? set;

function withManager(managers: Managers, manager: string, owned: Owned): Managers {
  const result = new Map(managers);
  if (isEmpty(owned.set)) result.delete(manager);
  else result.set(manager, owned);
  return result;
}

/** The managers with their sets fitted to the present types; those of versions that are gone are left out. */
function* reconcileManagers(write: Write): Steps<Managers> {
  const result = new Map<string, Owned>();
  for (const [manager, owned] of write.managers) {
    const type = write.converter.typeAt(owned.apiVersion);
    if (type === undefined) continue;
    const set = reconcileSet(type, owned.set);
    result.set(manager, set === owned.set ? owned : { ...owned, set });
    yield;
  }
  return result;
}

/** What happens to everyone's fields when the live value becomes another one. */
interface Shift {
  /** The managers without what they lost; those with nothing left are gone. */
  readonly changed: Managers;
  /** What others than the writer own and the new value changes. */
  readonly lost: readonly Lost[];
  /** The difference, in the version of the write. */
  readonly found: Comparison;
}

function* shift(write: Write, managers: Managers, value: Value): Steps<Shift> {
  const comparisons = compareAtVersions(write, value);
  const changed = new Map<string, Owned>();
  const losses: Lost[] = [];
  for (const [manager, owned] of managers) {
    const found = manager === write.manager ? undefined : yield* comparisons(owned.apiVersion);
    if (manager !== write.manager && found === undefined) continue;
    let set = owned.set;
    if (found !== undefined) {
      const lost = intersection(set, found.written);
      yield;
      if (!isEmpty(lost)) losses.push({ manager, set: lost });
      set = difference(difference(set, lost), found.removed);
    }
    if (!isEmpty(set)) changed.set(manager, set === owned.set ? owned : { ...owned, set });
    yield;
  }
  return { changed, lost: losses, found: (yield* comparisons(write.apiVersion))! };
}

/** What changed, and as one set what came of it. */
interface Change extends Comparison {
  readonly written: FieldSet;
}

/** The difference between the live and the new value at each version, found once; undefined for a version that is gone. */
function compareAtVersions(write: Write, value: Value): (apiVersion: string) => Steps<Change | undefined> {
  const { converter, live } = write;
  const known = new Map<string, Change | undefined>();
  const at = function* (version: string): Steps<Change | undefined> {
    const same = version === write.apiVersion;
    const type = same ? write.type : converter.typeAt(version);
    const before = same ? live : converter.convert(live, write.apiVersion, version);
    const after = same ? value : converter.convert(value, write.apiVersion, version);
    if (type === undefined || before === undefined || after === undefined) return undefined;
    const found = yield* compareSteps(type, before, after, write.scalarEqual);
    yield;
    const filter = write.filters?.get(version);
    const kept = filter === undefined ? found : filterComparison(found, filter);
    const written = union(kept.modified, kept.added);
    yield;
    return { ...kept, written };
  };
  return function* (version) {
    if (!known.has(version)) known.set(version, yield* at(version));
    return known.get(version);
  };
}
