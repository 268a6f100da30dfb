/**
 * Expands the file system of a volume on the node where its claim has a smaller size than the volume (NODE-47 to NODE-52).
 *
 * The status of the claim has the state of the expansion (RSZ-5 to RSZ-7), so it continues after a crash.
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
import { type SetUp, asVolumeError, registered } from "./parts.ts";
import { secretsOf } from "./publish-inputs.ts";
import { stages } from "./stage.ts";
import type { CsiVolume } from "./volume.ts";

type Claim = PersistentVolumeClaim;

/** A volume to expand, and its new size. */
interface Growth {
  readonly setUp: SetUp;
  readonly volume: CsiVolume;
  readonly claim: Claim;
  readonly size: string;
}

/**
 * Expands a volume where that is due; returns milliseconds until a retry.
 *
 * @param isGiven whether the Pod uses the volume already, and continues with its current size
 * @throws VolumeError where it failed and the Pod does not use the volume yet (NODE-50)
 */
export async function grow(setUp: SetUp, volume: CsiVolume, isGiven: boolean): Promise<number | undefined> {
  const { persistent, pod } = setUp.needed;
  // A read-only volume is not expanded (NODE-52).
  if (!persistent || volume.readOnly) return undefined;
  const growth = { setUp, volume, claim: persistent.claim, size: capacityOf(persistent.volume) };
  if (!(await isDue(growth))) return undefined;
  const { directory } = setUp.paths.publish({ ...volume, podUid: pod.metadata.uid });
  const wait = setUp.waits.untilGrowth(directory);
  if (isGiven && wait > 0) return wait;
  try {
    await growNow(growth);
    setUp.waits.grown(directory);
    return undefined;
  } catch (error) {
    recordFailure(growth, error);
    // Some drivers expand only unused volumes. The Pod gets its volume nevertheless.
    if (isGiven || isInUse(error)) return setUp.waits.refused(directory, pod.metadata.uid);
    throw asVolumeError(error);
  }
}

const isInUse = (error: unknown): boolean => error instanceof DriverError && error.code === "FailedPrecondition";

/** Whether the node has to act: not during a controller's expansion, and not again after a refusal (NODE-49). */
async function isDue({ setUp, volume, claim, size }: Growth): Promise<boolean> {
  if (compareQuantities(claimCapacity(claim), size) >= 0) return false;
  if (stateOf(claim)?.startsWith("Controller") === true) return false;
  if (infeasibleOn(claim) !== "Node") return true;
  const record = await setUp.records.stage(volume);
  return record?.refused !== undefined && record.refused !== sizesOf(claim, size);
}

/** The requested size and that of the volume, as they are recorded for a refusal. */
const sizesOf = (claim: Claim, size: string): string => `${requestOf(claim)} of ${size}`;

async function growNow(growth: Growth): Promise<void> {
  const { setUp, volume, size } = growth;
  const driver = registered(setUp.drivers, volume.driver);
  const capabilities = await driver.nodeCapabilities({ signal: setUp.signal });
  // A driver without the call has nothing to do on the node (NODE-51).
  if (!capabilities.has("EXPAND_VOLUME")) return finish(growth);
  if (!(await mark(growth, "NodeResizeInProgress"))) return;
  const { paths, needed, signal } = setUp;
  const secrets = await secretsOf(setUp, volume, "expand");
  try {
    await driver.node.nodeExpandVolume(
      {
        volumeId: volume.handle,
        volumePath: paths.publish({ ...volume, podUid: needed.pod.metadata.uid }).target,
        stagingTargetPath: stages(capabilities) ? paths.stage(volume).staging : "",
        capacityRange: { requiredBytes: wholeNumber(size) ?? 0n },
        volumeCapability: volumeCapability(volume, capabilities),
        secrets,
      },
      { signal },
    );
  } catch (error) {
    if (!isPermanent(error)) throw error;
    await refuse(growth, error);
    return;
  }
  await finish(growth);
}

/** Whether no later call can succeed (NODE-49), also since the driver does not have it. */
const isPermanent = (error: unknown): boolean =>
  isInfeasible(error) || (error instanceof DriverError && error.code === "Unimplemented");

/** Writes the refusal; the Pod continues with the current size (RSZ-6). */
async function refuse(growth: Growth, error: unknown): Promise<void> {
  const { setUp, volume, claim, size } = growth;
  const record = await setUp.records.stage(volume);
  if (record) await setUp.records.saveStage({ ...record, refused: sizesOf(claim, size) });
  await mark(growth, setUp.names.cannotGrow);
  recordFailure(growth, error);
}

/** Writes the new size (NODE-48, DEC-58). */
async function finish(growth: Growth): Promise<void> {
  const { setUp, size } = growth;
  const { claim, isWritten } = await write(growth, ({ status }) => {
    const { conditions = [], allocatedResourceStatuses = {}, capacity, ...rest } = status;
    const { storage: _, ...states } = allocatedResourceStatuses;
    return {
      ...rest,
      capacity: { ...capacity, storage: size },
      conditions: conditions.filter(({ type }) => !CONDITIONS.includes(type)),
      ...(Object.keys(states).length === 0 ? {} : { allocatedResourceStatuses: states }),
    };
  });
  if (!claim || !isWritten) return;
  const note = "MountVolume.NodeExpandVolume succeeded";
  for (const object of [claim, setUp.needed.pod]) {
    setUp.context.event("Normal", object, "FileSystemResizeSuccessful", note);
  }
}

const CONDITIONS = ["FileSystemResizePending", "Resizing"];

/** Writes a state; returns the claim, or undefined where it was deleted or has the new size. */
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

/** Changes the status of the claim, unless it has the new size already. */
async function write(
  { setUp, claim: { metadata }, size }: Growth,
  change: (claim: Claim) => Claim["status"] | undefined,
): Promise<Written> {
  const { context, signal } = setUp;
  const { namespace = "", name } = metadata;
  const key = { namespace, name };
  let isWritten = false;
  const changed = context.client.resource(PersistentVolumeClaim).status.modify(
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

function recordFailure({ setUp, claim, size }: Growth, error: unknown): void {
  const note = `MountVolume.NodeExpandVolume failed to expand the file system to ${size}: ${asVolumeError(error).message}`;
  for (const object of [claim, setUp.needed.pod]) setUp.context.event("Warning", object, "VolumeResizeFailed", note);
}
