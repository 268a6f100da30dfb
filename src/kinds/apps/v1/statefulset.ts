/**
 * StatefulSet: Pods of one template that keep their names and their claims (KIND-StatefulSet-1..11). Nothing here makes a
 * Pod or a claim.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain, labelName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { LabelSelector } from "../../../schema/validation/label-selector.ts";
import { type PodTemplate, PodTemplates } from "../../core/v1/pod/template.ts";
import { type ClaimTemplate, ClaimTemplates } from "../../core/v1/claim-template.ts";
import {
  shareOf,
  validateAtMost,
  validateAtMostAll,
  validateNotLess,
  validateNotNegative,
  validateShare,
} from "../../rules/counts.ts";
import { scaleOf } from "../../autoscaling/v1/scale.ts";
import {
  Condition,
  counted,
  observed,
  readyColumn,
  selectorOf,
  templateOf,
  validateLasting,
  validateSelector,
  validateTemplate,
  workload,
} from "../../core/v1/workload.ts";
import { containerColumns } from "../../rules/template-columns.ts";

const UpdateStrategy = t.struct("How Pods of an old template are replaced.", {
  type: t.optional(t.text("RollingUpdate: one after the other, from the last. OnDelete: when they are deleted.")),
  rollingUpdate: t.pointer(
    t.struct("Which Pods, and how many at a time.", {
      partition: t.pointer(t.int32("Pods with a lower number keep the old template.")),
      maxUnavailable: t.pointer(t.intOrString("How many Pods may be missing, as a number or a percentage.")),
    }),
  ),
});

const RetentionPolicy = t.struct("Whether claims go with their Pods.", {
  whenDeleted: t.optional(t.text("Retain or Delete, when the set is deleted.")),
  whenScaled: t.optional(t.text("Retain or Delete, when there are to be fewer Pods.")),
});

const Status = t.struct("How many Pods there are.", {
  observedGeneration: observed,
  replicas: t.required(t.int32("Pods that there are.")),
  readyReplicas: counted("Pods that are ready."),
  currentReplicas: counted("Pods of the revision before."),
  updatedReplicas: counted("Pods of the present revision."),
  currentRevision: t.optional(t.text("The revision before.")),
  updateRevision: t.optional(t.text("The present revision.")),
  collisionCount: t.pointer(t.int32("How often a name of a revision was taken.")),
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the set.")),
  availableReplicas: t.always(t.int32("Pods that have been ready for long enough.")),
});

const specSchema = (ctx: ApiContext) =>
  t.struct("The desired state.", {
    replicas: t.pointer(t.int32("The desired number of Pods; 1 by default.")),
    selector: t.requiredOrNull(LabelSelector),
    template: t.required(PodTemplates.of(ctx).schema),
    volumeClaimTemplates: t.optional(t.atomicList(ClaimTemplates.schema, "The claims that each Pod has of its own.")),
    serviceName: t.always(t.text("The service that gives the Pods their names.")),
    podManagementPolicy: t.optional(
      t.text("OrderedReady: one Pod after the other. Parallel: all at once.", { default: "OrderedReady" }),
    ),
    updateStrategy: t.always(UpdateStrategy),
    revisionHistoryLimit: t.pointer(t.int32("How many old revisions are kept; 10 by default.")),
    minReadySeconds: t.optional(t.int32("How long a Pod must be ready before it counts as available.")),
    persistentVolumeClaimRetentionPolicy: t.pointer(RetentionPolicy),
    ordinals: t.pointer(
      t.struct("The numbers of the Pods.", { start: t.always(t.int32("The number of the first Pod.")) }),
    ),
  });

const schemaOf = (spec: ReturnType<typeof specSchema>) =>
  objectSchema("Pods of one template that keep their names and their claims.", {
    spec: t.always(spec),
    status: t.always(Status),
  });

type StatefulSet = ObjectOf<ReturnType<typeof schemaOf>>;

function setDefaults({ spec }: StatefulSet): void {
  spec.replicas ??= 1;
  spec.podManagementPolicy ||= "OrderedReady";
  const { updateStrategy } = spec;
  // Defaults depend on an unset type only.
  if (!updateStrategy.type) {
    updateStrategy.type = "RollingUpdate";
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === "RollingUpdate" && updateStrategy.rollingUpdate) {
    updateStrategy.rollingUpdate.partition ??= 0;
    updateStrategy.rollingUpdate.maxUnavailable ??= 1;
  }
  spec.revisionHistoryLimit ??= 10;
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  for (const claim of spec.volumeClaimTemplates ?? []) ClaimTemplates.setDefaults(claim);
}

function validateUpdateStrategy(
  { type, rollingUpdate }: StatefulSet["spec"]["updateStrategy"],
  errors: FieldErrors,
): void {
  const at = "spec.updateStrategy";
  if (type === "OnDelete") {
    if (rollingUpdate)
      errors.invalid(`${at}.rollingUpdate`, rollingUpdate, "expected none together with the type OnDelete");
    return;
  }
  if (type !== "RollingUpdate") return errors.invalid(at, type, "expected the type OnDelete or RollingUpdate");
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  if (partition !== undefined) validateNotNegative({ partition }, ["partition"], `${at}.rollingUpdate`, errors);
  if (maxUnavailable === undefined) return;
  const field = `${at}.rollingUpdate.maxUnavailable`;
  validateShare(maxUnavailable, field, errors);
  if (shareOf(maxUnavailable) === 0) errors.invalid(field, maxUnavailable, "expected more than 0");
  validateAtMostAll(maxUnavailable, field, errors);
}

const POLICIES = ["Delete", "Retain"];

function validate(
  object: StatefulSet,
  isNew: boolean,
  templates: PodTemplates,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const { spec } = object;
  const { podManagementPolicy, persistentVolumeClaimRetentionPolicy: kept = {}, serviceName, template } = spec;
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    errors.invalid("spec.podManagementPolicy", podManagementPolicy, "expected OrderedReady or Parallel");
  }
  validateUpdateStrategy(spec.updateStrategy, errors);
  for (const member of ["whenDeleted", "whenScaled"] as const) {
    const policy = kept[member] ?? "";
    const field = `spec.persistentVolumeClaimRetentionPolicy.${member}`;
    if (!POLICIES.includes(policy)) errors.notSupported(field, policy, POLICIES);
  }
  validateNotNegative(spec, ["replicas", "minReadySeconds"], "spec", errors);
  validateNotNegative(spec.ordinals ?? {}, ["start"], "spec.ordinals", errors);
  validateSelector(spec.selector, "spec.selector", errors);
  const claims = spec.volumeClaimTemplates ?? [];
  // Immutable members were validated on create.
  if (isNew) {
    const rule = ctx.dialect.rules.enforceUndocumented ? dnsLabel : dnsSubdomain;
    const wrong = serviceName ? rule(serviceName) : undefined;
    if (wrong !== undefined) errors.invalid("spec.serviceName", serviceName, wrong);
    ClaimTemplates.validate(claims, "spec.volumeClaimTemplates", errors, ctx);
  }
  const judged = validateTemplate({ ...spec, template: ofOnePod(template, claims) }, templates, errors, ctx);
  if (!judged) validateLasting(template, "spec.template", errors);
}

/** The template without the host name of each Pod, and with claims in place of volumes. */
function ofOnePod(template: PodTemplate, claims: readonly ClaimTemplate[]): PodTemplate {
  const { hostname, subdomain, ...spec } = template.spec;
  if (claims.length === 0) return hostname || subdomain ? { ...template, spec } : template;
  const own = ClaimTemplates.volumes(claims);
  const others = (spec.volumes ?? []).filter(({ name }) => !own.has(name));
  return { ...template, spec: { ...spec, volumes: [...own.values(), ...others] } };
}

