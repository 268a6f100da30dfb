import { CoreEvent, type PersistentVolume, type Pod } from "../../../client/kinds/index.ts";
import { type SourceParts, type ObjectEvent, sharedInformer } from "../../../runtime/index.ts";
import { isFinished } from "../../../claims/usage.ts";
import type { BinderNames } from "../../../claims/annotations.ts";
import { isRecyclerOf } from "./recycler-pod.ts";

/** The backoff after the first failure, which doubles, and its maximum (CTL-GEN-3). */
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 120_000;

interface FollowedPod extends Disposable {
  readonly uid: string;
  /** The Events about the Pod since the last call. */
  newEvents(): CoreEvent[];
}

interface Failure {
  readonly pod: string | undefined;
  readonly wait: number;
  /** A time of the steady clock. */
  readonly due: number;
}

/**
 * Tracks recycler Pods beyond what the objects show: their Events, early deletion, and the time of the next try. After
 * a restart the binder continues with an existing Pod.
 */
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

  /** Observes a recycler Pod; `onEvent` is called for its Events. */
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

  /** Drops the record of a volume. */
  forget(volume: string): void {
    this.#unfollow(volume);
    this.#deletedPods.delete(volume);
    this.#failures.delete(volume);
  }

  /** Returns new Events about the Pod of a volume. */
  newEvents(volume: PersistentVolume): CoreEvent[] {
    return this.#followed.get(volume.metadata.name)?.newEvents() ?? [];
  }

  /** Returns the Pod that was deleted before it had ended, once. */
  takeDeletedPod(volume: PersistentVolume): Pod | undefined {
    const { name } = volume.metadata;
    const lost = this.#deletedPods.get(name);
    this.#deletedPods.delete(name);
    return lost && isRecyclerOf(lost, volume, this.#names) ? lost : undefined;
  }

  /** Records a failure and returns the backoff in milliseconds. */
  failed({ metadata: { name } }: PersistentVolume, pod?: Pod): number {
    const last = this.#failures.get(name)?.wait;
    const wait = last === undefined ? INITIAL_BACKOFF_MS : Math.min(last * 2, MAX_BACKOFF_MS);
    this.#failures.set(name, { pod: pod?.metadata.uid, wait, due: this.#parts.clock.steady() + wait });
    return wait;
  }

  /** Whether the failure of a Pod was recorded. */
  isReported({ metadata: { name } }: PersistentVolume, { metadata: { uid } }: Pod): boolean {
    return this.#failures.get(name)?.pod === uid;
  }

  /** The rest of the backoff in milliseconds. */
  wait({ metadata: { name } }: PersistentVolume): number {
    return (this.#failures.get(name)?.due ?? 0) - this.#parts.clock.steady();
  }

  #unfollow(volume: string): void {
    this.#followed.get(volume)?.[Symbol.dispose]();
    this.#followed.delete(volume);
  }
}

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
      // An Event may be about an earlier Pod of that name.
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
