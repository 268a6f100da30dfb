/**
 * The bodies of a path: the object itself, or the view of a lens on it (the bodies of `scale` are Scales).
 * A verb reads, patches and decodes a {@link Form}, and writes an object; only this file distinguishes the two. Ownership is stored with
 * the object: the owner of a field of the view is the owner of the field that it represents.
 *
 * @module
 */
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject, Lens, ResourceDefinition } from "../../schema/definition.ts";
import { walkerOf } from "../../schema/walker.ts";
import { structOf } from "../../apply/schema/schema.ts";
import type { Entry } from "../../cache/index.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { ManagedFields } from "../../meta/object-meta.ts";
import type { WriteResult } from "../contract.ts";
import { keptBytes } from "../versions/codec.ts";
import { HotObjects } from "../kind/hot-objects.ts";
import type { Kind } from "../kind/kind.ts";
import { hubConverter } from "../kind/converter.ts";
import { textWithVersion } from "../versions/view.ts";

/** The bodies of one path. */
export interface Form {
  /** The kind of the bodies. */
  readonly kind: Kind;
  /** The value that a client sees of an object. */
  show(object: ApiObject): ApiObject;
  /** The object that results when a client sends `value` after it read `old`; may be `value` itself. */
  put(old: ApiObject, value: ApiObject): ApiObject;
  /** Writes a changed value, as {@link show} has returned it for this object, into the object. Changes `object`. */
  write(object: ApiObject, value: ApiObject): void;
  /** The managed fields of the object after an apply to the view of `old` has returned `owners`. */
  owners(old: ApiObject, owners: readonly ManagedFields[]): readonly ManagedFields[];
  /** The result of a write. */
  result(result: WriteResult): WriteResult;
  /** The result of a get. */
  entry(entry: Entry, object: () => ApiObject): Entry;
}

/** The form of the paths of a subresource; that of the object itself unless it has a lens. */
export function formOf(kind: Kind, subresource: string): Form {
  const rules = subresource === "" ? undefined : kind.definition.subresources?.[subresource];
  return rules?.takes && rules.lens ? through(kind, rules.takes, rules.lens) : plain(kind);
}

const plainForms = new WeakMap<Kind, Form>();

function plain(kind: Kind): Form {
  let form = plainForms.get(kind);
  if (!form) {
    form = {
      kind,
      show: (object) => object,
      put: (_old, value) => value,
      write: () => undefined,
      owners: (_old, owners) => owners,
      result: (result) => result,
      entry: (entry) => entry,
    };
    plainForms.set(kind, form);
  }
  return form;
}

const lensForms = new WeakMap<Kind, Map<Lens, Form>>();

function through(kind: Kind, taken: ResourceDefinition, lens: Lens): Form {
  let forms = lensForms.get(kind);
  if (!forms) lensForms.set(kind, (forms = new Map<Lens, Form>()));
  let form = forms.get(lens);
  if (!form) forms.set(lens, (form = lensForm(kind, taken, lens)));
  return form;
}

function lensForm(kind: Kind, taken: ResourceDefinition, lens: Lens): Form {
  const value = valueKind(kind, taken);
  const show = (object: ApiObject): ApiObject => shown(value, lens, object);
  return {
    kind: value,
    show,
    put(old, wanted) {
      const object = copyOf(old);
      lens.write(object, wanted);
      return object;
    },
    write: (object, changed) => lens.write(object, changed),
    owners: (old, owners) => ownersOfObject(kind, lens, old.metadata.managedFields ?? [], owners),
    result: (result) => ({ ...result, ...bytesAnd(show(result.object)) }),
    entry(entry, object) {
      lens.missing?.(object());
      return new LensEntry(entry, show(object()));
    },
  };
}

/** The kind of the bodies of a subresource of `kind`, as the verbs need one; it is never stored. */
export function valueKind(kind: Kind, taken: ResourceDefinition): Kind {
  const apiVersion = apiVersionOf(taken.group, taken.version);
  const versions = new Map<string, Kind>();
  const made: Kind = {
    ...kind,
    definition: taken,
    apiVersion,
    walker: walkerOf(taken.schema, { dialect: kind.shared.api.dialect }),
    type: structOf(taken.schema),
    stored: { ...kind.stored, versions, converter: hubConverter((version) => versions.get(version)?.definition) },
    hot: new HotObjects(0),
    views: new WeakMap(),
  };
  versions.set(apiVersion, made);
  return made;
}

