/**
 * The picture of storage as boxes in columns and links between them: a pure function of the objects and the filter.
 *
 * Where a column would have too many boxes, those that are alike are one box with a count; what waits stays a box of its own as long
 * as there is space for it.
 *
 * @module
 */
import type { Dialect } from "../../../../src/meta/dialect.ts";
import { requestOf } from "../../../../src/claims/fit.ts";
import {
  bytesOf,
  driverOf,
  keyOf,
  type StorageObjects,
  topologyOfVolume,
  topologyText,
  volumeOfAttachment,
} from "./objects.ts";
import { type Wait, waitOfAttachment, waitOfVolume, Waits } from "./waits.ts";

/** The columns, from left to right. */
export const COLUMNS = ["drivers", "classes", "claims", "volumes", "attachments", "nodes"] as const;

/** The name of a column. */
export type Column = (typeof COLUMNS)[number];

/** Which objects are shown. */
export interface StorageFilter {
  readonly namespace?: string;
  readonly storageClass?: string;
  readonly node?: string;
  /** Only what waits, and what it is linked with. */
  readonly waiting?: boolean;
}

/** The state of an object: complete, something is missing, it waits until a user or a program acts, it is being deleted, or unused. */
export type BoxState = "ok" | "waits" | "stuck" | "deleting" | "free";

/** An object in the picture. */
export interface Item {
  /** `claims/team/disk`; unique. */
  readonly id: string;
  readonly column: Column;
  readonly namespace?: string;
  readonly name: string;
  /** What else is said of it: size, phase, class. */
  readonly detail: string;
  readonly state: BoxState;
  /** What it waits for. */
  readonly wait?: Wait;
  /** Bytes that are used or asked for; 0 where it has none. */
  readonly bytes: number;
  /** Alike objects are put together by this text. */
  readonly group: string;
}

/** What connects two objects. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** Whether the connection is there, or is waited for. */
  readonly isReady: boolean;
}

/** All that is shown, one by one. */
export interface Storage {
  readonly items: readonly Item[];
  readonly links: readonly Link[];
  /** Namespaces, classes and nodes that the filter may choose. */
  readonly namespaces: readonly string[];
  readonly classes: readonly string[];
  readonly nodes: readonly string[];
}

const stateOf = (wait: Wait | undefined, isDeleting: boolean, otherwise: BoxState = "ok"): BoxState =>
  isDeleting ? "deleting" : wait ? (wait.isStuck ? "stuck" : "waits") : otherwise;

const withWait = (wait: Wait | undefined): { readonly wait?: Wait } => (wait ? { wait } : {});
const isDeleted = ({ metadata }: { readonly metadata: { readonly deletionTimestamp?: string } }): boolean =>
  metadata.deletionTimestamp !== undefined;

