/**
 * ClusterTrustBundles for volumes: all are followed while a Pod uses one, since there are few.
 *
 * @module
 */
import { isStatus } from "../../client/index.ts";
import { ClusterTrustBundle } from "../../client/kinds/index.ts";
import { type HeldInformer, sharedInformer } from "../../runtime/index.ts";
import { chosenBundles } from "../../volumes/bundle-choice.ts";
import type { ProjectedSource } from "../../volumes/contract.ts";
import type { PluginContext } from "../contract.ts";

type Wish = NonNullable<ProjectedSource["clusterTrustBundle"]>;

/** See the head of this file. */
export class FollowedBundles implements Disposable {
  readonly #context: PluginContext;
  #informer: HeldInformer<ClusterTrustBundle, "Cluster"> | undefined;
  /** The bundles that Pods use, by uid. */
  readonly #users = new Map<string, Map<string, Wish>>();

  constructor(context: PluginContext) {
    this.#context = context;
  }

  /** The current bundles that a source of a Pod chooses. */
  async get(podUid: string, wish: Wish): Promise<readonly ClusterTrustBundle[]> {
    const wishes = this.#users.get(podUid) ?? new Map<string, Wish>();
    this.#users.set(podUid, wishes);
    wishes.set(JSON.stringify(wish), wish);
    const informer = this.#following();
    const all = informer.reflector.hasSynced ? informer.list() : await this.#read();
    return chosenBundles(all, wish);
  }

  /** Forgets a Pod; stops following bundles after the last one. */
  forget(podUid: string): void {
    this.#users.delete(podUid);
    if (this.#users.size === 0) this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#informer?.[Symbol.dispose]();
    this.#informer = undefined;
  }

  #following(): HeldInformer<ClusterTrustBundle, "Cluster"> {
    if (this.#informer) return this.#informer;
    const informer = this.#context.informer(sharedInformer(ClusterTrustBundle));
    informer.on((event) => {
      const touched = event.type === "changed" ? [event.object, event.old] : [event.object];
      for (const [uid, wishes] of this.#users) {
        if ([...wishes.values()].some((wish) => chosenBundles(touched, wish).length > 0)) this.#context.lookAt(uid);
      }
    });
    return (this.#informer = informer);
  }

  async #read(): Promise<readonly ClusterTrustBundle[]> {
    try {
      return (await this.#context.client.resource(ClusterTrustBundle).list()).items;
    } catch (error) {
      // The server does not have the kind.
      if (isStatus(error, "NotFound")) return [];
      throw error;
    }
  }
}
