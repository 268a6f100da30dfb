/**
 * The request for the volume of a claim, and the volume that is stored afterwards.
 *
 * @module
 */
import type { NewObject } from "../../client/index.ts";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../client/kinds/index.ts";
import { classOf, requestOf } from "../../claims/fit.ts";
import type { CommonContext } from "../../runtime/definition.ts";
import { bytesOf, quantityOf } from "../bytes.ts";
import type { ContentSource, CreateVolume, CreatedVolume, Texts, TopologyRequirement } from "../contract.ts";
import { SECRET_PURPOSES, forDriver, fsTypeOf } from "../parameters.ts";
import { ParameterError, type SecretRef, type TemplateValues, credentials, secretFor } from "../secrets.ts";
import type { Sidecar } from "../sidecar.ts";
import { useOf } from "../volume-use.ts";
import { affinityOf, requirementFor } from "./topology.ts";

/** A request, and members of the future volume that the driver does not know. */
export interface Prepared {
  readonly request: CreateVolume;
  readonly fsType: string;
  readonly refs: ReadonlyMap<Purpose, SecretRef>;
  readonly storageClass: StorageClass;
}

type Purpose = keyof typeof SECRET_PURPOSES;

/** The name of the volume of a claim, for the driver and for the server. */
export const volumeNameOf = ({ metadata }: PersistentVolumeClaim, { settings }: Sidecar): string =>
  `${settings.volumeNamePrefix ?? "pvc"}-${metadata.uid}`;

/** A claim with its class, and the source of its content. */
export interface RequestedVolume {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly content: ContentSource | undefined;
}

/**
 * The request for a volume.
 *
 * @throws ParameterError, TopologyError; StatusError where a Secret or a class does not exist
 */
export async function prepare(
  ctx: Pick<CommonContext, "client" | "informer">,
  sidecar: Sidecar,
  { claim, storageClass, content }: RequestedVolume,
): Promise<Prepared> {
  const { names, settings, driver } = sidecar;
  const { parameters = {}, mountOptions = [] } = storageClass;
  const { selector, accessModes = [], volumeMode } = claim.spec;
  if (selector) throw new ParameterError("claim Selector is not supported");
  const name = volumeNameOf(claim, sidecar);
  const fsType = fsTypeOf(parameters, names.parameters) || (settings.defaultFsType ?? "");
  const refs = secretsOf(parameters, templateValues(claim, name), names.parameters);
  const own = forDriver(parameters, names.parameters, "storage");
  const topology = topologyOf(ctx, sidecar, claim, storageClass);
  const request: CreateVolume = {
    name,
    capacityRange: { requiredBytes: bytesOf(requestOf(claim)) },
    volumeCapabilities: accessModes.map((mode) =>
      useOf({ accessModes: [mode], volumeMode, fsType, mountOptions }, driver),
    ),
    parameters: settings.extraCreateMetadata ? { ...own, ...metadataOf(claim, name, names.parameters) } : own,
    secrets: await credentials(ctx.client, refs.get("provisioner")),
    ...(content ? { volumeContentSource: content } : {}),
    ...(topology ? { accessibilityRequirements: topology } : {}),
    mutableParameters: await attributesOf(ctx, sidecar, claim),
  };
  return { request, fsType, refs, storageClass };
}

const metadataOf = ({ metadata }: PersistentVolumeClaim, volume: string, prefix: string): Texts => ({
  [`${prefix}pvc/name`]: metadata.name,
  [`${prefix}pvc/namespace`]: metadata.namespace ?? "",
  [`${prefix}pv/name`]: volume,
});

/** The values of variables in the names of Secrets. */
export function templateValues({ metadata }: Pick<PersistentVolumeClaim, "metadata">, volume: string): TemplateValues {
  const { name, namespace = "", annotations = {} } = metadata;
  const inNamespace = { "pv.name": volume, "pvc.namespace": namespace };
  const annotated = Object.entries(annotations).map(([key, value]) => [`pvc.annotations['${key}']`, value] as const);
  return { inNamespace, inName: { ...inNamespace, "pvc.name": name, ...Object.fromEntries(annotated) } };
}

function secretsOf(parameters: Texts, values: TemplateValues, prefix: string): ReadonlyMap<Purpose, SecretRef> {
  const refs = new Map<Purpose, SecretRef>();
  for (const [purpose, older] of Object.entries(SECRET_PURPOSES) as [Purpose, [string, string] | undefined][]) {
    const ref = secretFor(purpose, parameters, values, { prefix, older });
    if (ref) refs.set(purpose, ref);
  }
  return refs;
}