/** Returns all objects and links that a filter lets through. */
export function storageOf(objects: StorageObjects, dialect: Dialect, filter: StorageFilter = {}): Storage {
  const waits = new Waits(objects.volumes, objects.classes, dialect);
  const items = new Map<string, Item>();
  const links: Link[] = [];
  const add = (item: Item): void => void items.set(item.id, item);
  const linked = new Set<string>();
  const link = (from: string, to: string, isReady: boolean): void => {
    links.push({ from, to, isReady });
    linked.add(`${from}\0${to}`);
  };

  for (const driver of objects.drivers) add(driverItem(driver.metadata.name, isDeleted(driver)));
  for (const one of objects.classes) {
    const { name } = one.metadata;
    const mode = one.volumeBindingMode === "WaitForFirstConsumer" ? "waits for a Pod" : "binds at once";
    const id = `classes/${name}`;
    add({ id, column: "classes", name, detail: mode, state: stateOf(undefined, isDeleted(one)), bytes: 0, group: "" });
    // A provisioner need not be registered as a driver.
    if (!items.has(`drivers/${one.provisioner}`))
      add({ ...driverItem(one.provisioner, false), detail: "no CSIDriver" });
    link(`drivers/${one.provisioner}`, id, true);
  }
  const volumeNames = new Set(objects.volumes.map(({ metadata }) => metadata.name));
  for (const claim of objects.claims) {
    const { namespace = "", name } = claim.metadata;
    const wait = waits.ofClaim(claim);
    const storageClass = waits.classOf(claim);
    const phase = claim.status.phase ?? "Pending";
    const size = claim.status.capacity?.["storage"] ?? requestOf(claim);
    const state = stateOf(wait, isDeleted(claim));
    const id = `claims/${keyOf(claim)}`;
    const group = `${namespace} · ${storageClass || "no class"} · ${phase}`;
    add({
      id,
      column: "claims",
      namespace,
      name,
      detail: `${size} ${phase}`,
      state,
      ...withWait(wait),
      bytes: bytesOf(size),
      group,
    });
    if (storageClass !== "") link(`classes/${storageClass}`, id, true);
    const { volumeName } = claim.spec;
    if (volumeName) link(id, `volumes/${volumeName}`, phase === "Bound" && volumeNames.has(volumeName));
  }
  const used = new Set<string>();
  for (const volume of objects.volumes) {
    const { name } = volume.metadata;
    const wait = waitOfVolume(volume);
    const phase = volume.status.phase ?? "Pending";
    const size = volume.spec.capacity?.["storage"] ?? "0";
    const storageClass = waits.classOf(volume);
    const topology = topologyOfVolume(volume);
    const state = stateOf(wait, isDeleted(volume), phase === "Available" ? "free" : "ok");
    const id = `volumes/${name}`;
    const detail = [size, phase, topology].filter(Boolean).join(" ");
    const group = `${storageClass || "no class"} · ${phase}${topology === "" ? "" : ` · ${topology}`}`;
    add({ id, column: "volumes", name, detail, state, ...withWait(wait), bytes: bytesOf(size), group });
    // A volume that was made by hand belongs to no claim of a class, but to its driver.
    if (storageClass === "" && driverOf(volume) !== "") used.add(driverOf(volume));
    const { claimRef } = volume.spec;
    const claimId = claimRef && `claims/${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`;
    if (claimId !== undefined && items.has(claimId) && !linked.has(`${claimId}\0${id}`)) link(claimId, id, false);
  }
  for (const name of used) if (!items.has(`drivers/${name}`)) add(driverItem(name, false));
  for (const attachment of objects.attachments) {
    const { name } = attachment.metadata;
    const { nodeName, attacher } = attachment.spec;
    const wait = waitOfAttachment(attachment);
    const volume = volumeOfAttachment(attachment);
    const id = `attachments/${name}`;
    const detail = `${attacher} ${wait ? "waits" : "attached"}`;
    const state = stateOf(wait, isDeleted(attachment));
    const group = `${nodeName} · ${state === "ok" ? "attached" : state}`;
    add({ id, column: "attachments", name: volume ?? name, detail, state, ...withWait(wait), bytes: 0, group });
    const isReady = state === "ok";
    if (volume !== undefined) link(`volumes/${volume}`, id, isReady);
    link(id, `nodes/${nodeName}`, isReady);
  }
  const driversOfNode = new Map(
    objects.csiNodes.map(({ metadata, spec }) => [metadata.name, (spec?.drivers ?? []).map((driver) => driver.name)]),
  );
  for (const node of objects.nodes) {
    const { name, labels } = node.metadata;
    const place = topologyText(placeLabels(labels));
    const drivers = driversOfNode.get(name) ?? [];
    const detail = [place, drivers.length === 0 ? "no driver" : drivers.join(", ")].filter(Boolean).join(" · ");
    const state = stateOf(undefined, isDeleted(node));
    add({ id: `nodes/${name}`, column: "nodes", name, detail, state, bytes: 0, group: place || "nodes" });
  }
  for (const name of new Set([...driversOfNode.values()].flat())) {
    if (!items.has(`drivers/${name}`)) add(driverItem(name, false));
  }
  const kept = filtered(items, links, filter, waits, objects);
  return {
    ...kept,
    namespaces: [...new Set(objects.claims.map(({ metadata }) => metadata.namespace ?? ""))].toSorted(),
    classes: [
      ...new Set([
        ...objects.classes.map(({ metadata }) => metadata.name),
        ...objects.claims.map((claim) => waits.classOf(claim)),
      ]),
    ]
      .filter((name) => name !== "")
      .toSorted(),
    nodes: objects.nodes.map(({ metadata }) => metadata.name).toSorted(),
  };
}

const driverItem = (name: string, isDeleting: boolean): Item => ({
  id: `drivers/${name}`,
  column: "drivers",
  name,
  detail: "",
  state: stateOf(undefined, isDeleting),
  bytes: 0,
  group: "",
});

const placeLabels = (labels: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels ?? {}).filter(([key]) => key.startsWith("topology.") && /\/(zone|region)$/.test(key)),
  );

/** Keeps the chosen objects and those that they are linked with, towards both sides. */
function filtered(
  items: ReadonlyMap<string, Item>,
  links: readonly Link[],
  filter: StorageFilter,
  waits: Waits,
  objects: StorageObjects,
): Pick<Storage, "items" | "links"> {
  const { namespace = "", storageClass = "", node = "", waiting = false } = filter;
  const there = links.filter(({ from, to }) => items.has(from) && items.has(to));
  if (namespace === "" && storageClass === "" && node === "" && !waiting)
    return { items: [...items.values()], links: there };
  const right = Map.groupBy(there, ({ from }) => from);
  const left = Map.groupBy(there, ({ to }) => to);
  // To the right from what is chosen, and to the left; never back, so that a class does not bring all of its claims.
  const follow = (seeds: readonly string[]): Set<string> => {
    const [after, before] = [new Set(seeds), new Set(seeds)];
    for (const id of seeds) {
      walk(id, right, (next) => next.to, after);
      walk(id, left, (next) => next.from, before);
    }
    return new Set([...after, ...before]);
  };
  const sets: Set<string>[] = [];
  if (namespace !== "") {
    sets.push(follow([...items.values()].filter((item) => item.namespace === namespace).map(({ id }) => id)));
  }
  if (storageClass !== "") {
    const ofClass = [
      ...objects.claims.filter((one) => waits.classOf(one) === storageClass).map((one) => `claims/${keyOf(one)}`),
      ...objects.volumes
        .filter((one) => waits.classOf(one) === storageClass)
        .map(({ metadata }) => `volumes/${metadata.name}`),
    ];
    sets.push(follow([`classes/${storageClass}`, ...ofClass].filter((id) => items.has(id))));
  }
  if (node !== "") sets.push(follow([`nodes/${node}`].filter((id) => items.has(id))));
  if (waiting) {
    const isWaiting = ({ state }: Item): boolean => state === "waits" || state === "stuck" || state === "deleting";
    sets.push(follow([...items.values()].filter(isWaiting).map(({ id }) => id)));
  }
  const isKept = (id: string): boolean => sets.every((set) => set.has(id));
  return {
    items: [...items.values()].filter(({ id }) => isKept(id)),
    links: there.filter(({ from, to }) => isKept(from) && isKept(to)),
  };
}

