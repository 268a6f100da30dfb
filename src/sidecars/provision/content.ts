/**
 * The source of a new volume's content: another volume of the driver, or a snapshot (PVC-8, PVC-10, PVC-22).
 *
 * @module
 */
import { type ApiObject, type Kind, isStatus } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type StorageClass } from "../../client/kinds/index.ts";
import { requestOf } from "../../claims/fit.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import type { CommonContext } from "../../runtime/definition.ts";
import type { ContentSource } from "../contract.ts";
import { hasFinalizer } from "../finalizers.ts";
import type { Sidecar } from "../sidecar.ts";
import { snapshotKinds } from "../snapshot/kinds.ts";
import { type DataSource, sourceOf } from "./data-source.ts";

/** The error of a source that cannot be used, or not yet. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** The source of a new volume's content, and the object that has to exist until the volume is created. */
export interface FoundContent {
  readonly content: ContentSource;
  readonly object: ApiObject;
  readonly kind: Kind;
  readonly finalizer: string;
}

interface Request {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly source: DataSource;
}

type ClientContext = Pick<CommonContext, "client">;

/** Whether a populator outside has to fill the claim, since its source is of another kind. */
export function needsPopulator(claim: PersistentVolumeClaim, { names }: Sidecar): boolean {
  const source = sourceOf(claim);
  if (!source) return false;
  const isClaim = source.kind === "PersistentVolumeClaim" && source.group === "";
  return !isClaim && !(source.kind === "VolumeSnapshot" && source.group === names.snapshotGroup);
}

/** The content for a claim; undefined where this driver does not fill it. @throws SourceError */
export async function contentOf(
  ctx: ClientContext,
  sidecar: Sidecar,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
): Promise<FoundContent | undefined> {
  const source = sourceOf(claim);
  if (!source || needsPopulator(claim, sidecar)) return undefined;
  const request = { claim, storageClass, source };
  if (source.namespace !== claim.metadata.namespace) await checkGrant(ctx, sidecar, request);
  return source.kind === "VolumeSnapshot" ? ofSnapshot(ctx, sidecar, request) : ofClaim(ctx, sidecar, request);
}

function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new SourceError(message);
}

function checkAbility(sidecar: Sidecar, ability: "CLONE_VOLUME" | "CREATE_DELETE_SNAPSHOT", operation: string): void {
  check(
    sidecar.driver.abilities.has(ability),
    `CSI driver does not support ${operation}: controller ${ability} capability is not reported`,
  );
}

/** A ReferenceGrant has to allow a source in another namespace (PVC-22). */
async function checkGrant({ client }: ClientContext, { kinds }: Sidecar, { claim, source }: Request): Promise<void> {
  const { group, kind, namespace, name } = source;
  const isFrom = (from: { readonly group: string; readonly kind: string; readonly namespace: string }): boolean =>
    from.group === "" && from.kind === "PersistentVolumeClaim" && from.namespace === claim.metadata.namespace;
  const isTo = (to: { readonly group: string; readonly kind: string; readonly name?: string }): boolean =>
    to.group === group && to.kind === kind && (!to.name || to.name === name);
  const grants = await client
    .resource(kinds.grant)
    .list({ namespace })
    .catch((error: unknown) => {
      if (isStatus(error, "NotFound")) return { items: [] };
      throw error;
    });
  check(
    grants.items.some(({ spec }) => spec.from.some(isFrom) && spec.to.some(isTo)),
    `accessing ${namespace}/${name} of ${kind} dataSource from ${claim.metadata.namespace}/${claim.metadata.name} isn't allowed`,
  );
}

