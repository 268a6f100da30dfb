/**
 * The snapshot controller, for the snapshots of one driver: creates a content for each snapshot, copies its status, and
 * deletes it.
 *
 * The snapshotter (`snapshotter.ts`) acts on contents, as the provisioner acts on claims.
 *
 * @module
 */
import type { Key } from "../../client/index.ts";
import { type Controller, type Result, type Source, defineController, watches } from "../../runtime/index.ts";
import { type Sidecar, changesOf } from "../sidecar.ts";
import { bindSnapshot } from "./bind.ts";
import type { VolumeSnapshot, VolumeSnapshotContent } from "./kinds.ts";
import { releaseSnapshot } from "./release.ts";
import { releaseClaims } from "./source-claims.ts";
import { type SnapshotContext, type SnapshotSpecs, contentNameOf, isContentOf, snapshotSpecs } from "./specs.ts";

/** The controller named `keelson-snapshot-controller`. */
export function snapshotController(sidecar: Sidecar): Controller {
  const specs = snapshotSpecs(sidecar);
  const { pace } = sidecar;
  return defineController({
    name: "keelson-snapshot-controller",
    eventSource: "snapshot-controller",
    for: specs.snapshots,
    // The controller itself writes errors into the status: they start no reconcile.
    predicate: changesOf<VolumeSnapshot>(({ spec, status, metadata }) => [
      spec,
      { ...status, error: undefined },
      metadata.deletionTimestamp,
      metadata.finalizers,
    ]),
    uses: [sidecar.specs.volumes],
    sources: [ofContents(specs), ofClaims(sidecar, specs), ofClasses(specs)],
    ...pace,
    concurrency: 16,
    reconcile: (ctx) => reconcile({ ctx, sidecar, specs }),
  });
}

const ofContents = ({ contents }: SnapshotSpecs): Source<Key<"Namespaced">> =>
  watches(contents, ({ spec }) => {
    const { namespace, name } = spec.volumeSnapshotRef;
    return namespace && name ? [{ namespace, name }] : [];
  });

/** Claims that are the source of snapshots, or have a snapshot as their source. */
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
    changesOf(({ status }) => status.phase),
  );

/** Snapshots without a class may wait for the default one. */
const ofClasses = ({ classes, snapshots }: SnapshotSpecs): Source<Key<"Namespaced">> =>
  watches(classes, ({ metadata }, informer) =>
    ["", metadata.name]
      .flatMap((name) => informer(snapshots).by("class", name))
      .map((one) => ({ namespace: one.metadata.namespace ?? "", name: one.metadata.name })),
  );

async function reconcile(context: SnapshotContext): Promise<Result> {
  const { ctx, sidecar } = context;
  const isDeleted = ctx.object.metadata.deletionTimestamp !== undefined;
  const content = ifOwn(context, ctx.informer(context.specs.contents).get({ name: contentName(ctx.object) }));
  const driver = driverOf(context, content);
  // Any controller may release a deleted snapshot without a known driver.
  if (driver !== sidecar.driver.name && !(isDeleted && driver === undefined)) return undefined;
  if (!isDeleted) {
    await releaseClaims(context, ctx.object);
    return bindSnapshot(context, content);
  }
  const stored = content ?? (await storedContent(context));
  // The informer of this controller lags behind; the controller of the right driver handles the snapshot.
  if (stored && stored.spec.driver !== sidecar.driver.name) return undefined;
  return releaseSnapshot(context, stored);
}

/** The name of the content of a snapshot: the one that it is bound to, that it names, or that is created for it. */
const contentName = (snapshot: VolumeSnapshot): string =>
  snapshot.status?.boundVolumeSnapshotContentName ??
  snapshot.spec.source.volumeSnapshotContentName ??
  contentNameOf(snapshot);

/** A content unless it is the one of another snapshot. */
const ifOwn = (
  { ctx }: SnapshotContext,
  content: VolumeSnapshotContent | undefined,
): VolumeSnapshotContent | undefined => (content && isContentOf(content, ctx.object) ? content : undefined);

/** The stored content: the informer may not have a new one yet, which would remain for ever. */
async function storedContent(context: SnapshotContext): Promise<VolumeSnapshotContent | undefined> {
  const { ctx, specs } = context;
  return ifOwn(context, await ctx.client.resource(specs.kinds.content).find({ name: contentName(ctx.object) }));
}

/** The driver of a snapshot, from its content, its class, its annotation or its volume. */
function driverOf(
  { ctx, specs, sidecar }: SnapshotContext,
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
