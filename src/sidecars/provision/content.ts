/**
 * What a new volume is filled from: another volume of the driver, or a snapshot of one (PVC-8, PVC-10, PVC-22).
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

/** The source of a claim cannot be used, or not yet. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** What a new volume is filled from, and the object that has to stay meanwhile. */
export interface FoundContent {
  readonly content: ContentSource;
  readonly object: ApiObject;
  readonly kind: Kind;
  readonly finalizer: string;
}

/** What is asked. */
export interface ContentQuestion {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly source: DataSource;
}

type Asking = Pick<CommonContext, "client">;

/** Who fills a claim: nothing has to, this driver does, or somebody else who knows the kind of its source. */
export function fillerOf(
  claim: PersistentVolumeClaim,
  { names }: Sidecar,
): { readonly is: "nobody" | "other" } | { readonly is: "driver"; readonly source: DataSource } {
  const source = sourceOf(claim);
  if (!source) return { is: "nobody" };
  const isClaim = source.kind === "PersistentVolumeClaim" && source.group === "";
  const isSnapshot = source.kind === "VolumeSnapshot" && source.group === names.snapshotGroup;
  return isClaim || isSnapshot ? { is: "driver", source } : { is: "other" };
}

/** Looks the source of a claim up. @throws SourceError */
export async function contentFor(ctx: Asking, sidecar: Sidecar, question: ContentQuestion): Promise<FoundContent> {
  const { source, claim } = question;
  if (source.namespace !== claim.metadata.namespace) await expectGrant(ctx, sidecar, question);
  return source.kind === "VolumeSnapshot" ? ofSnapshot(ctx, sidecar, question) : ofClaim(ctx, sidecar, question);
}

function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new SourceError(`expected ${what}`);
}

/** What is of the driver itself and has to be there. */
function needs(sidecar: Sidecar, ability: "CLONE_VOLUME" | "CREATE_DELETE_SNAPSHOT", what: string): void {
  expect(sidecar.driver.abilities.has(ability), `a driver that can ${what}, ${sidecar.driver.name} says it cannot`);
}

/** A reference to another namespace has to be allowed there (PVC-22). */
async function expectGrant({ client }: Asking, { kinds }: Sidecar, { claim, source }: ContentQuestion): Promise<void> {
  const { group, kind, namespace, name } = source;
  const isOurs = (from: { readonly group: string; readonly kind: string; readonly namespace: string }): boolean =>
    from.group === "" && from.kind === "PersistentVolumeClaim" && from.namespace === claim.metadata.namespace;
  const isIt = (to: { readonly group: string; readonly kind: string; readonly name?: string }): boolean =>
    to.group === group && to.kind === kind && (!to.name || to.name === name);
  const grants = await client
    .resource(kinds.grant)
    .list({ namespace })
    .catch((error: unknown) => {
      if (isStatus(error, "NotFound")) return { items: [] };
      throw error;
    });
  const isGranted = grants.items.some(({ spec }) => spec.from.some(isOurs) && spec.to.some(isIt));
  expect(
    isGranted,
    `a ReferenceGrant in namespace ${namespace} that allows claims of ${claim.metadata.namespace} to refer to ${kind} ${name}`,
  );
}

async function ofClaim(
  { client }: Asking,
  sidecar: Sidecar,
  { claim, storageClass, source }: ContentQuestion,
): Promise<FoundContent> {
  needs(sidecar, "CLONE_VOLUME", "clone volumes");
  const { namespace, name } = source;
  const found = await client.resource(PersistentVolumeClaim).find({ namespace, name });
  expect(found !== undefined, `the claim ${name}, its source, to be there`);
  expect(found.status.phase === "Bound", `the claim ${name}, its source, to be Bound`);
  const isHeld = hasFinalizer(found, sidecar.names.cloning);
  expect(found.metadata.deletionTimestamp === undefined || isHeld, `the claim ${name}, its source, not to be deleted`);
  expect(
    compareQuantities(requestOf(claim), requestOf(found)) >= 0,
    `to ask for at least ${requestOf(found)}, as its source does`,
  );
  const volume = await client.resource(PersistentVolume).find({ name: found.spec.volumeName ?? "" });
  const handle = volume?.spec.csi?.volumeHandle;
  const isOfDriver = volume?.spec.csi?.driver === storageClass.provisioner;
  const isItsOwn = volume?.spec.claimRef?.uid === found.metadata.uid;
  expect(
    handle !== undefined && isOfDriver && isItsOwn,
    `the claim ${name}, its source, to have a volume of ${storageClass.provisioner}`,
  );
  const [has, wants] = [volume!.spec.volumeMode ?? "Filesystem", claim.spec.volumeMode ?? "Filesystem"];
  expect(has === wants, `volumeMode ${has}, as its source has, it wants ${wants}`);
  return {
    content: { type: { case: "volume", value: { volumeId: handle } } },
    object: found,
    kind: PersistentVolumeClaim,
    finalizer: sidecar.names.cloning,
  };
}

async function ofSnapshot(
  { client }: Asking,
  sidecar: Sidecar,
  { claim, storageClass, source }: ContentQuestion,
): Promise<FoundContent> {
  needs(sidecar, "CREATE_DELETE_SNAPSHOT", "make volumes of snapshots");
  const { names } = sidecar;
  const kinds = snapshotKinds(names.snapshotGroup);
  const { namespace, name } = source;
  const snapshot = await client.resource(kinds.snapshot).find({ namespace, name });
  expect(snapshot !== undefined, `the snapshot ${name} to be there`);
  const isHeld = hasFinalizer(snapshot, names.restoring);
  expect(snapshot.metadata.deletionTimestamp === undefined || isHeld, `the snapshot ${name} not to be deleted`);
  const { boundVolumeSnapshotContentName: bound, readyToUse, restoreSize } = snapshot.status ?? {};
  expect(bound !== undefined && readyToUse === true, `the snapshot ${name} to be ready to use`);
  const content = await client.resource(kinds.content).find({ name: bound });
  const handle = content?.status?.snapshotHandle;
  const isItsOwn = content?.spec.volumeSnapshotRef.uid === snapshot.metadata.uid;
  expect(handle !== undefined && isItsOwn, `the content ${bound} to be that of the snapshot ${name}`);
  expect(
    content!.spec.driver === storageClass.provisioner,
    `the snapshot ${name} to be of ${storageClass.provisioner}`,
  );
  const size = restoreSize ?? "0";
  expect(
    compareQuantities(requestOf(claim), size) >= 0,
    `to ask for at least ${size}, the size of the snapshot ${name}`,
  );
  const had = content!.spec.sourceVolumeMode;
  const mayChange = content!.metadata.annotations?.[names.snapshot.mayChangeMode] === "true";
  const wants = claim.spec.volumeMode ?? "Filesystem";
  expect(
    had === undefined || had === wants || mayChange,
    `volumeMode ${had}, as the source of the snapshot ${name} had, it wants ${wants}; see ${names.snapshot.mayChangeMode}`,
  );
  return {
    content: { type: { case: "snapshot", value: { snapshotId: handle } } },
    object: snapshot,
    kind: kinds.snapshot,
    finalizer: names.restoring,
  };
}