/** The view of an object: its identity, and the members that the lens reads. Its owners are those of the represented fields. */
function shown(value: Kind, lens: Lens, object: ApiObject): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } = object.metadata;
  const owners = ownersOfValue(value, lens, managedFields ?? []);
  return {
    kind: value.definition.kind,
    apiVersion: value.apiVersion,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(owners.length === 0 ? {} : { managedFields: owners }),
    },
    ...lens.read(object),
  };
}

/** The value that a client gets: without owners, which only the object has. */
function bytesAnd(value: ApiObject): { bytes: Buffer; object: ApiObject } {
  const { managedFields: _, ...metadata } = value.metadata;
  const object = { ...value, metadata };
  return { bytes: keptBytes(textWithVersion(object, metadata.resourceVersion)), object };
}

/** The view of one version of an object, for readers of it. */
export class LensEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly labels: Readonly<Record<string, string>>;
  readonly object: ApiObject;

  constructor({ key, revision, labels }: Entry, value: ApiObject) {
    const { bytes, object } = bytesAnd(value);
    this.key = key;
    this.revision = revision;
    this.labels = labels;
    this.bytes = bytes;
    this.object = object;
  }
}

type Fields = { [member: string]: Fields };

const stepsOf = (path: string): string[] => path.split(".").map((name) => `f:${name}`);

/** The owners of the members of a view, in its own paths. */
function ownersOfValue(value: Kind, lens: Lens, entries: readonly ManagedFields[]): ManagedFields[] {
  return entries.flatMap((entry) => {
    const fieldsV1: Fields = {};
    for (const [mine, theirs] of Object.entries(lens.fields)) {
      if (has(entry.fieldsV1 as Fields, stepsOf(theirs))) add(fieldsV1, stepsOf(mine));
    }
    return Object.keys(fieldsV1).length === 0 ? [] : [{ ...entry, apiVersion: value.apiVersion, fieldsV1 }];
  });
}

/** The owners of an object, with `owners` for the fields behind the lens. */
function ownersOfObject(
  kind: Kind,
  lens: Lens,
  entries: readonly ManagedFields[],
  owners: readonly ManagedFields[],
): readonly ManagedFields[] {
  const kept = entries.map((entry) => structuredClone(entry));
  for (const entry of kept) {
    for (const theirs of Object.values(lens.fields)) remove(entry.fieldsV1 as Fields, stepsOf(theirs));
  }
  for (const owner of owners) {
    const paths = Object.entries(lens.fields).filter(([mine]) => has(owner.fieldsV1 as Fields, stepsOf(mine)));
    if (paths.length === 0) continue;
    let entry = kept.find((other) => isSameWriter(other, owner) && other.apiVersion === kind.apiVersion);
    if (!entry) kept.push((entry = { ...owner, apiVersion: kind.apiVersion, fieldsV1: {} }));
    for (const [, theirs] of paths) add(entry.fieldsV1 as Fields, stepsOf(theirs));
  }
  const left = kept.filter(({ fieldsV1 }) => Object.keys(fieldsV1 as Fields).length > 0);
  return withTimesOf({ managedFields: [...entries] }, left);
}

/** The owners of an object that was written through a lens: only the earlier entries have the times of their writes (KIND-All-19). */
export const withTimesOf = (
  { managedFields: before = [] }: ApiObject["metadata"],
  entries: readonly ManagedFields[],
): readonly ManagedFields[] =>
  entries.map((one) => {
    const { time: _, ...entry } = one;
    const known = before.find((other) => isSameWriter(other, entry) && other.apiVersion === entry.apiVersion);
    return known?.time === undefined ? entry : { ...entry, time: known.time };
  });

const isSameWriter = (a: ManagedFields, b: ManagedFields): boolean =>
  a.manager === b.manager && a.operation === b.operation && (a.subresource ?? "") === (b.subresource ?? "");

function has(fields: Fields | undefined, steps: readonly string[]): boolean {
  let here: Fields | undefined = fields;
  for (const step of steps) {
    if (!here || !Object.hasOwn(here, step)) return false;
    here = here[step];
  }
  return true;
}

function add(fields: Fields, steps: readonly string[]): void {
  let here = fields;
  for (const step of steps) here = here[step] ??= {};
}

/** Removes a path, with the containers that are empty afterwards. */
function remove(fields: Fields | undefined, [step, ...rest]: readonly string[]): void {
  if (!fields || step === undefined || !Object.hasOwn(fields, step)) return;
  if (rest.length > 0) remove(fields[step], rest);
  if (rest.length === 0 || Object.keys(fields[step] ?? {}).length === 0) delete fields[step];
}
