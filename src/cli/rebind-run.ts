/**
 * Runs `keelson rebind`: sets the claimRef of a volume to another claim, and the binder binds both.
 *
 * For an existing claim the claimRef has its uid; for a future claim it has none, which reserves the volume for it. Whether the
 * volume fits is decided by the function of the binder.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import { retryOnConflict } from "../client/errors.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { shortcomings } from "../claims/fit.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { type Connection, connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { printReport } from "./print-report.ts";

/** The volume, its new claim, and the output format. */
export interface RebindRequest extends ConnectFlags {
  readonly volume: string;
  /** `NAMESPACE/NAME`, or a name alone. */
  readonly claim: string;
  readonly dryRun?: boolean;
  readonly output: "text" | "json";
}

/** A volume with its new claim. */
export interface Rebound {
  readonly volume: PersistentVolume;
  /** Undefined if it does not exist yet. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** The previous claim, as `NAMESPACE/NAME`. */
  readonly before: string | undefined;
}

/** Rebinds a volume, and prints the result. */
export async function runRebind(actions: Actions, request: RebindRequest): Promise<void> {
  using connection = await connect(actions, request);
  const { volume, claim, before } = await rebind(connection, request);
  const { dryRun = false, output } = request;
  printReport(actions, output, { dryRun, before, volume, claim }, () => linesOf({ volume, claim, before }, dryRun));
}

function linesOf({ volume, claim, before }: Rebound, dryRun: boolean): string[] {
  const to = textOf(volume.spec.claimRef ?? {});
  const previous = before === undefined || before === to ? "" : `, in place of ${before}`;
  const isDeleted = volume.spec.persistentVolumeReclaimPolicy === "Delete" && volume.status.phase === "Released";
  return [
    `persistentvolume/${volume.metadata.name} ${dryRun ? "would be" : "is"} given to the claim ${to}${previous}`,
    ...(claim ? [] : ["no claim of that name exists: the volume is reserved for the first one that is created"]),
    ...(isDeleted ? ["its reclaim policy is Delete: its provisioner may have begun to delete the disk"] : []),
  ];
}

/** Sets the claim of a volume, with retries on conflicts. @throws CliError if the claim cannot get it */
export async function rebind(
  { client, namespace }: Pick<Connection, "client" | "namespace">,
  { volume: name, claim: claimText, dryRun = false }: Pick<RebindRequest, "volume" | "claim" | "dryRun">,
): Promise<Rebound> {
  const key = claimKey(claimText, namespace);
  const volumes = client.resource(PersistentVolume);
  return retryOnConflict(async () => {
    const found = await volumes.find({ name });
    if (!found) throw new CliError(`persistentvolume/${name} does not exist`);
    const claim = await client.resource(PersistentVolumeClaim).find(key);
    await expectFree(client, found, key);
    if (claim) expectFit(found, claim);
    const { claimRef } = found.spec;
    const before = claimRef && textOf(claimRef);
    if (claim && claimRef && textOf(claimRef) === textOf(key) && claimRef.uid === claim.metadata.uid) {
      return { volume: found, claim, before };
    }
    const { uid, resourceVersion } = claim?.metadata ?? {};
    const reference = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...key, uid, resourceVersion };
    const changed = { ...found, metadata: withoutMark(found), spec: { ...found.spec, claimRef: reference } };
    return {
      volume: await volumes.update(changed as PersistentVolume, { fieldManager: "keelson", dryRun }),
      claim,
      before,
    };
  });
}

interface ClaimKey {
  readonly namespace: string;
  readonly name: string;
}

function claimKey(claimText: string, namespace: string): ClaimKey {
  const [first = "", second, ...more] = claimText.split("/");
  const key = second === undefined ? { namespace, name: first } : { namespace: first, name: second };
  if (key.namespace !== "" && key.name !== "" && more.length === 0) return key;
  throw new CliError(`expected a claim as NAMESPACE/NAME, got ${claimText}`, { usage: true });
}

const textOf = ({ namespace, name }: Partial<ClaimKey>): string => `${namespace}/${name}`;

/** Refuses a volume that belongs to an existing claim. */
async function expectFree(client: Client, { metadata, spec }: PersistentVolume, key: ClaimKey): Promise<void> {
  const { name = "", namespace = "", uid } = spec.claimRef ?? {};
  if (metadata.deletionTimestamp !== undefined)
    throw new CliError(`persistentvolume/${metadata.name} is being deleted`);
  if (name === key.name && namespace === key.namespace) return;
  const owner = await client.resource(PersistentVolumeClaim).find({ name, namespace });
  if (!owner || (uid !== undefined && uid !== owner.metadata.uid)) return;
  throw new CliError(
    `persistentvolume/${metadata.name} belongs to the claim ${namespace}/${name}, which exists: delete that claim first`,
  );
}

/** Refuses a claim that the binder would not bind to the volume. */
function expectFit(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
  const { volumeName } = claim.spec;
  const problems = [
    ...(claim.metadata.deletionTimestamp === undefined ? [] : ["it is being deleted"]),
    ...(volumeName && volumeName !== volume.metadata.name ? [`it has the volume ${volumeName}`] : []),
  ];
  if (problems.length > 0)
    throw new CliError(`the claim ${textOf(claim.metadata)} cannot get a volume: ${problems.join("; ")}`);
  const misfits = shortcomings(volume, claim);
  if (misfits.length === 0) return;
  throw new CliError(
    `persistentvolume/${volume.metadata.name} does not fit the claim ${textOf(claim.metadata)}: ${misfits.join("; ")}`,
  );
}

/** Removes the mark of the binder: a volume without it stays reserved if the claim is bound to another one. */
function withoutMark({ metadata }: PersistentVolume): PersistentVolume["metadata"] {
  const { annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => !/^pv\.[^/]+\/bound-by-controller$/.test(key));
  return { ...metadata, annotations: Object.fromEntries(kept) };
}
