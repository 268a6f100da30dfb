/**
 * Observes the objects that scheduling depends on: updates the state, and notifies the Pods that wait for a change
 * (SCHED-4).
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
import { isAvailable, bucketOf } from "../../claims/fit.ts";
import { claimOfVolume } from "../../claims/claim-ref.ts";
import type { SchedulerState } from "./scheduler-state.ts";
import type { SchedulingQueue } from "./scheduling-queue.ts";
import type { SchedulerNames } from "./names.ts";
import { type SchedulerSpecs, textOf } from "./specs.ts";
import { topics } from "./topics.ts";

/** The parts that observe changes. */
export interface Observers {
  readonly state: SchedulerState;
  readonly queue: SchedulingQueue;
  readonly names: SchedulerNames;
  /** Called for a changed claim, with its key. */
  readonly claimChanged: (key: string) => void;
  readonly nodeGone: (name: string) => void;
}

/** Subscribes to all informers until the result is disposed of. */
export function observe(specs: SchedulerSpecs, own: GetInformer, observers: Observers): Disposable {
  const subscriptions = new DisposableStack();
  const attachments = own(specs.attachments);
  subscriptions.use(own(specs.nodes).on((event) => nodeChanged(event, observers)));
  subscriptions.use(own(specs.csiNodes).on((event) => csiNodeChanged(event, observers)));
  subscriptions.use(own(specs.claims).on((event) => claimChanged(event, observers)));
  subscriptions.use(
    own(specs.volumes).on((event) => {
      volumeChanged(event, observers);
      if (event.type === "changed") return;
      for (const { spec } of attachments.by("volume", event.object.metadata.name))
        observers.state.recountNode(spec.nodeName);
    }),
  );
  subscriptions.use(own(specs.classes).on((event) => classChanged(event, observers)));
  subscriptions.use(own(specs.drivers).on((event) => driverChanged(event, observers)));
  subscriptions.use(own(specs.capacities).on((event) => capacityChanged(event, observers)));
  subscriptions.use(attachments.on((event) => attachmentChanged(event, observers)));
  return subscriptions;
}

function nodeChanged(event: ObjectEvent<Node>, { state, queue, nodeGone }: Observers): void {
  const { object } = event;
  if (event.type === "deleted") {
    state.dropNode(object.metadata.name);
    nodeGone(object.metadata.name);
  } else state.setNode(object);
  if (event.type === "added" || (event.type === "changed" && relevantFieldsOf(event.old) !== relevantFieldsOf(object)))
    queue.notify(topics.nodes);
}

/** The fields of a node whose change matters here; most writes of agents do not. */
const relevantFieldsOf = ({ metadata, spec, status }: Node): string =>
  JSON.stringify([metadata.labels, spec.taints, spec.unschedulable, status?.allocatable]);

function csiNodeChanged({ type, object }: ObjectEvent<CSINode>, { state, queue }: Observers): void {
  if (type === "deleted") state.dropCsiNode(object.metadata.name);
  else state.setCsiNode(object);
  queue.notify(topics.limits);
}

function claimChanged({ object }: ObjectEvent<PersistentVolumeClaim>, observers: Observers): void {
  const key = textOf(object);
  observers.state.recount(key);
  observers.claimChanged(key);
  observers.queue.notify(topics.claim(key));
}

function volumeChanged(
  event: ObjectEvent<PersistentVolume>,
  { state, queue, names, claimChanged: tell }: Observers,
): void {
  const { object } = event;
  const { name } = object.metadata;
  if (event.type === "deleted") state.dropVolume(name);
  else state.setVolume(object);
  for (const one of event.type === "changed" ? [object, event.old] : [object]) {
    const claim = claimOfVolume(one);
    if (claim === undefined) continue;
    if (event.type !== "changed") state.recount(claim);
    tell(claim);
    queue.notify(topics.claim(claim));
  }
  queue.notify(topics.volume(name));
  const isFreed =
    event.type !== "deleted" && isAvailable(object) && !(event.type === "changed" && isSame(event.old, object));
  if (isFreed) queue.notify(topics.bucket(bucketOf(object, names.binder)));
}

/** Whether a volume was available before with the same fields. */
const isSame = (old: PersistentVolume, now: PersistentVolume): boolean =>
  isAvailable(old) && offers(old) === offers(now);

const offers = ({ metadata, spec }: PersistentVolume): string =>
  JSON.stringify([metadata.labels, metadata.annotations, spec]);

function classChanged({ object }: ObjectEvent<StorageClass>, { state, queue }: Observers): void {
  state.recountAll();
  queue.notify(topics.storageClass(object.metadata.name));
}

function driverChanged({ object }: ObjectEvent<CSIDriver>, { queue }: Observers): void {
  queue.notify(topics.driver(object.metadata.name));
}

function capacityChanged({ type, object }: ObjectEvent<CSIStorageCapacity>, { queue }: Observers): void {
  if (type !== "deleted") queue.notify(topics.capacity(object.storageClassName));
}

function attachmentChanged({ type, object }: ObjectEvent<VolumeAttachment>, { state, queue }: Observers): void {
  state.recountNode(object.spec.nodeName);
  if (type === "deleted") queue.notify(topics.limits);
}