function topologyOf(
  { informer }: Pick<CommonContext, "informer">,
  { driver, specs, settings, names }: Sidecar,
  claim: PersistentVolumeClaim,
  { allowedTopologies: allowed }: StorageClass,
): TopologyRequirement | undefined {
  if (!driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS")) return undefined;
  return requirementFor({
    driver: driver.name,
    claim: claim.metadata.name,
    allowed,
    selectedNode: claim.metadata.annotations?.[names.selectedNode] || undefined,
    isStrict: settings.strictTopology === true,
    hasImmediate: settings.immediateTopology !== false,
    nodes: informer(specs.nodes).list(),
    csiNodes: informer(specs.csiNodes).list(),
  });
}

/** The parameters of the attributes class of a claim (PVC-12). */
async function attributesOf(
  { client }: Pick<CommonContext, "client">,
  { driver, kinds }: Sidecar,
  { spec }: PersistentVolumeClaim,
): Promise<Texts> {
  const { volumeAttributesClassName: name } = spec;
  if (!name) return {};
  if (!driver.abilities.has("MODIFY_VOLUME")) {
    throw new ParameterError(
      "CSI driver does not support VolumeAttributesClass: controller MODIFY_VOLUME capability is not reported",
    );
  }
  const found = await client.resource(kinds.attributesClass).find({ name });
  if (!found) throw new ParameterError(`VAC ${name} referenced in PVC does not exist`);
  const { driverName, parameters = {} } = found;
  if (driverName === driver.name) return parameters;
  throw new ParameterError(
    `VAC ${name} referenced in PVC is for driver ${driverName} which does not match driver name ${driver.name}`,
  );
}

/** The volume of a claim as it is stored (CTL-PROV-3, CTL-PROV-10, SC-9, SC-12). */
export function volumeOf(
  sidecar: Sidecar,
  claim: PersistentVolumeClaim,
  prepared: Prepared,
  created: CreatedVolume,
): NewObject<PersistentVolume> {
  const { names, driver } = sidecar;
  const { storageClass, request } = prepared;
  const { accessModes = [], volumeMode, volumeAttributesClassName: attributes } = claim.spec;
  const { apiVersion, kind, metadata } = claim;
  const { name, namespace, uid, resourceVersion } = metadata;
  const nodeAffinity = driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS")
    ? affinityOf(created.accessibleTopology)
    : undefined;
  const bytes = created.capacityBytes > 0n ? created.capacityBytes : request.capacityRange.requiredBytes;
  return {
    metadata: {
      name: request.name,
      finalizers: [names.provisioned],
      annotations: { [names.provisionedBy]: storageClass.provisioner, ...secretAnnotations(sidecar, prepared.refs) },
    },
    spec: {
      capacity: { storage: quantityOf(bytes) },
      accessModes,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy,
      storageClassName: classOf(claim, names),
      ...(storageClass.mountOptions ? { mountOptions: storageClass.mountOptions } : {}),
      ...(volumeMode ? { volumeMode } : {}),
      ...(attributes ? { volumeAttributesClassName: attributes } : {}),
      ...(nodeAffinity ? { nodeAffinity } : {}),
      claimRef: { apiVersion, kind, name, namespace, uid, resourceVersion },
      csi: sourceOf(sidecar, claim, prepared, created),
    },
  } as NewObject<PersistentVolume>;
}

function sourceOf(
  { driver, names, settings }: Sidecar,
  { spec }: PersistentVolumeClaim,
  { fsType, refs }: Prepared,
  { volumeId, volumeContext }: CreatedVolume,
): object {
  const isOnlyRead = spec.accessModes?.length === 1 && spec.accessModes[0] === "ReadOnlyMany";
  const ref = (member: string, purpose: Purpose): object => (refs.has(purpose) ? { [member]: refs.get(purpose) } : {});
  return {
    driver: driver.name,
    volumeHandle: volumeId,
    volumeAttributes: { [names.identity]: settings.identity ?? driver.name, ...volumeContext },
    ...(spec.volumeMode !== "Block" && fsType ? { fsType } : {}),
    ...(isOnlyRead && settings.controllerPublishReadOnly ? { readOnly: true } : {}),
    ...ref("controllerPublishSecretRef", "controller-publish"),
    ...ref("nodeStageSecretRef", "node-stage"),
    ...ref("nodePublishSecretRef", "node-publish"),
    ...ref("controllerExpandSecretRef", "controller-expand"),
    ...ref("nodeExpandSecretRef", "node-expand"),
  };
}

/** Annotations for Secrets that a volume has no member for; those for deletion are always there, and may be empty. */
function secretAnnotations({ names }: Sidecar, refs: ReadonlyMap<Purpose, SecretRef>): Texts {
  const { name = "", namespace = "" } = refs.get("provisioner") ?? {};
  const modify = refs.get("controller-modify");
  return {
    [names.deletionSecret.name]: name,
    [names.deletionSecret.namespace]: namespace,
    ...(modify ? { [names.modifySecret.name]: modify.name, [names.modifySecret.namespace]: modify.namespace } : {}),
  };
}
