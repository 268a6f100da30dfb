/**
 * The picture of storage as objects in columns and links between them: a function of the objects and the filter, in steps.
 *
 * @module
 */
import type { Dialect } from "../../../../src/meta/dialect.ts";
import { requestOf } from "../../../../src/claims/fit.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../../../src/client/kinds/index.ts";
import type { Steps } from "../../../../src/util/steps.ts";
import { inSteps } from "../../ui/sliced.ts";
import { filterSteps, type StorageFilter } from "./filter.ts";
import { type BoxState, type Column, COLUMNS, type Item, type Link, type Storage } from "./item.ts";
import {
  bytesOf,
  driverOf,
  keyOf,
  type StorageObjects,
  topologyOfVolume,
  topologyText,
  volumeOfAttachment,
} from "./objects.ts";
import { type Wait, waitOfAttachment, waitOfVolume, type Waits, waitsSteps } from "./waits.ts";

/** What the picture is made from. */
export interface StorageInput {
  readonly objects: StorageObjects;
  readonly dialect: Dialect;
  readonly filter?: StorageFilter;
  /** Lists of which not all objects are known: the user may not read them, or there are too many. */
  readonly partial?: ReadonlySet<keyof StorageObjects>;
}

const ALL: ReadonlySet<keyof StorageObjects> = new Set();

/** Finds all objects and links that a filter lets through. */
export function* storageSteps({ objects, dialect, filter = {}, partial = ALL }: StorageInput): Steps<Storage> {
  const isWhole = !partial.has("volumes") && !partial.has("classes");
  const waits = yield* waitsSteps(objects.volumes, objects.classes, dialect, isWhole);
  const found = new Found(waits, partial);
  yield* inSteps(objects.drivers, ({ metadata }) => found.add(driver(metadata.name, objectOf({ metadata }))));
  yield* inSteps(objects.classes, (one) => found.class(one));
  yield* inSteps(objects.claims, (one) => found.claim(one));
  yield* inSteps(objects.volumes, (one) => found.volume(one));
  yield* inSteps(objects.attachments, (one) => found.attachment(one));
  const driversOfNode = new Map(
    objects.csiNodes.map(({ metadata, spec }) => [metadata.name, (spec?.drivers ?? []).map(({ name }) => name)]),
  );
  yield* inSteps(objects.nodes, (one) => found.node(one, driversOfNode.get(one.metadata.name) ?? []));
  yield* inSteps(new Set([...driversOfNode.values()].flat()), (name) => found.need(driver(name)));
  yield* found.named();
  const kept = yield* filterSteps(found.items, found.links, filter);
  const near = new Map<string, Link[]>();
  yield* inSteps(kept.links, (link) => {
    for (const id of [link.from, link.to]) {
      const links = near.get(id);
      if (links) links.push(link);
      else near.set(id, [link]);
    }
  });
  return {
    ...kept,
    byId: new Map(kept.items.map((item) => [item.id, item])),
    near,
    waiting: kept.items.filter(({ state }) => state === "waits" || state === "stuck").length,
    namespaces: [...new Set(objects.claims.map(({ metadata }) => metadata.namespace ?? ""))].toSorted(),
    classes: found.classes(),
    nodes: objects.nodes.map(({ metadata }) => metadata.name).toSorted(),
  };
}

/** Collects items and links. */
class Found {
  readonly items = new Map<string, Item>();
  readonly links: Link[] = [];
  readonly #linked = new Set<string>();
  readonly #classes = new Set<string>();
  readonly #waits: Waits;
  readonly #partial: ReadonlySet<keyof StorageObjects>;

  constructor(waits: Waits, partial: ReadonlySet<keyof StorageObjects>) {
    this.#waits = waits;
    this.#partial = partial;
  }

  add(item: Item): void {
    this.items.set(item.id, item);
  }

  /** Adds an item unless it is there. */
  need(item: Item): void {
    if (!this.items.has(item.id)) this.add(item);
  }

