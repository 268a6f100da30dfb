/**
 * PersistentVolumeSpec: what a volume is and how it may be used, in a PersistentVolume and inside a VolumeAttachment
 * (doc 3 "PersistentVolume", PV-2..21, DEC-44).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { VOLUME_MODES, checkAccessModes } from "./access-modes.ts";
import { checkClassName } from "./claim-spec.ts";
import { NodeSelector, validateNodeSelector } from "../../rules/node-selector.ts";
import { type Resources, checkPositive } from "../../rules/quantities.ts";
import { SourceCheck } from "./volumes/form.ts";
import { isRoot } from "./volumes/paths.ts";
import { GranularObjectReference } from "../../rules/references.ts";
import { type Source, sourceMembers, validateSource, volumeSources } from "./volumes/sources.ts";

const VolumeNodeAffinity = t.struct("Which nodes can reach the volume.", { required: t.pointer(NodeSelector) });

const Capacity = t.optional(t.map(t.quantity(), "The size of the volume: `storage`."));

const Members = {
  accessModes: t.optional(t.atomicList(t.text(), "How the volume can be mounted: `ReadWriteOnce`, `ReadOnlyMany` ...")),
  claimRef: t.pointer(GranularObjectReference),
  persistentVolumeReclaimPolicy: t.optional(
    t.text("What happens after the claim is deleted: `Retain`, `Delete`, or the deprecated `Recycle`."),
  ),
  storageClassName: t.optional(t.text("The class of the volume, empty for none.")),
  mountOptions: t.optional(t.atomicList(t.text(), "Options with which the volume is mounted; not checked.")),
  volumeMode: t.pointer(t.text("`Filesystem`, or `Block` for a raw device; a file system when unset.")),
  nodeAffinity: t.pointer(VolumeNodeAffinity),
  volumeAttributesClassName: t.pointer(t.text("The VolumeAttributesClass of the volume; not empty when set.")),
};

/** The spec of a volume in wire form. The dialect decides which sources there are. */
export type VolumeSpec = t.Static<t.Struct<typeof Members & { capacity: typeof Capacity }>> & {
  [source: string]: unknown;
};

const schemaOf = (sources: readonly Source[]): t.Of<VolumeSpec> =>
  t.struct("The source and the properties of a volume; exactly one source is set.", {
    capacity: Capacity,
    ...sourceMembers(sources),
    ...Members,
  }) as t.Of<VolumeSpec>;

/** The schema of a volume's spec in the dialect. */
export const persistentVolumeSpecSchema = (ctx: ApiContext): t.Of<VolumeSpec> => schemaOf(volumeSources(ctx));

const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];

