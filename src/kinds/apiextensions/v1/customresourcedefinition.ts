/**
 * CustomResourceDefinition: a kind that users define, as data (CRD-1..15, 24, 34, 35).
 * Other rooms act on a definition (accept names, serve kinds, delete objects); this file has its form.
 *
 * @module
 */
import { dnsSubdomain } from "../../../meta/names.ts";
import { formatTime } from "../../../meta/time.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { Column, ResourceDefinition } from "../../../schema/definition.ts";
import { unknownFormatWarnings } from "../../../schema/structural/unknown-formats.ts";
import { runRules } from "../../../schema/write/run-rules.ts";
import { siblingModule } from "../../../util/worker-threads.ts";
import type { Value } from "../../../value/value.ts";
import { keepAllButStatus } from "../../rules/status.ts";
import { CLEANUP, type Condition, type CustomResourceDefinition, definitionSchema } from "./definition.ts";
import type { DefinitionTask } from "./rules-job.ts";
import { validateDefinition, validateStatus } from "./rules.ts";

const createdAt: Column = {
  name: "Created At",
  type: "date",
  description: "When the definition was created.",
  cell: (object) => object.metadata.creationTimestamp ?? null,
};

const RULES = siblingModule(import.meta.url, "rules-job");
/** Definitions wait for one another. */
const DEFINITIONS = {};

const terminating = (now: number): Condition => ({
  type: "Terminating",
  status: "True",
  lastTransitionTime: formatTime(now),
  reason: "InstanceDeletionPending",
  message: "the definition is to be deleted, its objects are deleted first",
});

/** The storage version: the first with `storage`. */
const storingVersion = ({ versions }: CustomResourceDefinition["spec"]) => versions?.find(({ storage }) => storage);

/** Defaults that depend on other members (CRD-3); any member may be missing. */
function setDefaults({ spec, status }: CustomResourceDefinition): void {
  const { names, conversion } = spec;
  if (names.kind) {
    names.singular ||= names.kind.toLowerCase();
    names.listKind ||= `${names.kind}List`;
  }
  if (!conversion) spec.conversion = { strategy: "None" };
  const service = conversion?.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
  const storing = storingVersion(spec);
  if (storing && !status.storedVersions?.length) status.storedVersions = [storing.name];
}

const schemasOf = ({ spec }: CustomResourceDefinition): (Value | undefined)[] =>
  spec.versions.map(({ schema }) => schema?.openAPIV3Schema as Value | undefined);

/** CustomResourceDefinition (CRD-1). Its group has the same name in every dialect. */
export const customResourceDefinition = (): ResourceDefinition =>
  defineResource(definitionSchema, {
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    scope: "Cluster",
    bareFinalizers: true,
    description: "A kind that is served like the built-in ones, as long as its definition exists.",
    deleteReturns: "object",
    generation: "fromOne",
    versionedUpdate: true,
    resetFields: ["status"],
    columns: [createdAt],
    nameRule: (name) => dnsSubdomain(name) ?? true,
    defaults: setDefaults,
    prepareForCreate(object) {
      const { spec } = object;
      const storing = storingVersion(spec);
      const storedVersions = storing ? [storing.name] : [];
      object.status = { conditions: null as never, acceptedNames: { plural: "", kind: "" }, storedVersions };
    },
    prepareForUpdate(object, old) {
      const { status } = old;
      const stored = status.storedVersions ?? [];
      const storing = storingVersion(object.spec);
      const isNew = storing !== undefined && !stored.includes(storing.name);
      object.status = isNew ? { ...status, storedVersions: [...stored, storing.name] } : status;
    },
    warnings: (object, old) => unknownFormatWarnings(schemasOf(object), old ? schemasOf(old) : []),
    *validateInSteps(object, old, subresource, errors, ctx) {
      if (subresource === "status") return validateStatus(object, errors);
      const input = (): DefinitionTask => ({
        dialect: ctx.dialect.name,
        definition: Buffer.from(JSON.stringify(object)),
        old: old && Buffer.from(JSON.stringify(old)),
      });
      const rules = () => validateDefinition(object, old, errors, ctx.dialect);
      return yield* runRules(rules, { module: RULES, input, sender: DEFINITIONS }, errors, ctx);
    },
    beginDelete(object, ctx) {
      const { metadata, status } = object;
      if (!metadata.finalizers?.includes(CLEANUP)) metadata.finalizers = [...(metadata.finalizers ?? []), CLEANUP];
      const conditions = (status.conditions ?? []).filter(({ type }) => type !== "Terminating");
      object.status = { ...status, conditions: [...conditions, terminating(ctx.clock.now())] };
    },
    subresources: {
      status: {
        verbs: ["get", "patch", "update"],
        resetFields: ["metadata", "spec"],
        prepareForUpdate: keepAllButStatus,
      },
    },
  });
