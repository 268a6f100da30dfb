/**
 * What the binder remembers of pods that empty volumes, and no object says: what they have onEvent, that one was deleted
 * before it had ended, and when the next may be tried.
 *
 * Who takes over from another changesPhase on with the pod that there is, and waits for nothing before it makes the next.
 *
 * @module
 */
import { CoreEvent, type PersistentVolume, type Pod } from "../../../client/kinds/index.ts";
import { type SourceParts, type ObjectEvent, sharedInformer } from "../../../runtime/index.ts";
import { isFinished } from "../../../claims/usage.ts";
import type { BinderNames } from "../../../claims/annotations.ts";
import { isRecyclerOf } from "./recycler-pod.ts";

/** The wait after the first failure, which doubles with each, and what it grows to (CTL-GEN-3). */
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 120_000;

interface FollowedPod extends Disposable {
  readonly uid: string;
  /** The Events about the pod that were not asked for yet. */
  newEvents(): CoreEvent[];
}

/** The last pod that has failed, or could not be made. */
interface Failure {
  readonly pod: string | undefined;
  readonly wait: number;
  /** On the steady clock. */
  readonly due: number;
}

/** See the head of this file. */
export class RecyclerTracker implements Disposable {
  readonly #names: BinderNames;
  readonly #parts: SourceParts;
  readonly #followed = new Map<string, FollowedPod>();
  readonly #deletedPods = new Map<string, Pod>();
  readonly #failures = new Map<string, Failure>();

  constructor(names: BinderNames, parts: SourceParts) {
    this.#names = names;
    this.#parts = parts;
  }

  [Symbol.dispose](): void {
    for (const one of this.#followed.values()) one[Symbol.dispose]();
    this.#followed.clear();
  }

  /** Hears what became of the pod of a volume; `onEvent` is called when somebody has said something of it. */
  changed(volume: PersistentVolume | undefined, { type, object: pod }: ObjectEvent<Pod>, onEvent: () => void): void {
    if (!volume || !isRecyclerOf(pod, volume, this.#names)) return;
    const { name } = volume.metadata;
    if (type === "deleted") {
      this.#unfollow(name);
      if (!isFinished(pod)) this.#deletedPods.set(name, pod);
    } else if (this.#followed.get(name)?.uid !== pod.metadata.uid) {
      this.#unfollow(name);
      this.#followed.set(name, follow(this.#parts, pod, onEvent));
    }
  }

  /** Forgets a volume. */
  forget(volume: string): void {
    this.#unfollow(volume);
    this.#deletedPods.delete(volume);
    this.#failures.delete(volume);
  }

  /** What was said of the pod of a volume since this was asked last. */
  newEvents(volume: PersistentVolume): CoreEvent[] {
    return this.#followed.get(volume.metadata.name)?.newEvents() ?? [];
  }

  /** The pod of a volume that was deleted before it had ended; onEvent once. */
  takeDeletedPod(volume: PersistentVolume): Pod | undefined {
    const { name } = volume.metadata;
    const lost = this.#deletedPods.get(name);
    this.#deletedPods.delete(name);
    return lost && isRecyclerOf(lost, volume, this.#names) ? lost : undefined;
  }

  /** A pod of a volume has failed, or could not be made: how long to wait for the next, in milliseconds. */
  failed({ metadata: { name } }: PersistentVolume, pod?: Pod): number {
    const last = this.#failures.get(name)?.wait;
    const wait = last === undefined ? INITIAL_BACKOFF_MS : Math.min(last * 2, MAX_BACKOFF_MS);
    this.#failures.set(name, { pod: pod?.metadata.uid, wait, due: this.#parts.clock.steady() + wait });
    return wait;
  }

  /** Whether it was said already that a pod has failed. */
  isReported({ metadata: { name } }: PersistentVolume, { metadata: { uid } }: Pod): boolean {
    return this.#failures.get(name)?.pod === uid;
  }

  /** For how many milliseconds no pod is to be made for a volume. */
  wait({ metadata: { name } }: PersistentVolume): number {
    return (this.#failures.get(name)?.due ?? 0) - this.#parts.clock.steady();
  }

  #unfollow(volume: string): void {
    this.#followed.get(volume)?.[Symbol.dispose]();
    this.#followed.delete(volume);
  }
}

/** Follows the Events about a pod. */
function follow(
  { informer }: SourceParts,
  { metadata: { namespace = "", name, uid } }: Pod,
  onEvent: () => void,
): FollowedPod {
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${name}`;
  const subscriptions = new DisposableStack();
  const events = subscriptions.use(informer(sharedInformer(CoreEvent, { namespace, fieldSelector })));
  let newEvents: CoreEvent[] = [];
  subscriptions.use(
    events.on(({ type, object }) => {
      // One of that name before it may have been onEvent of, too.
      if (type !== "added" || (object.involvedObject.uid ?? uid) !== uid) return;
      newEvents.push(object);
      onEvent();
    }),
  );
  const take = (): CoreEvent[] => {
    const taken = newEvents;
    newEvents = [];
    return taken;
  };
  return { uid, newEvents: take, [Symbol.dispose]: () => subscriptions.dispose() };
}
