/**
 * The rules of StorageVersionMigration that both versions share (SVM-1..15).
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dns1035Label, dnsSubdomain } from "../../meta/names.ts";
import { type Value, equal } from "../../value/value.ts";
import type { ApiContext, ApiObject, ResourceDefinition, WriteContext } from "../../schema/definition.ts";
import { textColumn } from "../../schema/columns.ts";
import { keepAllButStatus, keepStatus } from "../rules/status.ts";
import { type Condition, validateConditions } from "./conditions.ts";

/** The resource of a migration, in either version. */
export interface MigratedResource {
  readonly group?: string;
  readonly resource?: string;
  readonly version?: string;
}

/** The object for the rules, in any version. */
interface Migration extends ApiObject {
  spec: { resource?: MigratedResource };
  status?: { conditions?: readonly Condition[] | null; resourceVersion?: string };
}

/** The differences between the versions. */
export interface VersionRules {
  /** Whether `spec.resource` has a version, which then is required. */
  readonly versioned: boolean;
  /** The member with the time of a condition. */
  readonly time: string;
}

const resourceOf = (object: ApiObject): MigratedResource => (object as Migration).spec?.resource ?? {};

const VERSION = /^[1-9]\d*$/;

/** Checks the resource of a migration; `needsVersion` where the version must be named (DEC-55). */
function validateResource(object: ApiObject, needsVersion: boolean, errors: FieldErrors, ctx: ApiContext): void {
  const { group = "", resource = "", version = "" } = resourceOf(object);
  const field = "spec.resource";
  if (resource === "") errors.required(`${field}.resource`, "expected the plural name of a resource");
  if (version === "" && needsVersion) errors.required(`${field}.version`, "expected a version of the group");
  if (!ctx.dialect.rules.enforceUndocumented) return;
  const name = resource === "" ? undefined : dns1035Label(resource);
  if (name !== undefined) errors.invalid(`${field}.resource`, resource, name);
  const domain = group === "" ? undefined : dnsSubdomain(group);
  if (domain !== undefined) errors.invalid(`${field}.group`, group, domain);
}

/**
 * The resource is immutable (SVM-6). An object that was made in a version without `version` may get one, once: it is then the same
 * resource, named more exactly.
 */
function validateUnchanged(object: ApiObject, old: ApiObject, errors: FieldErrors, ctx: ApiContext): void {
  const now = resourceOf(object);
  const before = resourceOf(old);
  if (equal(identity(now, before.version), identity(before, before.version))) return;
  errors.invalid(ctx.dialect.rules.recordedCauseNames ? "spec" : "spec.resource", now, "field is immutable");
}

/** The members that identify the resource; its version only where the stored object has one. */
const identity = ({ group = "", version = "", resource = "" }: MigratedResource, stored: string | undefined): Value => [
  group,
  resource,
  stored ? version : "",
];

function validateStatus(object: ApiObject, old: ApiObject, time: string, errors: FieldErrors, ctx: ApiContext): void {
  const { conditions, resourceVersion = "" } = (object as Migration).status ?? {};
  const before = (old as Migration).status ?? {};
  validateConditions(conditions ?? [], before.conditions ?? [], time, errors, ctx);
  if (!ctx.dialect.rules.enforceUndocumented) return;
  const field = "status.resourceVersion";
  if (!VERSION.test(resourceVersion)) errors.invalid(field, resourceVersion, "expected a positive decimal number");
  if (before.resourceVersion && before.resourceVersion !== resourceVersion) {
    errors.invalid(field, resourceVersion, "field is immutable once it is set");
  }
}

const nameOf = textColumn("Name", "Name of the object.", (object) => object.metadata.name ?? "");

const resourceColumn = textColumn("Resource", "The resource to migrate, with its group.", (object) => {
  const { group, resource = "" } = resourceOf(object);
  return group ? `${resource}.${group}` : resource;
});

/** The last of the known conditions that is true, in the order in which they are listed. */
const statusColumn = textColumn("Status", "How far the migration is.", (object) => {
  const conditions = (object as Migration).status?.conditions ?? [];
  const outcome = conditions.findLast(({ type = "", status }) => status === "True" && OUTCOMES.includes(type));
  return outcome?.type ?? "Unknown";
});

const OUTCOMES = ["Running", "Succeeded", "Failed"];

/** The part of a definition that does not depend on its version. */
export function migrationRules(
  ctx: ApiContext,
  { versioned, time }: VersionRules,
): Omit<ResourceDefinition, "version" | "schema"> {
  return {
    group: `storagemigration.${ctx.dialect.domain}`,
    kind: "StorageVersionMigration",
    plural: "storageversionmigrations",
    singular: "storageversionmigration",
    scope: "Cluster",
    description: "A migration of the stored objects of one resource to the latest storage version.",
    served: ctx.gates.StorageVersionMigrator,
    deleteReturns: "status",
    versionedUpdate: true,
    resetFields: ["status"],
    columns: [nameOf, resourceColumn, statusColumn],
    prepareForCreate(object) {
      object["status"] = {};
    },
    validate: (object, errors) => validateResource(object, versioned, errors, ctx),
    prepareForUpdate: keepStatus,
    validateUpdate(object, old, errors) {
      validateResource(object, versioned && Boolean(resourceOf(old).version), errors, ctx);
      validateUnchanged(object, old, errors, ctx);
    },
    subresources: {
      status: {
        verbs: ["get", "patch", "update"],
        resetFields: ["metadata", "spec"],
        prepareForUpdate: keepAllButStatus,
        validateUpdate: (object: ApiObject, old: ApiObject, errors: FieldErrors, write: WriteContext) =>
          validateStatus(object, old, time, errors, write),
      },
    },
  };
}
