/**
 * Expands claims on the side of the control plane. A claim is left to the resizer of its driver; where only a node has
 * to act, the capacity of the volume is raised here and the rest left to the node (DEC-58).
 *
 * It acts when the request or the capacity changes. An expansion that a node refused begins again only with another
 * request. Resizers alone change other attributes (CTL-MOD-1).
 */
import { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import {
  type Context,
  type Controller,
  type ObjectEvent,
  type Result,
  defineController,
  sharedInformer,
} from "../../runtime/index.ts";
import { capacityOf, requestOf } from "../../claims/fit.ts";
import { type Migration, migrationOf } from "../../claims/plugin-migration.ts";
import { type BinderNames, binderNames } from "../../claims/annotations.ts";
import { allocatedTo, infeasibleOn, claimCapacity, isGrowing, resizerOf, stateOf } from "../../claims/resize.ts";
import { REQUEUE_SOON, write, writeStatus } from "../../runtime/writes.ts";
import { annotated } from "../../meta/annotations.ts";

type ExpansionContext = Context<PersistentVolumeClaim, "Namespaced">;

const volumes = sharedInformer(PersistentVolume);

/** The controller named `persistentvolume-expander` (CTL-EXP-1..14). */
export function volumeExpansion(dialect: Dialect): Controller {
  const migration = migrationOf(dialect);
  const names = binderNames(dialect);
  return defineController({
    name: "keelson-persistentvolume-expander",
    eventSource: "volume_expand",
    for: PersistentVolumeClaim,
    uses: [volumes],
    predicate: mayExpand,
    async reconcile(ctx) {
      const found = await volumeOf(ctx);
      if (!found) return undefined;
      const volume = await withoutPreviousCapacity(ctx, found, names);
      if (!volume) return REQUEUE_SOON;
      return isGrowing(ctx.object) ? expand(ctx, volume, { migration, names }) : undefined;
    },
  });
}

const isInfeasibleOnNode = (claim: PersistentVolumeClaim): boolean => infeasibleOn(claim) === "Node";

/** Whether an event may require an expansion (CTL-EXP-9, 10). */
function mayExpand(event: ObjectEvent<PersistentVolumeClaim>): boolean {
  const { object } = event;
  if (object.status.phase !== "Bound") return false;
  const isNew = event.type !== "changed" || event.old.status.phase !== "Bound";
  if (isNew) return !isInfeasibleOnNode(object) || compareQuantities(requestOf(object), allocatedTo(object) ?? "0") > 0;
  const wants = compareQuantities(requestOf(object), requestOf(event.old));
  return (
    wants > 0 ||
    (wants < 0 && !isInfeasibleOnNode(object)) ||
    compareQuantities(claimCapacity(object), claimCapacity(event.old)) > 0
  );
}

/** Returns the volume of a claim while both are bound; asks the server where memory may not have it yet. */
async function volumeOf({ object, informer, client }: ExpansionContext): Promise<PersistentVolume | undefined> {
  const { volumeName: name = "" } = object.spec;
  if (object.status.phase !== "Bound" || name === "") return undefined;
  const isOurs = (volume: PersistentVolume | undefined): boolean =>
    volume?.spec.claimRef?.uid === object.metadata.uid && volume.spec.claimRef.namespace === object.metadata.namespace;
  const known = informer(volumes).get({ name });
  if (isOurs(known)) return known;
  const found = await client.resource(PersistentVolume).find({ name });
  return isOurs(found) ? found : undefined;
}

/** Removes the previous capacity once the claim has the new one. */
async function withoutPreviousCapacity(
  { client, object }: ExpansionContext,
  volume: PersistentVolume,
  { beforeResize }: BinderNames,
): Promise<PersistentVolume | undefined> {
  const isMarked = volume.metadata.annotations?.[beforeResize] !== undefined;
  if (!isMarked || compareQuantities(claimCapacity(object), capacityOf(volume)) < 0) return volume;
  return write(client, PersistentVolume, annotated(volume, { [beforeResize]: undefined }));
}

interface ExpansionNames {
  readonly migration: Migration;
  readonly names: BinderNames;
}

async function expand(
  ctx: ExpansionContext,
  volume: PersistentVolume,
  { migration, names }: ExpansionNames,
): Promise<Result> {
  const { object: claim, client, events } = ctx;
  const { name: resizer = "the resizer", isExternal } = resizerOf(volume, migration);
  if (!isExternal) return enlarge(ctx, volume, { names, resizer });
  events.normal("ExternalExpanding", "waiting for an external controller to expand this PVC");
  const isMigrated = migration.ofSource(volume) !== undefined;
  if (!isMigrated || claim.metadata.annotations?.[names.resizer] === resizer) return undefined;
  return (await write(client, PersistentVolumeClaim, annotated(claim, { [names.resizer]: resizer })))
    ? undefined
    : REQUEUE_SOON;
}

interface ResizerNames {
  readonly names: BinderNames;
  readonly resizer: string;
}

/** Expands a volume for which only a node has to act (CTL-EXP-5..7, 9, 10, 12, 14). */
async function enlarge(
  ctx: ExpansionContext,
  volume: PersistentVolume,
  { names, resizer }: ResizerNames,
): Promise<Result> {
  const { object: claim } = ctx;
  const state = stateOf(claim);
  if (state === "NodeResizePending" || state === "NodeResizeInProgress") return undefined;
  if (isInfeasibleOnNode(claim)) return leaveToNode(ctx, claim);
  // An expansion in progress ends first; a larger request follows it.
  const begun = state === "ControllerResizeInProgress" ? allocatedTo(claim) : undefined;
  const size = begun ?? requestOf(claim);
  const current = begun === undefined ? await begin(ctx, size, { names, resizer }) : claim;
  const isBlock = volume.spec.volumeMode === "Block";
  const grown =
    current && (await grow(ctx, isBlock ? volume : withPreviousCapacity(claimCapacity(claim), volume, names), size));
  if (!current || !grown) return REQUEUE_SOON;
  return isBlock ? finish(ctx, current, size) : leaveToNode(ctx, current);
}

function begin(
  ctx: ExpansionContext,
  size: string,
  { names, resizer }: ResizerNames,
): Promise<PersistentVolumeClaim | undefined> {
  const claim = annotated(ctx.object, { [names.resizer]: resizer });
  const { status } = claim;
  return writeStatus(ctx.client, PersistentVolumeClaim, {
    ...claim,
    status: {
      ...status,
      allocatedResources: { ...status.allocatedResources, storage: size },
      allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: "ControllerResizeInProgress" },
      conditions: withCondition(claim, ctx.condition("Resizing", true, "Resizing", "its volume is enlarged")),
    },
  });
}

