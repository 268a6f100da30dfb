/** Builds the served resource of a definition: each version is a kind like any other (CRD-20, CRD-26, CRD-30..36). */
import type { Names, Version } from "../kinds/apiextensions/v1/definition.ts";
import type { ResourceSpec, UncheckedConverter } from "../registry/index.ts";
import type { ApiObject, ResourceDefinition, SubresourceRules, WriteRules } from "../schema/definition.ts";
import { columnsOf } from "../schema/structural/columns.ts";
import { customObjectSchema } from "../schema/structural/object-schema.ts";
import { publishedSchema } from "../schema/structural/publish.ts";
import { selectableFieldsOf } from "../schema/structural/selectable.ts";
import { structuralWalker } from "../schema/structural/walker.ts";
import { runRules } from "../schema/write/run-rules.ts";
import { siblingModule } from "../util/worker-threads.ts";
import type { Steps } from "../util/steps.ts";
import { apiVersionOf, compareVersions } from "../meta/versions.ts";
import { equal } from "../value/value.ts";
import type { Dialect } from "../meta/dialect.ts";
import { finalizerWarnings } from "../meta/object-meta-rules.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { objectValidatorOf } from "./object-validator.ts";
import { type ValidationTask, validationTask } from "./validation-job.ts";
import type { CustomResourceDefinition } from "./object.ts";
import { scaleOf, validateReplicas } from "./scale.ts";

/** A definition with the names that its kind has. */
type AcceptedDefinition = CustomResourceDefinition & { readonly status: { readonly acceptedNames: Names } };

/** A custom kind. */
export interface CustomKind {
  /** `plural.group`. */
  readonly key: string;
  readonly spec: ResourceSpec;
  /** The schemas by version. */
  readonly schemas: ReadonlyMap<string, Structural>;
}

/**
 * Builds the kind of a definition with its accepted names, in steps: a definition may have ten thousand versions.
 * Schemas that equal those of `before` are reused with what was compiled from them.
 */
export function* customKind(
  definition: AcceptedDefinition,
  converter: UncheckedConverter,
  dialect: Dialect,
  before: CustomKind | undefined,
): Steps<CustomKind> {
  const { group, versions } = definition.spec;
  const { plural } = definition.status.acceptedNames;
  const best = recommendedVersion(versions);
  const schemas = new Map<string, Structural>();
  const definitions: ResourceDefinition[] = [];
  for (const version of versions) {
    const schema = schemaOf(version, before);
    schemas.set(version.name, schema);
    definitions.push(versionOf(definition, version, schema, dialect, best));
    yield;
  }
  const storage = definitions[versions.findIndex((version) => version.storage)]!;
  return {
    key: `${plural}.${group}`,
    spec: { versions: definitions, storage, converter },
    schemas,
  };
}

function schemaOf({ name, schema }: Version, before: CustomKind | undefined): Structural {
  const own = (schema?.openAPIV3Schema as Structural | undefined) ?? ANY_OBJECT;
  const known = before?.schemas.get(name);
  return known && equal(known, own) ? known : own;
}

/** The schema of a version without one. */
const ANY_OBJECT: Structural = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function versionOf(
  { spec, status }: AcceptedDefinition,
  version: Version,
  schema: Structural,
  dialect: Dialect,
  best: string | undefined,
): ResourceDefinition {
  const { group, scope } = spec;
  const { acceptedNames: names } = status;
  const { subresources = {} } = version;
  const hasStatus = subresources.status !== undefined;
  const judge = objectValidatorOf(schema, dialect);
  const { description } = schema;
  const scale = subresources.scale && scaleOf(subresources.scale);
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: scope === "Cluster" ? scope : "Namespaced",
    description: description ?? "",
    schema: customObjectSchema(schema),
    walker: () => structuralWalker(schema, dialect),
    published: publishedSchema(schema),
    verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
    patches: ["json", "merge", "apply"],
    served: version.served,
    ...(version.deprecated ? { deprecated: deprecationOf(group, version, names.kind, best) } : {}),
    untyped: true,
    deleteReturns: "status",
    generation: "fromOne",
    versionedUpdate: true,
    counts: (object, old) => !equalExcept(hasStatus ? NOT_COUNTED_WITH_STATUS : NOT_COUNTED, object, old),
    ...(hasStatus ? keepingStatus((object) => structuralWalker(schema, dialect).applyDefaults(object)) : {}),
    warnings: ({ metadata }, old) => (metadata.finalizers ? finalizerWarnings(metadata, old?.metadata) : []),
    *validateInSteps(object, old, _subresource, errors, ctx) {
      const input = (): ValidationTask => validationTask(schema, dialect, object, old);
      const rules = () => judge(object, old, errors);
      const rest = yield* runRules(rules, { module: VALIDATION_JOB, input, sender: schema }, errors, ctx);
      const end = (): void => {
        if (subresources.scale) validateReplicas(subresources.scale, object, errors);
      };
      return rest ? rest.then(end) : end();
    },
    subresources: {
      ...(hasStatus ? { status: STATUS } : {}),
      ...(scale ? { scale } : {}),
    },
    selectableFields: selectableFieldsOf(version.selectableFields ?? []),
    columns: columnsOf(version.additionalPrinterColumns ?? []),
  };
}

const VALIDATION_JOB = siblingModule(import.meta.url, "validation-job");

/** Changes of these fields do not increment the generation (CRD-36). */
const NOT_COUNTED: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const NOT_COUNTED_WITH_STATUS: ReadonlySet<string> = new Set([...NOT_COUNTED, "status"]);

function equalExcept(members: ReadonlySet<string>, a: ApiObject, b: ApiObject): boolean {
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!members.has(name) && !equal(a[name], b[name])) return false;
  }
  return true;
}

/**
 * The rules of the main resource where there is a status subresource: a sent status is ignored, its defaults are set
 * (CRD-36).
 */
const keepingStatus = (
  fill: (object: ApiObject) => void,
): WriteRules & Pick<ResourceDefinition, "prepareForCreate"> => ({
  prepareForCreate(object) {
    delete object["status"];
    fill(object);
  },
  prepareForUpdate(object, old) {
    if (old["status"] === undefined) delete object["status"];
    else object["status"] = old["status"];
    fill(object);
  },
  resetFields: ["status"],
});

/** The status subresource: it changes only the status and managedFields. */
const STATUS: SubresourceRules = {
  verbs: ["get", "patch", "update"],
  resetFields: ["spec"],
  prepareForUpdate(object, old) {
    const { status } = object;
    const { managedFields } = object.metadata;
    for (const member of Object.keys(object)) delete object[member];
    Object.assign(object, old, status === undefined ? {} : { status });
    if (status === undefined) delete object["status"];
    object.metadata = { ...old.metadata };
    if (managedFields) object.metadata.managedFields = managedFields;
    else delete object.metadata.managedFields;
  },
};

/** The version to recommend to users of deprecated ones: the first that is served and not deprecated. */
function recommendedVersion(versions: readonly Version[]): string | undefined {
  let best: string | undefined;
  for (const { served, deprecated, name } of versions) {
    if (served && !deprecated && (best === undefined || compareVersions(name, best) < 0)) best = name;
  }
  return best;
}

/** The warning of a deprecated version, with a newer one where there is any (CRD-9). */
function deprecationOf(group: string, version: Version, kind: string, best: string | undefined): string {
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const isBetter = best !== undefined && compareVersions(best, version.name) < 0;
  const instead = isBetter ? `; use ${apiVersionOf(group, best)} ${kind}` : "";
  return `${apiVersionOf(group, version.name)} ${kind} is deprecated${instead}`;
}
