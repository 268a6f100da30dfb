/**
 * The snapshot controller, for the snapshots of one driver: a content for each snapshot, what it says, and what becomes of it.
 *
 * The content is what the driver's part acts on (`snapshotter.ts`), as a volume is for a claim.
 *
 * @module
 */
import type { Key } from "../../client/index.ts";
import {
  type Controller,
  type ObjectEvent,
  type Result,
  type Source,
  defineController,
  watches,
} from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";
import { bindSnapshot } from "./bind.ts";
import type { Snapshotting } from "./given.ts";
import type { VolumeSnapshot, VolumeSnapshotContent } from "./kinds.ts";
import { releaseSnapshot } from "./release.ts";
import { releaseClaims } from "./source-claims.ts";
import { type SnapshotSpecs, contentNameOf, isContentOf, snapshotSpecs } from "./specs.ts";

/** The controller named `keelson-snapshot-controller`. */
export function snapshotController(sidecar: Sidecar): Controller {
  const specs = snapshotSpecs(sidecar);
  const { pace } = sidecar;
  return defineController({
    name: "keelson-snapshot-controller",
    eventSource: "snapshot-controller",
    for: specs.snapshots,
    predicate: matters,
    uses: [sidecar.specs.volumes],
    sources: [ofContents(specs), ofClaims(sidecar, specs), ofClasses(specs)],
    ...pace,
    concurrency: 16,
    reconcile: (ctx) => reconcile({ ctx, sidecar, specs }),
  });
}

/** Errors that are written here are no reason to look again. */
function matters(event: ObjectEvent<VolumeSnapshot>): boolean {
  if (event.type !== "changed") return true;
  const told = ({ spec, status, metadata }: VolumeSnapshot): string => {
    const { error: _, ...rest } = status ?? {};
    return JSON.stringify([spec, rest, metadata.deletionTimestamp, metadata.finalizers]);
  };
  return told(event.object) !== told(event.old);
}

const ofContents = ({ contents }: SnapshotSpecs): Source<Key<"Namespaced">> =>
  watches(contents, ({ spec }) => {
    const { namespace, name } = spec.volumeSnapshotRef;
    return namespace && name ? [{ namespace, name }] : [];
  });

/** A claim that a snapshot is taken of, or that is filled from one. */
const ofClaims = ({ specs: own, names }: Sidecar, { snapshots }: SnapshotSpecs): Source<Key<"Namespaced">> =>
  watches(
    own.claims,
    ({ metadata, spec }, informer) => {
      const { namespace = "", name } = metadata;
      const taken = informer(snapshots).by("claim", `${namespace}/${name}`);
      const { dataSource } = spec;
      const isFilled = dataSource?.kind === "VolumeSnapshot" && dataSource.apiGroup === names.snapshotGroup;
      const from = isFilled ? [{ namespace, name: dataSource.name }] : [];
      return [...taken.map((one) => ({ namespace, name: one.metadata.name })), ...from];
    },
    (event) => event.type !== "changed" || event.object.status.phase !== event.old.status.phase,
  );

/** Snapshots without a class wait for one that is the default. */
const ofClasses = ({ classes, snapshots }: SnapshotSpecs): Source<Key<"Namespaced">> =>
  watches(classes, ({ metadata }, informer) =>
    ["", metadata.name]
      .flatMap((name) => informer(snapshots).by("class", name))
      .map((one) => ({ namespace: one.metadata.namespace ?? "", name: one.metadata.name })),
  );

async function reconcile(given: Snapshotting): Promise<Result> {
  const { ctx, sidecar } = given;
  const isGoing = ctx.object.metadata.deletionTimestamp !== undefined;
  const content = contentIn(given, ctx.informer(given.specs.contents).get({ name: contentName(ctx.object) }));
  const driver = driverOf(given, content);
  // Of one that goes and that no driver is known to have nothing is left but its name: whoever comes lets it go.
  if (driver !== sidecar.driver.name && !(isGoing && driver === undefined)) return undefined;
  if (!isGoing) {
    await releaseClaims(given, ctx.object);
    return bindSnapshot(given, content);
  }
  const present = content ?? (await storedContent(given));
  // Memory is behind, and that of its driver is not.
  if (present && present.spec.driver !== sidecar.driver.name) return undefined;
  return releaseSnapshot(given, present);
}

/** The name of the content of a snapshot: the one that it names or is bound to, or that was made for it. */
const contentName = (snapshot: VolumeSnapshot): string =>
  snapshot.status?.boundVolumeSnapshotContentName ??
  snapshot.spec.source.volumeSnapshotContentName ??
  contentNameOf(snapshot);

/** A content, where it is not another's. */
const contentIn = (
  { ctx }: Snapshotting,
  content: VolumeSnapshotContent | undefined,
): VolumeSnapshotContent | undefined => (content && isContentOf(content, ctx.object) ? content : undefined);

/** The content as it is stored: one that was made just now would never go when its snapshot went before. */
async function storedContent(given: Snapshotting): Promise<VolumeSnapshotContent | undefined> {
  const { ctx, specs } = given;
  return contentIn(given, await ctx.client.resource(specs.kinds.content).find({ name: contentName(ctx.object) }));
}

/** Whose snapshot it is: as its content says, or its class, or its mark, or the volume that it is taken of. */
function driverOf(
  { ctx, specs, sidecar }: Snapshotting,
  content: VolumeSnapshotContent | undefined,
): string | undefined {
  if (content) return content.spec.driver;
  const { namespace = "", annotations } = ctx.object.metadata;
  const { volumeSnapshotClassName: className = "", source } = ctx.object.spec;
  const known =
    ctx.informer(specs.classes).get({ name: className })?.driver ?? annotations?.[sidecar.names.snapshot.driverName];
  if (known !== undefined) return known;
  const claim = ctx.informer(sidecar.specs.claims).get({ namespace, name: source.persistentVolumeClaimName ?? "" });
  const volume = ctx.informer(sidecar.specs.volumes).get({ name: claim?.spec.volumeName ?? "" });
  return volume?.spec.csi?.driver;
}
