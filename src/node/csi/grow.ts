/**
 * Makes the file system of a volume as large as the volume, where its claim is known to have less (NODE-47 to NODE-52).
 *
 * How far it is stands in the status of the claim (RSZ-5 to RSZ-7), so whoever comes after a crash goes on from there.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { capacityOf, requestOf } from "../../claims/fit.ts";
import { infeasibleOn, claimCapacity, stateOf } from "../../claims/resize.ts";
import { DriverError, isInfeasible } from "../../csi/driver-error.ts";
import { compareQuantities, wholeNumber } from "../../meta/quantity.ts";
import { volumeCapability } from "./capability.ts";
import { type SetUp, registered, told } from "./parts.ts";
import { secretsOf } from "./told.ts";
import { stages } from "./stage.ts";
import type { CsiVolume } from "./volume.ts";

type Claim = PersistentVolumeClaim;

/** A volume that is to grow, and to what. */
interface Growth {
  readonly setUp: SetUp;
  readonly volume: CsiVolume;
  readonly claim: Claim;
  readonly size: string;
}

/**
 * Sees that a volume has grown; milliseconds after which to see again where it could not.
 *
 * @param given `isGiven`: whether the Pod has it already, and goes on with what it has
 * @throws VolumeError where it could not grow yet and the Pod does not have it (NODE-50)
 */
export async function grow(
  setUp: SetUp,
  volume: CsiVolume,
  { isGiven }: { readonly isGiven: boolean },
): Promise<number | undefined> {
  const { persistent, pod } = setUp.needed;
  // What is published read-only is left as it is (NODE-52).
  if (!persistent || volume.readOnly) return undefined;
  const growth = { setUp, volume, claim: persistent.claim, size: capacityOf(persistent.volume) };
  if (!(await isDue(growth))) return undefined;
  const { directory } = setUp.places.publish({ ...volume, podUid: pod.metadata.uid });
  const wait = setUp.waits.untilGrowth(directory);
  if (isGiven && wait > 0) return wait;
  try {
    await growNow(growth);
    setUp.waits.grown(directory);
    return undefined;
  } catch (error) {
    tell(growth, error);
    // A driver that wants the volume out of use for this keeps no Pod from it.
    if (isGiven || isInUse(error)) return setUp.waits.refused(directory, pod.metadata.uid);
    throw told(error);
  }
}

const isInUse = (error: unknown): boolean => error instanceof DriverError && error.code === "FailedPrecondition";

/** Whether a node has to act: not while a control plane is at it, and not again after it was refused (NODE-49). */
async function isDue({ setUp, volume, claim, size }: Growth): Promise<boolean> {
  if (compareQuantities(claimCapacity(claim), size) >= 0) return false;
  if (stateOf(claim)?.startsWith("Controller") === true) return false;
  if (infeasibleOn(claim) !== "Node") return true;
  const record = await setUp.ledger.stage(volume);
  return record?.refused !== undefined && record.refused !== askedOf(claim, size);
}

/** What was asked for and what there was, as it is written down when it was refused. */
const askedOf = (claim: Claim, size: string): string => `${requestOf(claim)} of ${size}`;

async function growNow(growth: Growth): Promise<void> {
  const { setUp, volume, size } = growth;
  const driver = registered(setUp.drivers, volume.driver);
  const capabilities = await driver.nodeCapabilities({ signal: setUp.signal });
  // A driver that does nothing on the node has done it (NODE-51).
  if (!capabilities.has("EXPAND_VOLUME")) return finish(growth);
  if (!(await mark(growth, "NodeResizeInProgress"))) return;
  const { places, needed, signal } = setUp;
  const secrets = await secretsOf(setUp, volume, "expand");
  try {
    await driver.node.nodeExpandVolume(
      {
        volumeId: volume.handle,
        volumePath: places.publish({ ...volume, podUid: needed.pod.metadata.uid }).target,
        stagingTargetPath: stages(capabilities) ? places.stage(volume).staging : "",
        capacityRange: { requiredBytes: wholeNumber(size) ?? 0n },
        volumeCapability: volumeCapability(volume, capabilities),
        secrets,
      },
      { signal },
    );
  } catch (error) {
    if (!cannotGetBetter(error)) throw error;
    await refuse(growth, error);
    return;
  }
  await finish(growth);
}

