/**
 * Recycling that is under way: what the pods that empty volumes meet, and when the next one is tried.
 *
 * Of a volume nothing is kept that cannot be lost: after a restart a pod that is there is waited for, and one that is not is made.
 *
 * @module
 */
import { CoreEvent, type PersistentVolume, type Pod } from "../../client/kinds/index.ts";
import { type Ground, sharedInformer } from "../../runtime/index.ts";

/** The wait after the first failure, which doubles with each, and what it grows to (CTL-GEN-3). */
const FIRST_MS = 500;
const MOST_MS = 120_000;

interface Recycling {
  failures: number;
  /** By the clock that only goes forward. */
  notBefore: number;
  /** The pods that have failed last, and that were taken away before they had done their work. */
  failedPod: string | undefined;
  isLost: boolean;
  /** Events about the pod that were not repeated yet. */
  told: CoreEvent[];
  follows: string | undefined;
  heard: DisposableStack;
}

/** See the head of this file. */
export class Recyclers implements Disposable {
  readonly #ground: Ground;
  readonly #add: (volume: string) => void;
  readonly #all = new Map<string, Recycling>();

  /** @param add has a volume looked at */
  constructor(ground: Ground, add: (volume: string) => void) {
    this.#ground = ground;
    this.#add = add;
  }

  [Symbol.dispose](): void {
    for (const name of this.#all.keys()) this.forget(name);
  }

  /** Nothing is to be known any more: the volume was emptied, is another's, or has gone. */
  forget(volume: string): void {
    this.#all.get(volume)?.heard.dispose();
    this.#all.delete(volume);
  }

  /** Hears of what happens to a pod that empties a volume, to be {@link told}. */
  follow({ metadata: { name } }: PersistentVolume, { metadata: pod }: Pod): void {
    const recycling = this.#of(name);
    if (recycling.follows === pod.uid) return;
    recycling.heard.dispose();
    recycling.heard = new DisposableStack();
    recycling.follows = pod.uid;
    const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod.name}`;
    const informer = this.#ground.informer(sharedInformer(CoreEvent, { namespace: pod.namespace!, fieldSelector }));
    recycling.heard.use(informer);
    recycling.heard.use(
      informer.on(({ type, object }) => {
        if (type === "deleted" || object.involvedObject.uid !== pod.uid) return;
        recycling.told.push(object);
        this.#add(name);
      }),
    );
  }

  /** The Events about the pod since this was asked last. */
  told({ metadata: { name } }: PersistentVolume): readonly CoreEvent[] {
    const recycling = this.#all.get(name);
    return recycling ? recycling.told.splice(0) : [];
  }

  /** A pod has gone before it had done its work. */
  lose(volume: string): void {
    this.#of(volume).isLost = true;
  }

  /** Whether the pod was taken away; said once. */
  wasLost({ metadata: { name } }: PersistentVolume): boolean {
    const recycling = this.#all.get(name);
    if (!recycling?.isLost) return false;
    recycling.isLost = false;
    return true;
  }

  /** Counts a failure, of each pod one. @returns whether it was new */
  failed({ metadata: { name } }: PersistentVolume, pod?: Pod): boolean {
    const recycling = this.#of(name);
    if (pod && recycling.failedPod === pod.metadata.uid) return false;
    recycling.failedPod = pod?.metadata.uid;
    const wait = Math.min(MOST_MS, FIRST_MS * 2 ** recycling.failures);
    recycling.failures = Math.min(recycling.failures + 1, 30);
    recycling.notBefore = this.#ground.clock.steady() + wait;
    return true;
  }

  /** Milliseconds until a pod may be made. */
  wait({ metadata: { name } }: PersistentVolume): number {
    const recycling = this.#all.get(name);
    return recycling ? Math.max(0, recycling.notBefore - this.#ground.clock.steady()) : 0;
  }

  #of(volume: string): Recycling {
    let recycling = this.#all.get(volume);
    if (!recycling) {
      recycling = {
        failures: 0,
        notBefore: 0,
        failedPod: undefined,
        isLost: false,
        told: [],
        follows: undefined,
        heard: new DisposableStack(),
      };
      this.#all.set(volume, recycling);
    }
    return recycling;
  }
}
