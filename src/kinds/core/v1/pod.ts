/**
 * Pod: containers that run together on a node, and the volumes that they share (SUP-5, doc 3 "Volume").
 *
 * Pods are not a resource of the documents, their volumes are: this file combines `pod/` and `volumes/`. Nothing
 * here runs a Pod.
 *
 * @module
 */
import { formatTime } from "../../../meta/time.ts";
import * as t from "../../../meta/types.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { eviction } from "../../policy/v1/eviction.ts";
import { binding } from "./binding.ts";
import { checkAnnotations, checkKeptAnnotations } from "./pod/annotation-rules.ts";
import { podColumns } from "./pod/columns.ts";
import { type Pod, defaultPod } from "./pod/defaults.ts";
import { ephemeralRules } from "./pod/ephemeral.ts";
import { dropGatedMembers, dropGatedStatus } from "./pod/gated-fields.ts";
import { checkSameProfiles, syncProfiles } from "./pod/profile-annotations.ts";
import { qosClass } from "./pod/qos.ts";
import { applyLabelKeys } from "./pod/label-keys.ts";
import { statusAddressWarnings, validatePodStatus } from "./pod/status-rules.ts";
import { resize } from "./pod/resize.ts";
import { PodTemplates } from "./pod/template.ts";
import { validatePodSpec } from "./pod/spec-rules.ts";
import { PodStatusSchema } from "./pod/status-schema.ts";
import { validatePodChange } from "./pod/update-rules.ts";
import { validateTokens } from "./pod/volumes.ts";
import { nameWarnings, podWarnings } from "./pod/warnings.ts";
import { podWays } from "./pod/connectors.ts";
import { type Source, inlineSources } from "./volumes/sources.ts";

/** A new Pod is pending; scheduling gates add a condition. */
function firstStatus({ spec }: Pod, { clock }: ApiContext): Pod["status"] {
  const status: Pod["status"] = { phase: "Pending", qosClass: qosClass(spec) };
  if ((spec.schedulingGates ?? []).length === 0) return status;
  const gated = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: formatTime(clock.now()),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { ...status, conditions: [gated] };
}

function validate(object: Pod, sources: readonly Source[], errors: FieldErrors, ctx: WriteContext): void {
  const { spec, metadata } = object;
  if (metadata.annotations) checkAnnotations(metadata.annotations, spec, "metadata.annotations", errors, ctx);
  validatePodSpec(object, sources, errors, ctx);
  if (ctx.dialect.rules.enforceUndocumented && !spec.serviceAccountName) validateTokens(spec.volumes ?? [], errors);
}

/** A node agent writes the status; the spec, the owners, the deletion and the quality of service are kept. */
function prepareStatus(object: Pod, old: Pod): void {
  const stored = old;
  const { metadata, status } = object;
  object["spec"] = stored.spec;
  const { ownerReferences, deletionTimestamp } = stored.metadata;
  if (ownerReferences) metadata.ownerReferences = ownerReferences;
  else delete metadata.ownerReferences;
  if (deletionTimestamp) metadata.deletionTimestamp = deletionTimestamp;
  else delete metadata.deletionTimestamp;
  if (!status.qosClass && stored.status?.qosClass) status.qosClass = stored.status.qosClass;
  if (!status.observedGeneration && stored.status?.observedGeneration) {
    status.observedGeneration = stored.status.observedGeneration;
  }
  keepObserved(status.conditions ?? [], stored.status?.conditions ?? []);
  dropGatedStatus(status, stored.status);
}

type Conditions = NonNullable<Pod["status"]["conditions"]>;

/** A condition without an observed generation keeps its previous one; further conditions of a type keep that of the first. */
function keepObserved(conditions: Conditions, before: Conditions): void {
  if (before.every(({ observedGeneration }) => !observedGeneration)) return;
  const said = Map.groupBy(before, ({ type }) => type);
  const met = new Map<string, number>();
  for (const condition of conditions) {
    const at = met.get(condition.type) ?? 0;
    met.set(condition.type, at + 1);
    const observed = said.get(condition.type)?.[at]?.observedGeneration;
    if (observed && !condition.observedGeneration) condition.observedGeneration = observed;
  }
}

