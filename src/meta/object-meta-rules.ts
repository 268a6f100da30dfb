/**
 * The rules for the metadata of every object: names, labels, annotations, owners, finalizers, and immutable members (DEC-1,
 * DEC-2).
 *
 * @module
 */
import type { Dialect } from "./dialect.ts";
import type { FieldErrors } from "./field-errors.ts";
import { type ObjectNameRule, dnsLabel, labelValue, qualifiedName } from "./names.ts";
import type { ManagedFields, ObjectMeta, OwnerRef } from "./object-meta.ts";

/** The rules of a kind for metadata. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameRule: ObjectNameRule;
  readonly dialect: Dialect;
  /** Whether a finalizer without `/` must be a well-known one; the dialect's rule by default (DEC-1). */
  readonly strictFinalizers?: boolean;
}

/** The rules for an update; `sent` is the metadata of the client, before the server restored its own members. */
export interface ObjectMetaUpdateRules extends ObjectMetaRules {
  readonly sent?: ObjectMeta;
}

const MAX_ANNOTATION_BYTES = 262_144;

/** The standard finalizers, which need no domain. */
export const KNOWN_FINALIZERS: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Whether a finalizer needs a domain and has none. */
const lacksDomain = (finalizer: string): boolean => !finalizer.includes("/") && !KNOWN_FINALIZERS.has(finalizer);

/** Validates the metadata of a new object. */
export function validateObjectMeta(meta: ObjectMeta, errors: FieldErrors, rules: ObjectMetaRules): void {
  validateName(meta, errors, rules);
  if (rules.namespaced) {
    const wrong = meta.namespace ? dnsLabel(meta.namespace) : undefined;
    if (!meta.namespace) errors.required("metadata.namespace");
    if (wrong) errors.invalid("metadata.namespace", meta.namespace, wrong);
  } else if (meta.namespace) {
    errors.forbidden("metadata.namespace", "not allowed on this type");
  }
  if (meta.generation !== undefined && meta.generation < 0) {
    errors.invalid("metadata.generation", meta.generation, "must be greater than or equal to 0");
  }
  validateShared(meta, errors, rules);
}

/** Validates the metadata of an update; the name is that of the path and not validated. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  errors: FieldErrors,
  rules: ObjectMetaUpdateRules,
): void {
  const sent = rules.sent ?? meta;
  const keep = (member: "uid" | "deletionTimestamp" | "deletionGracePeriodSeconds"): void =>
    errors.invalid(`metadata.${member}`, sent[member], "field is immutable");
  if (sent.uid && sent.uid !== old.uid) keep("uid");
  if (sent.deletionTimestamp && !old.deletionTimestamp) keep("deletionTimestamp");
  const grace = sent.deletionGracePeriodSeconds;
  if (grace !== undefined && grace !== old.deletionGracePeriodSeconds) keep("deletionGracePeriodSeconds");
  if (old.deletionTimestamp) refuseNewFinalizers(meta, old, errors);
  validateShared(meta, errors, rules, old);
}

const MAX_MANAGER_BYTES = 128;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** The name of a field manager: at most 128 bytes, all of them of printable characters (DEC-15). */
export function validateFieldManager(manager: string, field: string, errors: FieldErrors): void {
  if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES) errors.tooLong(field, MAX_MANAGER_BYTES);
  const found = UNPRINTABLE.exec(manager);
  if (!found) return;
  const code = found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  const position = Buffer.byteLength(manager.slice(0, found.index));
  errors.invalid(field, manager, `invalid character U+${code} (at position ${position})`);
}

const MAX_SUBRESOURCE_BYTES = 256;

/** Entries that a client may have edited have names within the limits of any write. */
function validateManagedFields(entries: readonly ManagedFields[], errors: FieldErrors): void {
  entries.forEach(({ manager = "", subresource = "" }, i) => {
    const field = `metadata.managedFields[${i}]`;
    validateFieldManager(manager, `${field}.manager`, errors);
    if (subresource.length > MAX_SUBRESOURCE_BYTES) errors.tooLong(`${field}.subresource`, MAX_SUBRESOURCE_BYTES);
  });
}

function validateShared(meta: ObjectMeta, errors: FieldErrors, rules: ObjectMetaRules, old?: ObjectMeta): void {
  if (meta.labels) validateLabels(meta.labels, "metadata.labels", errors);
  if (meta.annotations) validateAnnotations(meta.annotations, "metadata.annotations", errors);
  if (meta.ownerReferences) validateOwners(meta.ownerReferences, errors, rules.dialect);
  if (meta.managedFields) validateManagedFields(meta.managedFields, errors);
  if (meta.finalizers) {
    const strict = rules.strictFinalizers ?? rules.dialect.rules.strictFinalizers;
    validateFinalizers(meta.finalizers, old?.finalizers ?? [], errors, strict);
  }
}

