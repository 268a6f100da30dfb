/**
 * Who owns which field after a write: the top of the ladder.
 *
 * {@link applyTo} is the declarative write: it merges an intent, removes what the applier released, and fails when it
 * would change what others own. {@link updateTo} is every other write: its manager becomes the owner of what it changed.
 * Both are pure, run in steps where values are large, and know managers as keys. Entries, times and rules of the server
 * are in the files above this folder.
 *
 * @module
 */
import { andThen, forEachOf, whenLarge, type Work } from "../../util/steps.ts";
import type { Value } from "../../value/value.ts";
import { difference, EMPTY, intersection, isEmpty, union } from "../fieldpath/index.ts";
import type { FieldSet } from "../fieldpath/index.ts";
import { compare, compareSteps, filterComparison, merge, reconcileSet, sameValue, toFieldSet } from "../typed/index.ts";
import type { Comparison, ScalarEqual } from "../typed/index.ts";
import type { Type } from "../schema/schema.ts";
import type { Conflicts, Converter, Filters, Lost, Managers, Owned } from "./managers.ts";
import { prune } from "./prune.ts";

/** What both kinds of writes need. */
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
  /** Paths without an owner; they are removed from the writer's set. Default: none. */
  readonly neverOwned?: FieldSet | undefined;
  readonly scalarEqual?: ScalarEqual | undefined;
  /** Whether the live or the new value has so many members that the write runs in steps. */
  readonly isLarge: boolean;
}

/** A write of a whole new value. */
export interface UpdateWrite extends Write {
  readonly updated: Value;
}

/** An apply of an intent that fits its type. */
export interface ApplyWrite extends Write {
  readonly intent: Value;
  /** Become the owner of what others own instead of failing (OWN-4). */
  readonly force: boolean;
}

/** The owners after an update, in a new map: the writer owns what it added and changed, others lost that and what was removed (OWN-12). */
export function updateTo(write: UpdateWrite): Work<Map<string, Owned>> {
  const { manager, apiVersion } = write;
  return andThen(reconcileManagers(write), (present) =>
    andThen(shift(write, present, write.updated), ({ changed, found }) => {
      const before = present.get(manager)?.set ?? EMPTY;
      const set = ownable(write, union(union(difference(before, found.removed), found.modified), found.added));
      if (isEmpty(set)) changed.delete(manager);
      else changed.set(manager, { set, apiVersion, applied: false });
      return changed;
    }),
  );
}

/** The result of an apply: the new object, whether it differs from the live one, and the owners. */
export interface Applied {
  readonly object: Value;
  readonly changed: boolean;
  readonly managers: Managers;
}

/** Applies an intent, or returns every field of another owner that it would change. */
export function applyTo(write: ApplyWrite): Work<Applied | Conflicts> {
  return andThen(reconcileManagers(write), (present) => {
    // A field that is sent stays also where it has no owner: an intent with nothing but an identity keeps `metadata`.
    const sent = filtered(write, toFieldSet(write.type, write.intent));
    return andThen(merged(write, present, sent), (object) =>
      andThen(shift(write, claimed(write, present, ownable(write, sent)), object), ({ changed, lost }) => {
        if (!write.force && lost.length > 0) return { lost };
        const { live } = write;
        return { object, changed: object !== live && !sameValue(live, object), managers: changed };
      }),
    );
  });
}

/** The live object with the intent in it, and without what the applier released. */
function merged(write: ApplyWrite, present: Managers, sent: FieldSet): Work<Value> {
  const { converter, type, apiVersion, live, intent, manager, scalarEqual, isLarge } = write;
  const last = present.get(manager);
  const pruned = (object: Value): Value =>
    last === undefined || isEmpty(last.set)
      ? object
      : prune({ converter, merged: object, apiVersion, managers: claimed(write, present, sent), last, next: sent });
  return andThen(
    whenLarge(isLarge, () => merge(type, live, intent, scalarEqual)),
    pruned,
  );
}

