/**
 * What follows when something changes that Pods may wait for: the board is told, and so are those who heed it (SCHED-4).
 *
 * @module
 */
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../client/kinds/index.ts";
import type { GetInformer, ObjectEvent } from "../../runtime/index.ts";
import { isAvailable, shelfOf } from "../../claims/fit.ts";
import { claimOfVolume } from "../../claims/claim-ref.ts";
import type { Board } from "./board.ts";
import type { Line } from "./line.ts";
import type { SchedulerNames } from "./names.ts";
import { type SchedulerSpecs, textOf } from "./specs.ts";
import { topics } from "./topics.ts";

/** Who is told. */
export interface Hearers {
  readonly board: Board;
  readonly line: Line;
  readonly names: SchedulerNames;
  /** Hears of claims, by their keys. */
  readonly claimChanged: (key: string) => void;
  /** Hears of nodes that have gone. */
  readonly nodeGone: (name: string) => void;
}

/** Listens until what is given back is disposed of. */
export function hear(specs: SchedulerSpecs, own: GetInformer, hearers: Hearers): Disposable {
  const heard = new DisposableStack();
  const attachments = own(specs.attachments);
  heard.use(own(specs.nodes).on((event) => nodeChanged(event, hearers)));
  heard.use(own(specs.csiNodes).on((event) => csiNodeChanged(event, hearers)));
  heard.use(own(specs.claims).on((event) => claimChanged(event, hearers)));
  heard.use(
    own(specs.volumes).on((event) => {
      volumeChanged(event, hearers);
      if (event.type === "changed") return;
      for (const { spec } of attachments.by("volume", event.object.metadata.name))
        hearers.board.recountNode(spec.nodeName);
    }),
  );
  heard.use(own(specs.classes).on((event) => classChanged(event, hearers)));
  heard.use(own(specs.drivers).on((event) => driverChanged(event, hearers)));
  heard.use(own(specs.capacities).on((event) => capacityChanged(event, hearers)));
  heard.use(attachments.on((event) => attachmentChanged(event, hearers)));
  return heard;
}

function nodeChanged(event: ObjectEvent<Node>, { board, line, nodeGone }: Hearers): void {
  const { object } = event;
  if (event.type === "deleted") {
    board.dropNode(object.metadata.name);
    nodeGone(object.metadata.name);
  } else board.setNode(object);
  if (event.type === "added" || (event.type === "changed" && saysOf(event.old) !== saysOf(object)))
    line.tell(topics.nodes);
}

/** What of a node matters here; most of what agents write does not. */
const saysOf = ({ metadata, spec, status }: Node): string =>
  JSON.stringify([metadata.labels, spec.taints, spec.unschedulable, status?.allocatable]);

function csiNodeChanged({ type, object }: ObjectEvent<CSINode>, { board, line }: Hearers): void {
  if (type === "deleted") board.dropCsiNode(object.metadata.name);
  else board.setCsiNode(object);
  line.tell(topics.limits);
}

function claimChanged({ object }: ObjectEvent<PersistentVolumeClaim>, hearers: Hearers): void {
  const key = textOf(object);
  hearers.board.recount(key);
  hearers.claimChanged(key);
  hearers.line.tell(topics.claim(key));
}

function volumeChanged(
  event: ObjectEvent<PersistentVolume>,
  { board, line, names, claimChanged: tell }: Hearers,
): void {
  const { object } = event;
  const { name } = object.metadata;
  if (event.type === "deleted") board.dropVolume(name);
  else board.setVolume(object);
  for (const one of event.type === "changed" ? [object, event.old] : [object]) {
    const claim = claimOfVolume(one);
    if (claim === undefined) continue;
    if (event.type !== "changed") board.recount(claim);
    tell(claim);
    line.tell(topics.claim(claim));
  }
  line.tell(topics.volume(name));
  const isFreed =
    event.type !== "deleted" && isAvailable(object) && !(event.type === "changed" && isSame(event.old, object));
  if (isFreed) line.tell(topics.shelf(shelfOf(object, names.binder)));
}

/** Whether a volume could be had before just as now. */
const isSame = (old: PersistentVolume, now: PersistentVolume): boolean =>
  isAvailable(old) && offers(old) === offers(now);

const offers = ({ metadata, spec }: PersistentVolume): string =>
  JSON.stringify([metadata.labels, metadata.annotations, spec]);

function classChanged({ object }: ObjectEvent<StorageClass>, { board, line }: Hearers): void {
  board.recountAll();
  line.tell(topics.storageClass(object.metadata.name));
}

function driverChanged({ object }: ObjectEvent<CSIDriver>, { line }: Hearers): void {
  line.tell(topics.driver(object.metadata.name));
}

function capacityChanged({ type, object }: ObjectEvent<CSIStorageCapacity>, { line }: Hearers): void {
  if (type !== "deleted") line.tell(topics.capacity(object.storageClassName));
}

function attachmentChanged({ type, object }: ObjectEvent<VolumeAttachment>, { board, line }: Hearers): void {
  board.recountNode(object.spec.nodeName);
  if (type === "deleted") line.tell(topics.limits);
}