/** A name is required, or a prefix to generate one; both follow the rule for names of the kind. */
function validateName(meta: ObjectMeta, errors: FieldErrors, rules: ObjectMetaRules): void {
  const { nameRule } = rules;
  validatePrefix(meta, errors, rules);
  if (!meta.name) {
    errors.required("metadata.name", "name or generateName is required");
    return;
  }
  const valid = nameRule(meta.name);
  if (valid !== true) errors.invalid("metadata.name", meta.name, valid);
}

/** A prefix of a name follows the rule for names; a dash at its end is replaced together with the character before. */
export function validatePrefix(
  { generateName: prefix }: ObjectMeta,
  errors: FieldErrors,
  rules: ObjectMetaRules,
): void {
  if (!prefix) return;
  const valid = rules.nameRule(prefix.replace(/.-$/s, "a"));
  if (valid !== true) errors.invalid("metadata.generateName", prefix, valid);
}

/** Label keys are qualified names, their values short names or empty (DEC-2); causes have the path of the map. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string, errors: FieldErrors): void {
  for (const key in labels) {
    const wrongKey = qualifiedName(key);
    if (wrongKey) errors.invalid(field, key, wrongKey);
    const wrongValue = labelValue(labels[key]!);
    if (wrongValue) errors.invalid(field, labels[key], wrongValue);
  }
}

/** Annotation keys are qualified names in any letter case; keys and values together have at most 262144 bytes (DEC-2). */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  field: string,
  errors: FieldErrors,
): void {
  let bytes = 0;
  for (const key in annotations) {
    const wrong = qualifiedName(key.toLowerCase());
    if (wrong) errors.invalid(field, key, wrong);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key]!);
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.tooLong(field, MAX_ANNOTATION_BYTES);
}

/** Owner references are complete and at most one is the controller (DEC-1); causes have no index. */
function validateOwners(owners: readonly OwnerRef[], errors: FieldErrors, dialect: Dialect): void {
  const field = "metadata.ownerReferences";
  for (const owner of owners) {
    const [first, second, ...more] = owner.apiVersion.split("/");
    if (more.length > 0 || !(second ?? first)) {
      errors.invalid(`${field}.apiVersion`, owner.apiVersion, "expected 'group/version', or a version alone");
    }
    for (const member of ["kind", "name", "uid"] as const) {
      if (!owner[member]) errors.invalid(`${field}.${member}`, owner[member], "must not be empty");
    }
    if (owner.apiVersion === "v1" && owner.kind === "Event" && dialect.rules.enforceUndocumented) {
      errors.invalid(field, owner, "/v1, Kind=Event is disallowed from being an owner");
    }
  }
  const controllers = owners.filter((owner) => owner.controller === true);
  const [first, second] = controllers.map(({ kind, name }) => `${kind}/${name}`);
  if (second !== undefined) {
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
    errors.invalid(field, controllers, why);
  }
}

/** New finalizers are qualified names; duplicates are allowed (DEC-1). */
function validateFinalizers(
  finalizers: readonly string[],
  before: readonly string[],
  errors: FieldErrors,
  strict: boolean,
): void {
  const field = "metadata.finalizers";
  const known = new Set(before);
  finalizers.forEach((finalizer, i) => {
    if (known.has(finalizer)) return;
    const wrong = qualifiedName(finalizer);
    if (wrong) errors.invalid(field, finalizer, wrong);
    if (strict && lacksDomain(finalizer)) {
      errors.invalid(
        `${field}[${i}]`,
        finalizer,
        "name is neither a standard finalizer name nor is it fully qualified",
      );
    }
  });
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.invalid(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

function refuseNewFinalizers(meta: ObjectMeta, old: ObjectMeta, errors: FieldErrors): void {
  const before = new Set(old.finalizers);
  const added = (meta.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length > 0) {
    const shown = added.slice(0, 10).map((finalizer) => JSON.stringify(finalizer.slice(0, 100)));
    errors.forbidden(
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers ${shown.join(", ")}`,
    );
  }
}

/** Warnings about new finalizers without a domain, as of kube-apiserver. */
export function* finalizerWarnings({ finalizers = [] }: ObjectMeta, old: ObjectMeta | undefined): Generator<string> {
  const before = new Set(old?.finalizers);
  for (const finalizer of new Set(finalizers.toSorted())) {
    if (before.has(finalizer) || !lacksDomain(finalizer)) continue;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    const why = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    yield `metadata.finalizers: "${finalizer}": ${why}`;
  }
}