/** Records the previous capacity of the claim, unless one is recorded. */
function withPreviousCapacity(size: string, volume: PersistentVolume, { beforeResize }: BinderNames): PersistentVolume {
  return volume.metadata.annotations?.[beforeResize] === undefined
    ? annotated(volume, { [beforeResize]: size })
    : volume;
}

/** Raises the capacity of a volume, unless it is larger already. */
function grow(
  { client }: ExpansionContext,
  volume: PersistentVolume,
  size: string,
): Promise<PersistentVolume | undefined> {
  const storage = compareQuantities(capacityOf(volume), size) < 0 ? size : capacityOf(volume);
  const spec = { ...volume.spec, capacity: { ...volume.spec.capacity, storage } };
  return write(client, PersistentVolume, { ...volume, spec });
}

async function leaveToNode(ctx: ExpansionContext, claim: PersistentVolumeClaim): Promise<Result> {
  const { status } = claim;
  const waits = ctx.condition(
    "FileSystemResizePending",
    true,
    "",
    "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
  );
  const next = {
    ...status,
    allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: "NodeResizePending" },
    conditions: withCondition(claim, waits),
  };
  return (await writeStatus(ctx.client, PersistentVolumeClaim, { ...claim, status: next })) ? undefined : REQUEUE_SOON;
}

/** Ends an expansion that needs no node. */
async function finish(ctx: ExpansionContext, claim: PersistentVolumeClaim, size: string): Promise<Result> {
  const { allocatedResourceStatuses = {}, conditions = [], ...status } = claim.status;
  const { storage: _, ...states } = allocatedResourceStatuses;
  const next = {
    ...status,
    capacity: { ...status.capacity, storage: size },
    ...(Object.keys(states).length > 0 ? { allocatedResourceStatuses: states } : {}),
    conditions: conditions.filter(({ type }) => !OF_RESIZING.has(type)),
  };
  if (!(await writeStatus(ctx.client, PersistentVolumeClaim, { ...claim, status: next }))) return REQUEUE_SOON;
  ctx.events.normal("VolumeResizeSuccessful", `its volume has ${size}`);
  return undefined;
}

const OF_RESIZING = new Set(["Resizing", "FileSystemResizePending"]);

type ClaimCondition = NonNullable<PersistentVolumeClaim["status"]["conditions"]>[number];

const withCondition = ({ status }: PersistentVolumeClaim, one: ClaimCondition): ClaimCondition[] => [
  ...(status.conditions ?? []).filter(({ type }) => type !== one.type),
  one,
];
