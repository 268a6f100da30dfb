/**
 * What a driver is asked for when a claim needs a volume, and what is known of that volume already.
 *
 * @module
 */
import type { NewObject } from "../../client/index.ts";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../client/kinds/index.ts";
import { classOf, requestOf } from "../../claims/fit.ts";
import type { CommonContext } from "../../runtime/definition.ts";
import { bytesOf, quantityOf } from "../bytes.ts";
import type { ContentSource, CreateVolume, CreatedVolume, PlaceWish, Texts } from "../contract.ts";
import { forDriver, fsTypeOf } from "../parameters.ts";
import { ParameterError, type SecretRef, type TemplateValues, credentials, secretFor } from "../secrets.ts";
import type { Sidecar } from "../sidecar.ts";
import { useOf } from "../volume-use.ts";
import { affinityOf, placesFor } from "./topology.ts";

/** A request, and what its volume will be beside what the driver answers. */
export interface Prepared {
  readonly request: CreateVolume;
  readonly fsType: string;
  readonly refs: ReadonlyMap<Purpose, SecretRef>;
  readonly storageClass: StorageClass;
}

type Purpose = keyof typeof OLDER;

/** What Secrets are for, with the parameters that once named them. */
const OLDER = {
  provisioner: ["csiProvisionerSecretName", "csiProvisionerSecretNamespace"],
  "controller-publish": ["csiControllerPublishSecretName", "csiControllerPublishSecretNamespace"],
  "node-stage": ["csiNodeStageSecretName", "csiNodeStageSecretNamespace"],
  "node-publish": ["csiNodePublishSecretName", "csiNodePublishSecretNamespace"],
  "controller-expand": undefined,
  "node-expand": undefined,
  "controller-modify": undefined,
} as const;

/** The name of the volume of a claim, for the driver and for the server. */
export const volumeNameOf = ({ metadata }: PersistentVolumeClaim, { settings }: Sidecar): string =>
  `${settings.volumeNamePrefix ?? "pvc"}-${metadata.uid}`;

/** What is asked for. */
export interface VolumeWish {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly content: ContentSource | undefined;
}

/**
 * What the driver is asked for.
 *
 * @throws ParameterError, PlaceError; StatusError where a Secret or a class is not there
 */
export async function prepare(
  ctx: Pick<CommonContext, "client" | "informer">,
  sidecar: Sidecar,
  { claim, storageClass, content }: VolumeWish,
): Promise<Prepared> {
  const { names, settings, driver } = sidecar;
  const { parameters = {} } = storageClass;
  if (claim.spec.selector)
    throw new ParameterError("expected no selector: volumes that are made for a claim have no labels");
  const name = volumeNameOf(claim, sidecar);
  const fsType = fsTypeOf(parameters, names.parameters) || (settings.defaultFsType ?? "");
  const refs = secretsOf(parameters, claim, { name, prefix: names.parameters });
  const told = forDriver(parameters, names.parameters, "storage");
  const places = placesOf(ctx, sidecar, claim, storageClass);
  const request: CreateVolume = {
    name,
    capacityRange: { requiredBytes: bytesOf(requestOf(claim)) },
    volumeCapabilities: (claim.spec.accessModes ?? []).map((mode) =>
      useOf(
        {
          accessModes: [mode],
          volumeMode: claim.spec.volumeMode,
          fsType,
          mountOptions: storageClass.mountOptions ?? [],
        },
        driver,
      ),
    ),
    parameters: settings.extraCreateMetadata ? { ...told, ...metadataOf(claim, name, names.parameters) } : told,
    secrets: await credentials(ctx.client, refs.get("provisioner")),
    ...(content ? { volumeContentSource: content } : {}),
    ...(places ? { accessibilityRequirements: places } : {}),
    mutableParameters: await attributesOf(ctx, sidecar, claim),
  };
  return { request, fsType, refs, storageClass };
}

const metadataOf = ({ metadata }: PersistentVolumeClaim, volume: string, prefix: string): Texts => ({
  [`${prefix}pvc/name`]: metadata.name,
  [`${prefix}pvc/namespace`]: metadata.namespace ?? "",
  [`${prefix}pv/name`]: volume,
});

/** What may stand for places in templates of the names of Secrets. */
export function templateValues({ metadata }: Pick<PersistentVolumeClaim, "metadata">, volume: string): TemplateValues {
  const { name, namespace = "", annotations = {} } = metadata;
  const inNamespace = { "pv.name": volume, "pvc.namespace": namespace };
  const marks = Object.entries(annotations).map(([key, value]) => [`pvc.annotations['${key}']`, value] as const);
  return { inNamespace, inName: { ...inNamespace, "pvc.name": name, ...Object.fromEntries(marks) } };
}

function secretsOf(
  parameters: Texts,
  claim: PersistentVolumeClaim,
  { name, prefix }: { readonly name: string; readonly prefix: string },
): ReadonlyMap<Purpose, SecretRef> {
  const values = templateValues(claim, name);
  const refs = new Map<Purpose, SecretRef>();
  for (const [purpose, older] of Object.entries(OLDER) as [Purpose, readonly [string, string] | undefined][]) {
    const ref = secretFor(purpose, parameters, values, { prefix, ...(older ? { older } : {}) });
    if (ref) refs.set(purpose, ref);
  }
  return refs;
}

function placesOf(
  { informer }: Pick<CommonContext, "informer">,
  { driver, specs, settings, names }: Sidecar,
  claim: PersistentVolumeClaim,
  { allowedTopologies: allowed }: StorageClass,
): PlaceWish | undefined {
  if (!driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS")) return undefined;
  return placesFor({
    driver: driver.name,
    claim: claim.metadata.name,
    allowed,
    selectedNode: claim.metadata.annotations?.[names.selectedNode] || undefined,
    isStrict: settings.strictTopology === true,
    tellsAll: settings.immediateTopology !== false,
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
    throw new ParameterError(`expected a driver that knows attributes classes, ${driver.name} says it does not`);
  }
  const found = await client.resource(kinds.attributesClass).find({ name });
  if (!found) throw new ParameterError(`expected the VolumeAttributesClass ${name} to be there`);
  if (found.driverName === driver.name) return found.parameters ?? {};
  throw new ParameterError(`expected a VolumeAttributesClass of ${driver.name}, ${name} is of ${found.driverName}`);
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
      annotations: { [names.provisionedBy]: storageClass.provisioner, ...secretMarks(sidecar, prepared.refs) },
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

/** Secrets that no member of a volume has a place for; that of deletion is said to be none, too. */
function secretMarks({ names }: Sidecar, refs: ReadonlyMap<Purpose, SecretRef>): Texts {
  const { name = "", namespace = "" } = refs.get("provisioner") ?? {};
  const modify = refs.get("controller-modify");
  return {
    [names.deletionSecret.name]: name,
    [names.deletionSecret.namespace]: namespace,
    ...(modify ? { [names.modifySecret.name]: modify.name, [names.modifySecret.namespace]: modify.namespace } : {}),
  };
}