/** The managers, the applier with a set of its own. */
const claimed = ({ manager, apiVersion }: ApplyWrite, present: Managers, set: FieldSet): Managers =>
  new Map(present).set(manager, { set, apiVersion, applied: true });

/** The part of a set that a write may own: what its filter keeps, without paths that have no owner. */
export function ownable(write: Write, set: FieldSet): FieldSet {
  const kept = filtered(write, set);
  return write.neverOwned === undefined ? kept : difference(kept, write.neverOwned);
}

const filtered = (write: Write, set: FieldSet): FieldSet => write.filters?.get(write.apiVersion)?.(set) ?? set;

/** The managers with their sets reconciled with the current types; those of removed versions are left out. */
function reconcileManagers({ converter, managers, isLarge }: Write): Work<Managers> {
  const result = new Map<string, Owned>();
  const fit = ([manager, owned]: readonly [string, Owned]): void => {
    const type = converter.typeAt(owned.apiVersion);
    if (type === undefined) return;
    const set = reconcileSet(type, owned.set);
    result.set(manager, set === owned.set ? owned : { ...owned, set });
  };
  return andThen(forEachOf(managers, isLarge, fit), () => result);
}

/** How ownership changes when the live value becomes another one. */
interface Shift {
  /** The managers without what they lost; those that own nothing now are left out. */
  readonly changed: Map<string, Owned>;
  /** What others than the writer own and the new value changes. */
  readonly lost: readonly Lost[];
  /** The difference, in the version of the write. */
  readonly found: Comparison;
}

function shift(write: Write, managers: Managers, value: Value): Work<Shift> {
  return andThen(changesOf(write, managers, value), (changes) => {
    const changed = new Map<string, Owned>();
    const lost: Lost[] = [];
    const take = ([manager, owned]: readonly [string, Owned]): void => {
      let { set } = owned;
      if (manager !== write.manager) {
        const found = changes.get(owned.apiVersion);
        if (found === undefined) return;
        const taken = intersection(set, found.written);
        if (!isEmpty(taken)) lost.push({ manager, set: taken });
        set = difference(difference(set, taken), found.removed);
      }
      if (!isEmpty(set)) changed.set(manager, set === owned.set ? owned : { ...owned, set });
    };
    return andThen(forEachOf(managers, write.isLarge, take), () => ({
      changed,
      lost,
      found: changes.get(write.apiVersion)!,
    }));
  });
}

/** What changed, and what was added or modified as one set. */
interface Change extends Comparison {
  readonly written: FieldSet;
}

/** What changed, by version; undefined for a version that the kind no longer has. */
type Changes = ReadonlyMap<string, Change | undefined>;

/** The difference between the live and the new value, at the version of the write and at that of each other manager. */
function changesOf(write: Write, managers: Managers, value: Value): Work<Changes> {
  const changes = new Map<string, Change | undefined>([[write.apiVersion, undefined]]);
  for (const [manager, { apiVersion }] of managers) {
    if (manager !== write.manager) changes.set(apiVersion, undefined);
  }
  const find = (version: string): Work<void> =>
    andThen(changeAt(write, value, version), (change) => void changes.set(version, change));
  return andThen(forEachOf(changes.keys(), write.isLarge, find), () => changes);
}

function changeAt(write: Write, value: Value, version: string): Work<Change | undefined> {
  const { converter, live, isLarge, scalarEqual } = write;
  const same = version === write.apiVersion;
  const type = same ? write.type : converter.typeAt(version);
  const before = same ? live : converter.convert(live, write.apiVersion, version);
  const after = same ? value : converter.convert(value, write.apiVersion, version);
  if (type === undefined || before === undefined || after === undefined) return undefined;
  const found = isLarge ? compareSteps(type, before, after, scalarEqual) : compare(type, before, after, scalarEqual);
  return andThen(found, (all) => {
    const filter = write.filters?.get(version);
    const { added, modified, removed } = filter === undefined ? all : filterComparison(all, filter);
    return { added, modified, removed, written: union(modified, added) };
  });
}