async function ofClaim(
  { client }: ClientContext,
  sidecar: Sidecar,
  { claim, storageClass, source }: Request,
): Promise<FoundContent> {
  checkAbility(sidecar, "CLONE_VOLUME", "clone operations");
  const { namespace, name } = source;
  const found = await client.resource(PersistentVolumeClaim).find({ namespace, name });
  check(found !== undefined, `error getting PVC ${name} (namespace ${JSON.stringify(namespace)}): not found`);
  const { phase } = found.status;
  check(phase === "Bound", `the PVC DataSource ${name} must have a status of Bound. Got ${phase}`);
  const isProtected = hasFinalizer(found, sidecar.names.cloning);
  const isDeleted = found.metadata.deletionTimestamp !== undefined;
  check(!isDeleted || isProtected, `the PVC DataSource ${name} is currently being deleted`);
  check(
    compareQuantities(requestOf(claim), requestOf(found)) >= 0,
    `error, new PVC request must be greater than or equal in size to the specified PVC data source, requested ${requestOf(claim)} but source is ${requestOf(found)}`,
  );
  const volume = await client.resource(PersistentVolume).find({ name: found.spec.volumeName ?? "" });
  const { csi, claimRef, volumeMode = "Filesystem" } = volume?.spec ?? {};
  check(
    csi?.driver === storageClass.provisioner && claimRef?.uid === found.metadata.uid,
    `claim in dataSource not bound or invalid: expected ${name} to have a volume of ${storageClass.provisioner}`,
  );
  const desired = claim.spec.volumeMode ?? "Filesystem";
  check(
    volumeMode === desired,
    `the source PVC and destination PVCs must have the same volume mode for cloning. Source is ${volumeMode}, but new PVC requested ${desired}`,
  );
  return {
    content: { type: { case: "volume", value: { volumeId: csi.volumeHandle } } },
    object: found,
    kind: PersistentVolumeClaim,
    finalizer: sidecar.names.cloning,
  };
}

async function ofSnapshot(
  { client }: ClientContext,
  sidecar: Sidecar,
  { claim, storageClass, source }: Request,
): Promise<FoundContent> {
  checkAbility(sidecar, "CREATE_DELETE_SNAPSHOT", "snapshot restore");
  const { names } = sidecar;
  const kinds = snapshotKinds(names.snapshotGroup);
  const { namespace, name } = source;
  const snapshot = await client.resource(kinds.snapshot).find({ namespace, name });
  check(snapshot !== undefined, `error getting snapshot ${name} from api server: not found`);
  const isProtected = hasFinalizer(snapshot, names.restoring);
  const isDeleted = snapshot.metadata.deletionTimestamp !== undefined;
  check(!isDeleted || isProtected, `snapshot ${name} is being deleted`);
  const { boundVolumeSnapshotContentName: bound, readyToUse, restoreSize: size = "0" } = snapshot.status ?? {};
  check(bound !== undefined && readyToUse === true, `snapshot ${name} is not Ready`);
  const content = await client.resource(kinds.content).find({ name: bound });
  const handle = content?.status?.snapshotHandle;
  const isOwn = content?.spec.volumeSnapshotRef.uid === snapshot.metadata.uid;
  check(handle !== undefined, `snapshot handle ${name} is not available`);
  check(isOwn, `snapshotcontent ${bound} for snapshot ${name} is bound to a different snapshot`);
  const { driver, sourceVolumeMode: mode } = content.spec;
  check(
    driver === storageClass.provisioner,
    `snapshotcontent ${bound} for snapshot ${name} is not handled by CSI driver of StorageClass ${storageClass.metadata.name}`,
  );
  const request = requestOf(claim);
  check(
    compareQuantities(request, size) >= 0,
    `requested volume size ${request} is less than the size ${size} for the source snapshot ${name}`,
  );
  const { mayChangeMode } = names.snapshot;
  const desired = claim.spec.volumeMode ?? "Filesystem";
  check(
    mode === undefined || mode === desired || content.metadata.annotations?.[mayChangeMode] === "true",
    `requested volume ${claim.metadata.namespace}/${claim.metadata.name} modifies the mode of the source volume but does not have permission to do so. ${mayChangeMode} annotation is not true on snapshotcontent ${bound}`,
  );
  return {
    content: { type: { case: "snapshot", value: { snapshotId: handle } } },
    object: snapshot,
    kind: kinds.snapshot,
    finalizer: names.restoring,
  };
}