const DONE = ["Succeeded", "Failed"];

/** A Pod on a node gets a grace period, others are removed at once (SUP-5). */
function gracePeriod(object: Pod, requested: number | undefined): number {
  const { spec, status } = object;
  if (!spec.nodeName || DONE.includes(status?.phase ?? "")) return 0;
  const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** Members by which pods are selected (DEC-25). */
const selectableFields: Readonly<Record<string, (pod: Pod) => string>> = {
  "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
  // Its old name.
  "spec.host": ({ spec }) => spec.nodeName ?? "",
  "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
  "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
  "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
  "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
  "status.phase": ({ status }) => status.phase ?? "",
  "status.podIP": ({ status }) => status.podIP ?? "",
  "status.podIPs": ({ status }) => (status.podIPs ?? []).map(({ ip }) => ip).join(","),
  "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
};

/** The definition of Pod. */
export function pod(ctx: ApiContext): ResourceDefinition {
  const sources = inlineSources(ctx);
  const specSchema = PodTemplates.of(ctx).spec;
  return defineResource(
    objectSchema("Containers that run together on a node, and the volumes that they share.", {
      spec: t.always(specSchema),
      status: t.always(PodStatusSchema),
    }),
    {
      group: "",
      version: "v1",
      kind: "Pod",
      plural: "pods",
      shortNames: ["po"],
      categories: ["all"],
      scope: "Namespaced",
      deleteReturns: "object",
      generation: "fromOne",
      gracePeriod,
      resetFields: ["status"],
      selectableFields,
      defaults: (object, write) => defaultPod(object, sources, write),
      prepareForCreate(object, write) {
        const { spec } = object;
        dropGatedMembers(spec, undefined, write);
        applyLabelKeys(object);
        object["status"] = firstStatus(object, write);
        syncProfiles(object, write);
      },
      validate(object, errors, write) {
        validate(object, sources, errors, write);
        if (object.metadata.annotations) {
          checkSameProfiles(object.metadata.annotations, object.spec, errors, write);
        }
        const { ephemeralContainers = [], nodeName, schedulingGates = [] } = object.spec;
        if (ephemeralContainers.length > 0) {
          errors.forbidden("spec.ephemeralContainers", "expected none in a new Pod");
        }
        if (nodeName && schedulingGates.length > 0) {
          errors.forbidden("spec.nodeName", "expected none while there are schedulingGates");
        }
      },
      prepareForUpdate(object, old, write) {
        object["status"] = old["status"];
        dropGatedMembers(object.spec, old.spec, write);
      },
      validateUpdate(object, old, errors, write) {
        validate(object, sources, errors, write);
        checkKeptAnnotations(object.metadata.annotations, old.metadata.annotations, errors, write);
        validatePodChange(specSchema, object.spec, old.spec, errors);
      },
      // Updates come from programs, which would get the same warnings again and again.
      *warnings(object, old, write) {
        if (old) return;
        yield* nameWarnings(object.metadata.name);
        yield* podWarnings(object, sources, write);
      },
      subresources: {
        status: {
          verbs: ["get", "patch", "update"],
          resetFields: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
          prepareForUpdate: prepareStatus,
          validateUpdate(object, old, errors, write) {
            const { annotations } = object.metadata;
            checkKeptAnnotations(annotations, old.metadata.annotations, errors, write);
            if (annotations) checkAnnotations(annotations, object.spec, "metadata.annotations", errors, write);
            validatePodStatus(object, old, errors, write);
          },
          warnings: (object) => statusAddressWarnings(object.status),
        },
        ephemeralcontainers: ephemeralRules((object, _old, errors, write) => validate(object, sources, errors, write)),
        resize: resize(specSchema, (object, _old, errors, write) => validate(object, sources, errors, write)),
        binding: { verbs: ["create"], takes: binding },
        eviction: { verbs: ["create"], takes: eviction, takesAlso: ["policy/v1beta1"] },
      },
      connectors: podWays,
      columns: podColumns,
    },
  );
}