  #link(from: string, to: string, isReady: boolean): void {
    this.links.push({ from, to, isReady });
    this.#linked.add(`${from}\0${to}`);
  }

  class(one: StorageClass): void {
    const { name } = one.metadata;
    const detail = one.volumeBindingMode === "WaitForFirstConsumer" ? "waits for a Pod" : "binds at once";
    const id = `classes/${name}`;
    this.#classes.add(name);
    this.add({ id, column: "classes", name, detail, state: stateOf(one), bytes: 0, group: "", object: objectOf(one) });
    // A provisioner need not be registered as a driver.
    const isKnown = !this.#partial.has("drivers");
    this.need({ ...driver(one.provisioner), ...(isKnown && { state: "ok", detail: "no CSIDriver" }) });
    this.#link(`drivers/${one.provisioner}`, id, true);
  }

  claim(claim: PersistentVolumeClaim): void {
    const { namespace = "", name } = claim.metadata;
    const wait = this.#waits.ofClaim(claim);
    const storageClass = this.#waits.classOf(claim);
    const phase = claim.status.phase ?? "Pending";
    const size = claim.status.capacity?.["storage"] ?? requestOf(claim);
    const id = `claims/${keyOf(claim)}`;
    this.add({
      id,
      column: "claims",
      namespace,
      name,
      detail: `${size} ${phase}`,
      state: stateOf(claim, wait),
      ...withWait(wait),
      bytes: bytesOf(size),
      group: `${namespace} · ${storageClass || "no class"} · ${phase}`,
      storageClass,
      object: objectOf(claim),
    });
    if (storageClass !== "") {
      this.#classes.add(storageClass);
      this.#link(`classes/${storageClass}`, id, true);
    }
    const { volumeName } = claim.spec;
    if (volumeName) this.#link(id, `volumes/${volumeName}`, phase === "Bound");
  }

  volume(volume: PersistentVolume): void {
    const { name } = volume.metadata;
    const wait = waitOfVolume(volume);
    const phase = volume.status.phase ?? "Pending";
    const size = volume.spec.capacity?.["storage"] ?? "0";
    const storageClass = this.#waits.classOf(volume);
    const topology = topologyOfVolume(volume);
    const id = `volumes/${name}`;
    this.add({
      id,
      column: "volumes",
      name,
      detail: [size, phase, topology].filter(Boolean).join(" "),
      state: stateOf(volume, wait, phase === "Available" ? "free" : "ok"),
      ...withWait(wait),
      bytes: bytesOf(size),
      group: `${storageClass || "no class"} · ${phase}${topology === "" ? "" : ` · ${topology}`}`,
      storageClass,
      object: objectOf(volume),
    });
    // A volume that was made by hand belongs to no claim of a class, but to its driver.
    const driverName = driverOf(volume);
    if (storageClass === "" && driverName !== "") this.need({ ...driver(driverName), state: "ok" });
    const { claimRef } = volume.spec;
    const claimId = claimRef && `claims/${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`;
    if (claimId !== undefined && this.items.has(claimId) && !this.#linked.has(`${claimId}\0${id}`))
      this.#link(claimId, id, false);
  }

  attachment(attachment: VolumeAttachment): void {
    const { name } = attachment.metadata;
    const { nodeName, attacher } = attachment.spec;
    const wait = waitOfAttachment(attachment);
    const volume = volumeOfAttachment(attachment);
    const id = `attachments/${name}`;
    const state = stateOf(attachment, wait);
    this.add({
      id,
      column: "attachments",
      name: volume ?? name,
      detail: `${attacher} ${wait ? "waits" : "attached"}`,
      state,
      ...withWait(wait),
      bytes: 0,
      group: `${nodeName} · ${state === "ok" ? "attached" : state}`,
      object: objectOf(attachment),
    });
    const isReady = state === "ok";
    if (volume !== undefined) this.#link(`volumes/${volume}`, id, isReady);
    this.#link(id, `nodes/${nodeName}`, isReady);
  }

  node(node: Node, drivers: readonly string[]): void {
    const { name, labels } = node.metadata;
    const place = topologyText(placeLabels(labels));
    const served = drivers.length > 0 ? drivers.join(", ") : this.#partial.has("csiNodes") ? "" : "no driver";
    this.add({
      id: `nodes/${name}`,
      column: "nodes",
      name,
      detail: [place, served].filter(Boolean).join(" · "),
      state: stateOf(node),
      bytes: 0,
      group: place || "nodes",
      object: objectOf(node),
    });
  }

  /** Adds objects that others name, where not all objects of their list are known. */
  *named(): Steps<void> {
    yield* inSteps(this.links, ({ from, to }) => {
      for (const id of [from, to]) {
        const column = COLUMNS.find((one) => id.startsWith(`${one}/`));
        if (!column || !this.#partial.has(column) || column === "claims" || this.items.has(id)) continue;
        this.add({ ...unknown(column, id.slice(column.length + 1)), detail: "not read" });
      }
    });
  }

  classes(): readonly string[] {
    return [...this.#classes].toSorted();
  }
}

interface Metadata {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string; readonly deletionTimestamp?: string };
}

const objectOf = ({ metadata: { name, resourceVersion = "" } }: Metadata): NonNullable<Item["object"]> => ({
  name,
  version: resourceVersion,
});

const stateOf = ({ metadata }: Metadata, wait?: Wait, otherwise: BoxState = "ok"): BoxState =>
  metadata.deletionTimestamp !== undefined ? "deleting" : wait ? (wait.isStuck ? "stuck" : "waits") : otherwise;

const withWait = (wait: Wait | undefined): { readonly wait?: Wait } => (wait ? { wait } : {});

/** An object that others name. */
const unknown = (column: Column, name: string): Item => ({
  id: `${column}/${name}`,
  column,
  name,
  detail: "",
  state: "unknown",
  bytes: 0,
  group: "",
});

const driver = (name: string, object?: Item["object"]): Item => ({
  ...unknown("drivers", name),
  ...(object && { object, state: "ok" }),
});

const placeLabels = (labels: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels ?? {}).filter(([key]) => key.startsWith("topology.") && /\/(zone|region)$/.test(key)),
  );
