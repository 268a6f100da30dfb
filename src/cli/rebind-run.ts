/**
 * What `keelson rebind` does once it is asked to: the claimRef of a volume names another claim, and the binder binds both.
 *
 * A claim that is there is named with its uid, so that nobody else of its name has the volume; one that is not yet is named without, and
 * the volume is reserved for it. The binder decides what fits by the same function.
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

/** What to give to whom. */
export interface RebindRequest extends ConnectFlags {
  readonly volume: string;
  /** `NAMESPACE/NAME`, or a name alone. */
  readonly claim: string;
  readonly dryRun?: boolean;
  readonly output: "text" | "json";
}

/** A volume that was given to a claim. */
export interface Rebound {
  readonly volume: PersistentVolume;
  /** Undefined where it is not there yet. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** The claim that it had, as `NAMESPACE/NAME`. */
  readonly before: string | undefined;
}

/** Asks the server, writes and prints. */
export async function runRebind(actions: Actions, request: RebindRequest): Promise<void> {
  using connection = await connect(actions, request);
  const { volume, claim, before } = await rebind(connection, request);
  const { dryRun = false, output } = request;
  if (output === "json") {
    actions.print(JSON.stringify({ dryRun, before, volume, claim }, undefined, 2));
    return;
  }
  const to = textOf(volume.spec.claimRef!);
  const had = before === undefined || before === to ? "" : `, in place of ${before}`;
  actions.print(
    `persistentvolume/${volume.metadata.name} ${dryRun ? "would be" : "is"} given to the claim ${to}${had}`,
  );
  if (!claim) actions.print("no claim of that name exists: the volume is reserved for the first that comes");
  if (volume.spec.persistentVolumeReclaimPolicy === "Delete" && volume.status.phase === "Released") {
    actions.print("its policy is Delete: who made it may have begun to delete the disk before");
  }
}

/** Gives a volume to a claim; tried again after a conflict. @throws CliError where it cannot have it */
export async function rebind(
  { client, namespace }: Pick<Connection, "client" | "namespace">,
  { volume: name, claim: asked, dryRun = false }: Pick<RebindRequest, "volume" | "claim" | "dryRun">,
): Promise<Rebound> {
  const key = claimKey(asked, namespace);
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
    const given = { ...found, metadata: withoutMark(found), spec: { ...found.spec, claimRef: reference } };
    return {
      volume: await volumes.update(given as PersistentVolume, { fieldManager: "keelson", dryRun }),
      claim,
      before,
    };
  });
}

interface ClaimKey {
  readonly namespace: string;
  readonly name: string;
}

function claimKey(asked: string, namespace: string): ClaimKey {
  const [first = "", second, ...more] = asked.split("/");
  const key = second === undefined ? { namespace, name: first } : { namespace: first, name: second };
  if (key.namespace !== "" && key.name !== "" && more.length === 0) return key;
  throw new CliError(`expected a claim as NAMESPACE/NAME, got ${asked}`, { usage: true });
}

const textOf = ({ namespace, name }: Partial<ClaimKey>): string => `${namespace}/${name}`;

/** A claim that is there keeps its volume. */
async function expectFree(client: Client, { metadata, spec }: PersistentVolume, key: ClaimKey): Promise<void> {
  const { name = "", namespace = "", uid } = spec.claimRef ?? {};
  if (metadata.deletionTimestamp !== undefined)
    throw new CliError(`persistentvolume/${metadata.name} is being deleted`);
  if (name === key.name && namespace === key.namespace) return;
  const owner = await client.resource(PersistentVolumeClaim).find({ name, namespace });
  if (!owner || (uid !== undefined && uid !== owner.metadata.uid)) return;
  throw new CliError(
    `persistentvolume/${metadata.name} belongs to the claim ${namespace}/${name}, which exists: delete that before`,
  );
}

/** A claim is given nothing where the binder would not bind it. */
function expectFit(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
  const { volumeName } = claim.spec;
  const lacks = [
    ...(claim.metadata.deletionTimestamp === undefined ? [] : ["it is being deleted"]),
    ...(volumeName && volumeName !== volume.metadata.name ? [`it has the volume ${volumeName}`] : []),
  ];
  if (lacks.length > 0)
    throw new CliError(`the claim ${textOf(claim.metadata)} cannot be given a volume: ${lacks.join("; ")}`);
  const misfits = shortcomings(volume, claim);
  if (misfits.length === 0) return;
  throw new CliError(
    `persistentvolume/${volume.metadata.name} does not fit the claim ${textOf(claim.metadata)}: ${misfits.join("; ")}`,
  );
}

/** Who is given a volume by hand was not chosen by the binder: where it takes another one, the volume stays reserved for it. */
function withoutMark({ metadata }: PersistentVolume): PersistentVolume["metadata"] {
  const { annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => !/^pv\.[^/]+\/bound-by-controller$/.test(key));
  return { ...metadata, annotations: Object.fromEntries(kept) };
}