function walk(
  from: string,
  by: ReadonlyMap<string, readonly Link[]>,
  next: (link: Link) => string,
  found: Set<string>,
): void {
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const link of by.get(id) ?? []) {
      const other = next(link);
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
}

/** A box that is drawn: one object, or several that are alike. */
export interface Box {
  readonly id: string;
  readonly column: Column;
  readonly title: string;
  readonly detail: string;
  readonly state: BoxState;
  readonly says?: string;
  /** 1 for an object of its own. */
  readonly count: number;
  readonly bytes: number;
  /** The objects that it stands for. */
  readonly items: readonly Item[];
}

/** A line that is drawn: how many links it stands for. */
export interface Line {
  readonly from: string;
  readonly to: string;
  readonly isReady: boolean;
  readonly count: number;
}

/** The most boxes in a column. */
export const MAX_BOXES = 60;
/** The most of them that are objects of their own where there are more objects than boxes. */
const MAX_SINGLE = 40;

const RANK: Readonly<Record<BoxState, number>> = { stuck: 0, waits: 1, deleting: 2, free: 3, ok: 4 };

/** Returns what is drawn: at most {@link MAX_BOXES} boxes in a column. */
export function boxesOf({ items, links }: Pick<Storage, "items" | "links">): {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
} {
  const boxOf = new Map<string, string>();
  const boxes: Box[] = [];
  for (const [, column] of Map.groupBy(items, (item) => item.column)) {
    const sorted = column.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
    const singles = column.length <= MAX_BOXES ? column : sorted.filter(isUnusual).slice(0, MAX_SINGLE);
    for (const item of singles) {
      boxOf.set(item.id, item.id);
      boxes.push(singleBox(item));
    }
    if (column.length <= MAX_BOXES) continue;
    const rest = column.filter(({ id }) => !boxOf.has(id));
    const groups = [...Map.groupBy(rest, ({ group, state }) => `${RANK[state]} ${group}`)].toSorted(
      ([, a], [, b]) => b.length - a.length,
    );
    const free = MAX_BOXES - singles.length;
    const own = groups.length <= free ? groups : groups.slice(0, free - 1);
    const others = groups.slice(own.length).flatMap(([, group]) => group);
    for (const [key, group] of own) addGroup(`${group[0]!.column}:${key}`, group[0]!.group, group);
    if (others.length > 0) addGroup(`${others[0]!.column}:others`, "others", others);
  }
  function addGroup(id: string, title: string, group: readonly Item[]): void {
    for (const item of group) boxOf.set(item.id, id);
    const [{ column }] = group as [Item];
    const state = group.reduce((worst, item) => (RANK[item.state] < RANK[worst] ? item.state : worst), group[0]!.state);
    const bytes = group.reduce((sum, item) => sum + item.bytes, 0);
    const says = group.find(({ wait }) => wait)?.wait?.says;
    boxes.push({
      id,
      column,
      title: title || column,
      detail: `${group.length} ${column}`,
      state,
      ...(says && { says }),
      count: group.length,
      bytes,
      items: group,
    });
  }
  const lines = new Map<string, { from: string; to: string; isReady: boolean; count: number }>();
  for (const { from, to, isReady } of links) {
    const [a, b] = [boxOf.get(from), boxOf.get(to)];
    if (a === undefined || b === undefined) continue;
    const key = `${a}\0${b}\0${isReady}`;
    const line = lines.get(key);
    if (line) line.count++;
    else lines.set(key, { from: a, to: b, isReady, count: 1 });
  }
  return { boxes, lines: [...lines.values()] };
}

const isUnusual = ({ state }: Item): boolean => state === "stuck" || state === "waits" || state === "deleting";

const singleBox = (item: Item): Box => ({
  id: item.id,
  column: item.column,
  title: item.namespace === undefined ? item.name : `${item.namespace}/${item.name}`,
  detail: item.detail,
  state: item.state,
  ...(item.wait && { says: item.wait.says }),
  count: 1,
  bytes: item.bytes,
  items: [item],
});
