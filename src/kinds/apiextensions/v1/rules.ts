/**
 * The form of a definition: names, versions, conversion, columns (CRD-5, 7, 8, 9, 15, 24, 34, 35).
 * Faults of a part that is equal in all versions are reported at one path outside of them (`spec.validation`, `spec.subresources` ...), as
 * in kube-apiserver.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { type TextCheck, dns1035Label, dnsSubdomain } from "../../../meta/names.ts";
import type { Steps } from "../../../util/steps.ts";
import { APPROVED, approvalOf, isProtectedGroup } from "./approval.ts";
import { validateConversion } from "./conversion.ts";
import type { CustomResourceDefinition, Names, Version } from "./definition.ts";
import { type SchemaChecks, checksOf, validateSchemas } from "./schemas.ts";
import { validateSelectableFields } from "./selectable-fields.ts";
import { same } from "../../rules/same.ts";

type Spec = CustomResourceDefinition["spec"];

/**
 * All faults of a definition, a new one or the next state of `old`: a member that was accepted before is accepted again where it did not
 * change.
 */
export function* validateDefinition(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldErrors,
  dialect: Dialect,
): Steps<void> {
  validateApproval(definition, old, errors);
  yield* validateSpec(definition.spec, old?.spec, checksOf(dialect, old), errors);
  if (old) validateKept(definition, old, errors);
  else validateOwnName(definition, errors);
  validateStored(definition, errors);
}

/** The immutable members of a definition. */
function validateKept({ spec }: CustomResourceDefinition, old: CustomResourceDefinition, errors: FieldErrors): void {
  const isEstablished = (old.status?.conditions ?? []).some((c) => c.type === "Established" && c.status === "True");
  const keep = (field: string, is: unknown, was: unknown): void => {
    if (is !== was) errors.invalid(field, is, "field is immutable");
  };
  if (isEstablished) {
    keep("spec.scope", spec.scope, old.spec.scope);
    keep("spec.names.kind", spec.names?.kind, old.spec.names?.kind);
  }
  keep("spec.group", spec.group, old.spec.group);
  keep("spec.names.plural", spec.names?.plural, old.spec.names?.plural);
}

/** The faults of a status. */
export function validateStatus({ status }: CustomResourceDefinition, errors: FieldErrors): void {
  validateNames(status?.acceptedNames, "status.acceptedNames", errors);
}

function validateOwnName({ metadata, spec }: CustomResourceDefinition, errors: FieldErrors): void {
  const expected = `${spec.names?.plural ?? ""}.${spec.group ?? ""}`;
  if (metadata.name !== expected) {
    errors.invalid("metadata.name", metadata.name, `expected the plural, "." and the group: ${expected}`);
  }
}