/** The members of the spec that may change (KIND-StatefulSet-5). */
const MAY_CHANGE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;

function validateChange(schema: t.TSchema, object: StatefulSet, old: StatefulSet, errors: FieldErrors): void {
  const now: Partial<StatefulSet["spec"]> = { ...object.spec };
  const before: typeof now = { ...old.spec };
  for (const member of MAY_CHANGE) {
    delete now[member];
    delete before[member];
  }
  if (sameMeaning(schema, now, before)) return;
  errors.forbidden("spec", `expected changes of ${MAY_CHANGE.join(", ")} only`);
}

function validateStatus({ status }: StatefulSet, { status: before }: StatefulSet, errors: FieldErrors): void {
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"] as const;
  validateNotNegative(status, ["replicas", ...parts, "observedGeneration", "collisionCount"], "status", errors);
  validateNotLess(status.collisionCount, before.collisionCount, "status.collisionCount", errors);
  const pairs = parts.map((part) => [part, "replicas"] as const);
  validateAtMost(status, [...pairs, ["availableReplicas", "readyReplicas"]], "status", errors);
}

const columns: readonly Column<StatefulSet>[] = [readyColumn, ageColumn, ...containerColumns(templateOf)];

/** The definition of StatefulSet. */
export function statefulSet(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  const spec = specSchema(ctx);
  return defineResource(
    objectSchema("Pods of one template that keep their names and their claims.", {
      spec: t.always(spec),
      status: t.always(Status),
    }),
    {
      group: "apps",
      version: "v1",
      kind: "StatefulSet",
      plural: "statefulsets",
      shortNames: ["sts"],
      categories: ["all"],
      scope: "Namespaced",
      nameRule: labelName,
      ...workload<StatefulSet>(templates, {
        setDefaults,
        validate: (object, errors, write, old) => validate(object, !old, templates, errors, write),
        validateChange: (object, old, errors) => validateChange(spec, object, old, errors),
        firstStatus: { replicas: 0, availableReplicas: 0 },
        validateStatus,
        *warnings(object) {
          const { volumeClaimTemplates: claims = [], revisionHistoryLimit: kept = 0 } = object.spec;
          for (const [i, claim] of claims.entries()) {
            yield* ClaimTemplates.warnings(claim, `spec.volumeClaimTemplates[${i}]`);
          }
          if (kept < 0) yield "spec.revisionHistoryLimit: a negative number keeps all old revisions";
        },
        subresources: { scale: scaleOf<StatefulSet>(selectorOf) },
      }),
      columns,
    },
  );
}