/** Whether no later try can succeed (NODE-49); a driver that does not know the call will not learn it. */
const cannotGetBetter = (error: unknown): boolean =>
  isInfeasible(error) || (error instanceof DriverError && error.code === "Unimplemented");

/** Writes that it is given up; the Pod goes on with what there is (RSZ-6). */
async function refuse(growth: Growth, error: unknown): Promise<void> {
  const { setUp, volume, claim, size } = growth;
  const record = await setUp.ledger.stage(volume);
  if (record) await setUp.ledger.saveStage({ ...record, refused: askedOf(claim, size) });
  await mark(growth, setUp.names.cannotGrow);
  tell(growth, error);
}

/** Writes that it is done (NODE-48, DEC-58). */
async function finish(growth: Growth): Promise<void> {
  const { setUp, size, volume } = growth;
  const { claim, isWritten } = await write(growth, ({ status }) => {
    const { conditions = [], allocatedResourceStatuses = {}, capacity, ...rest } = status;
    const { storage: _, ...states } = allocatedResourceStatuses;
    return {
      ...rest,
      capacity: { ...capacity, storage: size },
      conditions: conditions.filter(({ type }) => !OF_GROWTH.includes(type)),
      ...(Object.keys(states).length === 0 ? {} : { allocatedResourceStatuses: states }),
    };
  });
  if (!claim || !isWritten) return;
  const note = `the file system of its volume ${volume.name} has grown to ${size}`;
  for (const about of [claim, setUp.needed.pod]) {
    setUp.ground.event("Normal", about, "FileSystemResizeSuccessful", note);
  }
}

const OF_GROWTH = ["FileSystemResizePending", "Resizing"];

/** Writes how far it is; the claim as it is then, undefined where it is gone or has what there is. */
async function mark(growth: Growth, state: string): Promise<Claim | undefined> {
  const { claim } = await write(growth, (found) =>
    stateOf(found) === state
      ? undefined
      : {
          ...found.status,
          allocatedResourceStatuses: { ...found.status.allocatedResourceStatuses, storage: state },
        },
  );
  return claim && compareQuantities(claimCapacity(claim), growth.size) < 0 ? claim : undefined;
}

interface Written {
  readonly claim: Claim | undefined;
  readonly isWritten: boolean;
}

/** Changes the status of the claim, unless it has what there is already. */
async function write(
  { setUp, claim: { metadata }, size }: Growth,
  change: (claim: Claim) => Claim["status"] | undefined,
): Promise<Written> {
  const { ground, signal } = setUp;
  const key = { namespace: metadata.namespace!, name: metadata.name };
  let isWritten = false;
  const changed = ground.client.resource(PersistentVolumeClaim).status.modify(
    key,
    (found) => {
      const isDone = found.metadata.uid !== metadata.uid || compareQuantities(claimCapacity(found), size) >= 0;
      const status = isDone ? undefined : change(found);
      isWritten = status !== undefined;
      return status && { ...found, status };
    },
    { signal },
  );
  const done = await attempt(changed, "NotFound");
  const claim = done.ok && done.value.metadata.uid === metadata.uid ? done.value : undefined;
  return { claim, isWritten };
}

function tell({ setUp, claim, size }: Growth, error: unknown): void {
  const note = `the file system of its volume could not grow to ${size}: ${told(error).message}`;
  for (const about of [claim, setUp.needed.pod]) setUp.ground.event("Warning", about, "VolumeResizeFailed", note);
}