/** All faults of the spec of the volume called `name`. */
export function validateVolumeSpec(
  spec: VolumeSpec,
  name: string,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
  sources: readonly Source[] = volumeSources(ctx),
): void {
  checkModes(spec, at, errors, ctx);
  checkCapacity(spec.capacity ?? {}, `${at}.capacity`, errors, ctx);
  const policy = spec.persistentVolumeReclaimPolicy;
  if (policy && !RECLAIM_POLICIES.includes(policy)) {
    errors.notSupported(`${at}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES);
  }
  const restricted = checkNodeAffinity(spec.nodeAffinity, `${at}.nodeAffinity`, errors, ctx);
  const source = validateSource(sources, spec, at, new SourceCheck(errors, ctx, name));
  if (ctx.dialect.rules.enforceUndocumented) checkTogether(spec, source, restricted, at, errors);
  checkClassName(`${at}.storageClassName`, spec.storageClassName, errors);
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode)) {
    errors.notSupported(`${at}.volumeMode`, spec.volumeMode, VOLUME_MODES);
  }
  checkAttributesClass(spec, at, errors, ctx);
}

function checkModes(spec: VolumeSpec, at: string, errors: FieldErrors, ctx: ApiContext): void {
  const modes = spec.accessModes ?? [];
  if (ctx.dialect.rules.requireUndocumented && modes.length === 0) errors.required(`${at}.accessModes`);
  checkAccessModes(`${at}.accessModes`, modes, errors);
}

/** Kubernetes requires `storage` and nothing else; sizes are always above 0 (DEC-44). */
function checkCapacity(capacity: Resources, at: string, errors: FieldErrors, ctx: ApiContext): void {
  const names = Object.keys(capacity);
  if (ctx.dialect.rules.requireUndocumented) {
    if (names.length === 0) errors.required(at);
    if (names.length !== 1 || names[0] !== "storage") errors.notSupported(at, capacity, ["storage"]);
  }
  for (const name of names) checkPositive(`${at}[${name}]`, capacity[name]!, errors);
}

/** Returns whether the volume is restricted to some nodes. */
function checkNodeAffinity(
  affinity: VolumeSpec["nodeAffinity"],
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): boolean {
  if (!affinity) return false;
  if (affinity.required) validateNodeSelector(affinity.required, `${at}.required`, errors);
  else if (ctx.dialect.rules.requireUndocumented) errors.required(`${at}.required`, "expected constraints on nodes");
  return true;
}

/** The cross-field rules of Kubernetes. */
function checkTogether(
  spec: VolumeSpec,
  source: string | undefined,
  restricted: boolean,
  at: string,
  errors: FieldErrors,
): void {
  if (source === "local" && !restricted) {
    errors.required(`${at}.nodeAffinity`, "expected the nodes that a local volume is on");
  }
  const path = (spec["hostPath"] as { path?: string } | undefined)?.path;
  if (path !== undefined && isRoot(path) && spec.persistentVolumeReclaimPolicy === "Recycle") {
    errors.forbidden(
      `${at}.persistentVolumeReclaimPolicy`,
      "expected another policy than Recycle for the root directory",
    );
  }
}

function checkAttributesClass(spec: VolumeSpec, at: string, errors: FieldErrors, ctx: ApiContext): void {
  const { volumeAttributesClassName: name } = spec;
  if (name === undefined) return;
  const field = `${at}.volumeAttributesClassName`;
  if (name === "") errors.required(field, "expected the name of a class, or no member");
  else checkClassName(field, name, errors);
  if (ctx.dialect.rules.enforceUndocumented && spec["csi"] === undefined) {
    errors.required(`${at}.csi`, "expected a csi source together with volumeAttributesClassName");
  }
}

/** Members that have no meaning for a volume without claims (DEC-44). */
const NOT_INLINE = ["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const;

/**
 * All faults of a spec inside a VolumeAttachment (VA-6, DEC-44): it is a converted inline volume, so it may have no members for claims;
 * Kubernetes accepts csi sources only.
 */
export function validateInlineVolumeSpec(spec: VolumeSpec, at: string, errors: FieldErrors, ctx: ApiContext): void {
  for (const member of NOT_INLINE) {
    const value = spec[member];
    if (value !== undefined && value !== "") errors.forbidden(`${at}.${member}`, "expected none in an inline volume");
  }
  checkModes(spec, at, errors, ctx);
  const sources = volumeSources(ctx);
  const source = validateSource(sources, spec, at, new SourceCheck(errors, ctx, ""));
  const { persistentVolumeReclaimPolicy: policy, volumeMode: mode } = spec;
  if (ctx.dialect.rules.enforceUndocumented) {
    checkTogether(spec, source, false, at, errors);
    if (spec["csi"] === undefined) errors.required(`${at}.csi`, "expected a csi source in an inline volume");
    if (policy && policy !== "Retain") {
      errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, "expected Retain or nothing in an inline volume");
    }
    if (mode !== undefined && mode !== "Filesystem") {
      errors.forbidden(`${at}.volumeMode`, "expected Filesystem or nothing in an inline volume");
    }
  } else {
    if (policy && !RECLAIM_POLICIES.includes(policy)) {
      errors.notSupported(`${at}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES);
    }
    if (mode !== undefined && !VOLUME_MODES.includes(mode)) errors.notSupported(`${at}.volumeMode`, mode, VOLUME_MODES);
    checkAttributesClass(spec, at, errors, ctx);
  }
}
