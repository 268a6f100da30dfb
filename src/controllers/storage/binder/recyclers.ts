/**
 * What the binder remembers of pods that empty volumes, and no object says: what they have told, that one was deleted
 * before it had ended, and when the next may be tried.
 *
 * Who takes over from another goes on with the pod that there is, and waits for nothing before it makes the next.
 *
 * @module
 */
import { CoreEvent, type PersistentVolume, type Pod } from "../../../client/kinds/index.ts";
import { type Ground, type ObjectEvent, sharedInformer } from "../../../runtime/index.ts";
import { isFinished } from "../../../claims/usage.ts";
import type { BinderNames } from "../../../claims/annotations.ts";
import { isRecyclerOf } from "./recycler.ts";

/** The wait after the first failure, which doubles with each, and what it grows to (CTL-GEN-3). */
const FIRST_MS = 500;
const MOST_MS = 120_000;

interface Followed extends Disposable {
  readonly uid: string;
  /** The Events about the pod that were not asked for yet. */
  news(): CoreEvent[];
}

/** The last pod that has failed, or could not be made. */
interface Failure {
  readonly pod: string | undefined;
  readonly wait: number;
  /** On the steady clock. */
  readonly due: number;
}

/** See the head of this file. */
export class Recyclers implements Disposable {
  readonly #names: BinderNames;
  readonly #ground: Ground;
  readonly #followed = new Map<string, Followed>();
  readonly #lost = new Map<string, Pod>();
  readonly #failures = new Map<string, Failure>();

  constructor(names: BinderNames, ground: Ground) {
    this.#names = names;
    this.#ground = ground;
  }

  [Symbol.dispose](): void {
    for (const one of this.#followed.values()) one[Symbol.dispose]();
    this.#followed.clear();
  }

  /** Hears what became of the pod of a volume; `told` is called when somebody has said something of it. */
  changed(volume: PersistentVolume | undefined, { type, object: pod }: ObjectEvent<Pod>, told: () => void): void {
    if (!volume || !isRecyclerOf(pod, volume, this.#names)) return;
    const { name } = volume.metadata;
    if (type === "deleted") {
      this.#unfollow(name);
      if (!isFinished(pod)) this.#lost.set(name, pod);
    } else if (this.#followed.get(name)?.uid !== pod.metadata.uid) {
      this.#unfollow(name);
      this.#followed.set(name, follow(this.#ground, pod, told));
    }
  }

  /** Forgets a volume. */
  forget(volume: string): void {
    this.#unfollow(volume);
    this.#lost.delete(volume);
    this.#failures.delete(volume);
  }

  /** What was said of the pod of a volume since this was asked last. */
  news(volume: PersistentVolume): CoreEvent[] {
    return this.#followed.get(volume.metadata.name)?.news() ?? [];
  }

  /** The pod of a volume that was deleted before it had ended; told once. */
  takeLost(volume: PersistentVolume): Pod | undefined {
    const { name } = volume.metadata;
    const lost = this.#lost.get(name);
    this.#lost.delete(name);
    return lost && isRecyclerOf(lost, volume, this.#names) ? lost : undefined;
  }

  /** A pod of a volume has failed, or could not be made: how long to wait for the next, in milliseconds. */
  failed({ metadata: { name } }: PersistentVolume, pod?: Pod): number {
    const last = this.#failures.get(name)?.wait;
    const wait = last === undefined ? FIRST_MS : Math.min(last * 2, MOST_MS);
    this.#failures.set(name, { pod: pod?.metadata.uid, wait, due: this.#ground.clock.steady() + wait });
    return wait;
  }

  /** Whether it was said already that a pod has failed. */
  isKnown({ metadata: { name } }: PersistentVolume, { metadata: { uid } }: Pod): boolean {
    return this.#failures.get(name)?.pod === uid;
  }

  /** For how many milliseconds no pod is to be made for a volume. */
  wait({ metadata: { name } }: PersistentVolume): number {
    return (this.#failures.get(name)?.due ?? 0) - this.#ground.clock.steady();
  }

  #unfollow(volume: string): void {
    this.#followed.get(volume)?.[Symbol.dispose]();
    this.#followed.delete(volume);
  }
}

/** Follows the Events about a pod. */
function follow({ informer }: Ground, { metadata: { namespace = "", name, uid } }: Pod, told: () => void): Followed {
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${name}`;
  const heard = new DisposableStack();
  const events = heard.use(informer(sharedInformer(CoreEvent, { namespace, fieldSelector })));
  let news: CoreEvent[] = [];
  heard.use(
    events.on(({ type, object }) => {
      // One of that name before it may have been told of, too.
      if (type !== "added" || (object.involvedObject.uid ?? uid) !== uid) return;
      news.push(object);
      told();
    }),
  );
  const take = (): CoreEvent[] => {
    const taken = news;
    news = [];
    return taken;
  };
  return { uid, news: take, [Symbol.dispose]: () => heard.dispose() };
}