function validateApproval(
  { metadata, spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldErrors,
): void {
  if (!isProtectedGroup(spec.group ?? "")) return;
  const { state, why } = approvalOf(metadata.annotations);
  if (old && approvalOf(old.metadata.annotations).state === state) return;
  const field = `metadata.annotations[${APPROVED}]`;
  if (state === "missing") errors.required(field, why);
  if (state === "invalid") errors.invalid(field, metadata.annotations?.[APPROVED], why);
}

/** Versions in which objects may be stored are known (CRD-7). */
function validateStored({ spec, status }: CustomResourceDefinition, errors: FieldErrors): void {
  const field = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return errors.invalid(field, stored, "expected the version in which objects are stored");
  // Each name is one version: the second of the same name is a duplicate.
  const left = new Map(stored.map((name, i) => [name, i]));
  for (const { name, storage } of spec.versions ?? []) {
    if (!left.delete(name) && storage) {
      errors.invalid(field, stored, `expected the storage version ${name} among them`);
    }
  }
  for (const [name, i] of left) {
    // Operators that migrate objects know the case by the first words.
    const why = `${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.invalid(`${field}[${i}]`, name, `missing from spec.versions; ${why}`);
  }
}

function* validateSpec(spec: Spec, old: Spec | undefined, checks: SchemaChecks, errors: FieldErrors): Steps<void> {
  const { group, scope, preserveUnknownFields, names, conversion } = spec;
  if (group === "") errors.required("spec.group", "expected an API group");
  else if (dnsSubdomain(group) !== undefined) errors.invalid("spec.group", group, dnsSubdomain(group)!);
  else if (!group.includes(".")) errors.invalid("spec.group", group, "expected a domain with at least one dot");
  if (scope === "") errors.required("spec.scope", "expected Cluster or Namespaced");
  else if (scope !== "Cluster" && scope !== "Namespaced") {
    errors.notSupported("spec.scope", scope, ["Cluster", "Namespaced"]);
  }
  yield* validateVersions(spec, old, checks, errors);
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names?.[name]) errors.required(`spec.names.${name}`, "expected a name");
  }
  validateNames(names, "spec.names", errors);
  if (conversion && conversion.strategy !== "None" && preserveUnknownFields) {
    errors.invalid("spec.conversion.strategy", conversion.strategy, "expected None where unknown fields are preserved");
  }
  validateConversion(conversion, old?.conversion, errors, checks.dialect);
  if (preserveUnknownFields && !old?.preserveUnknownFields) {
    errors.invalid(
      "spec.preserveUnknownFields",
      true,
      "expected x-kubernetes-preserve-unknown-fields in the schema instead",
    );
  }
}

/** The path of a part of all versions: one path where it is equal in all of them. */
function placeOf<K extends keyof Version>(versions: readonly Version[], member: K): (i: number) => string {
  const NAMES: Partial<Record<keyof Version, string>> = { schema: "validation" };
  const [first] = versions;
  const alike = versions.every((version) => same(version[member], first![member]));
  return alike ? () => `spec.${NAMES[member] ?? member}` : (i) => `spec.versions[${i}].${member}`;
}

function* validateVersions(
  { versions: sent }: Spec,
  old: Spec | undefined,
  checks: SchemaChecks,
  errors: FieldErrors,
): Steps<void> {
  const versions = sent ?? [];
  const place = {
    schema: placeOf(versions, "schema"),
    subresources: placeOf(versions, "subresources"),
    additionalPrinterColumns: placeOf(versions, "additionalPrinterColumns"),
    selectableFields: placeOf(versions, "selectableFields"),
  };
  // A fault at the common path is reported once.
  const once = new Set<string>();
  const at = (path: string, check: (path: string) => void): void => {
    if (!once.has(path)) check(path);
    once.add(path);
  };
  const before = new Map(old?.versions?.map(({ name, selectableFields }) => [name, selectableFields]));
  for (const [i, version] of versions.entries()) {
    check1035(`spec.versions[${i}].name`, version.name ?? "", errors);
    validateDeprecation(version, `spec.versions[${i}].deprecationWarning`, errors);
    at(place.subresources(i), (path) => validateScale(version, path, errors));
    at(place.additionalPrinterColumns(i), (path) => validateColumns(version, path, errors));
    at(place.selectableFields(i), (path) => validateSelectableFields(version, before.get(version.name), path, errors));
  }
  yield* validateSchemas(versions, place.schema, checks, errors);
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) errors.invalid("spec.versions", names, "expected each version once");
  const storing = versions.filter(({ storage }) => storage).map(({ name }) => name);
  if (storing.length !== 1)
    errors.invalid("spec.versions", storing, "expected one version in which objects are stored");
  // The first is also reported for the definition itself.
  if (names[0]) check1035("spec.version", names[0], errors);
}

/** A warning has 1 to 256 printable characters, and belongs to a deprecated version (CRD-9). */
function validateDeprecation(
  { deprecated, deprecationWarning: text }: Version,
  field: string,
  errors: FieldErrors,
): void {
  if (text === undefined || text === null) return;
  if (!deprecated) errors.invalid(field, text, "expected none: the version is not deprecated");
  if (text === "") errors.invalid(field, text, "expected a text");
  if (Buffer.byteLength(text) > 256) errors.invalid(field, text, "expected at most 256 bytes");
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(text)) errors.invalid(field, text, "expected printable characters only");
}

/** The requirements of every name. */
export function check1035(field: string, text: string, errors: FieldErrors, form: TextCheck = dns1035Label): void {
  const why = form(text);
  if (why !== undefined) errors.invalid(field, text, why);
}

function validateNames(names: Names | undefined, field: string, errors: FieldErrors): void {
  const check = (member: string, text: string | undefined): void => {
    if (text) check1035(`${field}.${member}`, text, errors);
  };
  const checkKind = (member: "kind" | "listKind"): void => {
    const text = names?.[member];
    const why = text ? dns1035Label(text.toLowerCase()) : undefined;
    if (why !== undefined) errors.invalid(`${field}.${member}`, text, `${why} (upper case is allowed)`);
  };
  check("plural", names?.plural);
  check("singular", names?.singular);
  checkKind("kind");
  checkKind("listKind");
  for (const [i, name] of (names?.shortNames ?? []).entries()) check1035(`${field}.shortNames[${i}]`, name, errors);
  if (names?.kind && names.kind === names.listKind) {
    errors.invalid(`${field}.listKind`, names.listKind, "expected another name than kind");
  }
  for (const [i, name] of (names?.categories ?? []).entries()) check1035(`${field}.categories[${i}]`, name, errors);
}

/** Paths to numbers of replicas begin below spec and status (CRD-35). */
function validateScale({ subresources }: Version, field: string, errors: FieldErrors): void {
  const scale = subresources?.scale;
  if (!scale) return;
  const check = (member: string, path: string | undefined, roots: readonly string[], needed: boolean): void => {
    const place = `${field}.scale.${member}`;
    if (!path) {
      if (needed) errors.required(place, "expected a path");
    } else if (!roots.some((root) => path.startsWith(`${root}.`))) {
      errors.invalid(place, path, `expected a path below ${roots.join(" or ")}`);
    }
  };
  check("specReplicasPath", scale.specReplicasPath, [".spec"], true);
  check("statusReplicasPath", scale.statusReplicasPath, [".status"], true);
  check("labelSelectorPath", scale.labelSelectorPath, [".spec", ".status"], false);
}

const COLUMN_TYPES = ["integer", "number", "string", "boolean", "date"];
const COLUMN_FORMATS = ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];

function validateColumns({ additionalPrinterColumns }: Version, field: string, errors: FieldErrors): void {
  for (const [i, { name, type, format, jsonPath }] of (additionalPrinterColumns ?? []).entries()) {
    const place = `${field}[${i}]`;
    if (!name) errors.required(`${place}.name`, "expected a name");
    if (!type) errors.required(`${place}.type`, `expected one of ${COLUMN_TYPES.join(", ")}`);
    else if (!COLUMN_TYPES.includes(type)) {
      errors.invalid(`${place}.type`, type, `expected one of ${COLUMN_TYPES.join(", ")}`);
    }
    if (format && !COLUMN_FORMATS.includes(format)) {
      errors.invalid(`${place}.format`, format, `expected one of ${COLUMN_FORMATS.join(", ")}`);
    }
    if (!jsonPath) errors.required(`${place}.JSONPath`, "expected a path");
    else if (!jsonPath.startsWith(".")) errors.invalid(`${place}.JSONPath`, jsonPath, 'expected it to begin with "."');
  }
}
