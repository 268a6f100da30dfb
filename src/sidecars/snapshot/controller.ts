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
  const content = contentOf(given);
  if (driverOf(given, content) !== sidecar.driver.name) return undefined;
  if (ctx.object.metadata.deletionTimestamp !== undefined) return releaseSnapshot(given, content);
  await releaseClaims(given, ctx.object);
  return bindSnapshot(given, content);
}

/** The content of a snapshot: the one that it names or is bound to, or that was made for it; none that is another's. */
function contentOf({ ctx, specs }: Snapshotting): VolumeSnapshotContent | undefined {
  const snapshot = ctx.object;
  const { volumeSnapshotContentName: named } = snapshot.spec.source;
  const name = snapshot.status?.boundVolumeSnapshotContentName ?? named ?? contentNameOf(snapshot);
  const content = ctx.informer(specs.contents).get({ name });
  return content && isContentOf(content, snapshot) ? content : undefined;
}

/** Whose snapshot it is: as its content says, or its class, or the volume that it is taken of. */
function driverOf(
  { ctx, specs, sidecar }: Snapshotting,
  content: VolumeSnapshotContent | undefined,
): string | undefined {
  if (content) return content.spec.driver;
  const { volumeSnapshotClassName: name, source } = ctx.object.spec;
  if (name !== undefined) return ctx.informer(specs.classes).get({ name })?.driver;
  const { namespace = "" } = ctx.object.metadata;
  const claim = ctx.informer(sidecar.specs.claims).get({ namespace, name: source.persistentVolumeClaimName ?? "" });
  const volume = ctx.informer(sidecar.specs.volumes).get({ name: claim?.spec.volumeName ?? "" });
  return volume?.spec.csi?.driver;
}
