/**
 * PersistentVolumeClaimStatus: the progress of a claim, and the rules of a write to it (PVC-30..52, RSZ-1, DEC-42, DEC-56,
 * DEC-59).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { checkNotNegative } from "../../rules/quantities.ts";

const Condition = t.struct("One side of the state of a claim.", {
  type: t.required(t.text("The type of the condition, such as `Resizing` or `FileSystemResizePending`.")),
  status: t.required(t.text("Whether it holds: `True`, `False` or `Unknown`.")),
  lastProbeTime: t.nullable(t.time("When the condition was probed.")),
  lastTransitionTime: t.nullable(t.time("When the condition moved from one status to another.")),
  reason: t.optional(t.text("A short, machine-readable reason of the last transition.")),
  message: t.optional(t.text("Details of the last transition for people.")),
});

const ModifyVolumeStatus = t.struct("How far a change of the VolumeAttributesClass is.", {
  targetVolumeAttributesClassName: t.optional(t.text("The class that the claim is being reconciled to.")),
  status: t.required(
    t.text("`Pending` while a requirement is unmet, `InProgress`, or `Infeasible` when the driver refused the class."),
  ),
});

/** The schema of a claim's status. */
export const ClaimStatusSchema = t.struct("How far a claim is.", {
  phase: t.optional(t.text("`Pending`, `Bound`, or `Lost` when the volume is gone.", { default: "Pending" })),
  accessModes: t.optional(t.atomicList(t.text(), "How the volume can be mounted.")),
  capacity: t.optional(t.map(t.quantity(), "The actual resources of the volume.")),
  conditions: t.optional(
    t.keyedList(Condition, ["type"], "The sides of the claim's state; `Resizing` while it is resized."),
  ),
  allocatedResources: t.optional(
    t.map(
      t.quantity(),
      "The resources that are allocated to the claim, `storage` or names with a domain; may exceed the capacity.",
    ),
  ),
  allocatedResourceStatuses: t.optional(
    t.map(t.text(), "The state of a resize per resource; none when there is no resize."),
  ),
  currentVolumeAttributesClassName: t.pointer(t.text("The VolumeAttributesClass that the volume has.")),
  modifyVolumeStatus: t.pointer(ModifyVolumeStatus),
});

/** The status of a claim. */
export type ClaimStatus = t.Static<typeof ClaimStatusSchema>;

const PHASES = ["Bound", "Lost", "Pending"];
const CONDITION_STATUSES = ["False", "True", "Unknown"];
const MODIFY_STATUSES = ["InProgress", "Infeasible", "Pending"];
const RESIZING = ["ControllerResizeInProgress", "NodeResizeInProgress", "NodeResizePending"];

/** The documents have older names for what Kubernetes calls infeasible (AMB-47). */
const resizeStates = (ctx: ApiContext): readonly string[] => {
  const ending = ctx.dialect.rules.enforceDocumented ? "Failed" : "Infeasible";
  return [...RESIZING, `ControllerResize${ending}`, `NodeResize${ending}`];
};

/** Domains whose names only Kubernetes and the documents may give (PVC-37, DEC-61). */
const RESERVED_DOMAINS = ["svc.io", "kubernetes.io", "k8s.io"];

function isReserved(key: string, ctx: ApiContext): boolean {
  const slash = key.indexOf("/");
  if (slash < 0) return true;
  if (!ctx.dialect.rules.enforceDocumented) return key.includes("kubernetes.io/");
  const domain = key.slice(0, slash);
  return RESERVED_DOMAINS.some((reserved) => domain === reserved || domain.endsWith(`.${reserved}`));
}

/** `storage`, or a name with a domain that is not reserved (PVC-36, PVC-37). */
function checkResourceKey(field: string, key: string, errors: FieldErrors, ctx: ApiContext): boolean {
  const wrong = qualifiedName(key);
  if (wrong !== undefined) errors.invalid(field, key, wrong);
  else if (key !== "storage" && isReserved(key, ctx)) errors.notSupported(field, key, ["storage"]);
  else return true;
  return false;
}

/** All faults of a written status. */
export function validateClaimStatus(status: ClaimStatus, errors: FieldErrors, ctx: ApiContext): void {
  for (const [name, value] of Object.entries(status.capacity ?? {})) {
    checkNotNegative(`status.capacity[${name}]`, value, errors);
  }
  const states = resizeStates(ctx);
  for (const [key, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    checkResourceKey("status.allocatedResourceStatuses", key, errors, ctx);
    if (!states.includes(state)) errors.notSupported("status.allocatedResourceStatuses", state, states);
  }
  for (const [key, value] of Object.entries(status.allocatedResources ?? {})) {
    const known = checkResourceKey("status.allocatedResources", key, errors, ctx);
    if (known) checkNotNegative(`status.allocatedResources[${key}]`, value, errors);
  }
  if (ctx.dialect.rules.enforceDocumented) validateDocumented(status, errors);
}

/** The rules of the documents for a status that Kubernetes does not check (DEC-42, DEC-56, DEC-59, AMB-31, AMB-42). */
function validateDocumented(status: ClaimStatus, errors: FieldErrors): void {
  const { phase, conditions = [], modifyVolumeStatus } = status;
  if (phase && !PHASES.includes(phase)) errors.notSupported("status.phase", phase, PHASES);
  const types = new Set<string>();
  conditions.forEach((condition, i) => {
    const at = `status.conditions[${i}]`;
    if (!condition.type) errors.required(`${at}.type`);
    else if (types.has(condition.type)) errors.duplicate(`${at}.type`, condition.type);
    types.add(condition.type);
    if (!condition.status) errors.required(`${at}.status`);
    else if (!CONDITION_STATUSES.includes(condition.status)) {
      errors.notSupported(`${at}.status`, condition.status, CONDITION_STATUSES);
    }
  });
  if (!modifyVolumeStatus) return;
  const at = "status.modifyVolumeStatus.status";
  if (!modifyVolumeStatus.status) errors.required(at);
  else if (!MODIFY_STATUSES.includes(modifyVolumeStatus.status)) {
    errors.notSupported(at, modifyVolumeStatus.status, MODIFY_STATUSES);
  }
}
