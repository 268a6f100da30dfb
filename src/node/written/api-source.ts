/**
 * The content of volumes from the server: follows the objects of a Pod's volumes while the Pod exists, and reconciles the
 * Pod after a change (PROJ-55).
 *
 * @module
 */
import { ConfigMap, type Pod, Secret } from "../../client/kinds/index.ts";
import type { ContentSource } from "../../volumes/contract.ts";
import type { CertificateKeeper } from "../certificates.ts";
import type { PluginContext } from "../contract.ts";
import type { TokenKeeper } from "../tokens.ts";
import { FollowedBundles } from "./followed-bundles.ts";
import { FollowedObjects } from "./followed-objects.ts";

/** See the head of this file. */
export class ApiSource implements Disposable {
  readonly #context: PluginContext;
  readonly #tokens: TokenKeeper;
  readonly #certificates: CertificateKeeper;
  readonly #configMaps: FollowedObjects<ConfigMap>;
  readonly #secrets: FollowedObjects<Secret>;
  readonly #bundles: FollowedBundles;

  constructor(context: PluginContext, tokens: TokenKeeper, certificates: CertificateKeeper) {
    this.#context = context;
    this.#tokens = tokens;
    this.#certificates = certificates;
    this.#configMaps = new FollowedObjects(context, ConfigMap);
    this.#secrets = new FollowedObjects(context, Secret);
    this.#bundles = new FollowedBundles(context);
  }

  /** The source for the volumes of a Pod; its objects are followed until the Pod is forgotten. */
  of({ metadata: { uid } }: Pod): ContentSource {
    return {
      configMap: (key) => this.#configMaps.get(uid, key),
      secret: (key) => this.#secrets.get(uid, key),
      trustBundles: (wish) => this.#bundles.get(uid, wish),
      token: async (pod, wish) => (await this.#tokens.get(pod, wish)).token,
      certificate: (pod, wish, volume) => this.#certificates.get(pod, wish, volume),
      allocatable: () => this.#context.allocatable(),
    };
  }

  /** Forgets the tokens and certificates of a Pod, and stops following objects that it alone used (PROJ-58). */
  forget(podUid: string): void {
    this.#configMaps.forget(podUid);
    this.#secrets.forget(podUid);
    this.#bundles.forget(podUid);
    this.#tokens.forget(podUid);
    this.#certificates.forget(podUid);
  }

  /** How many ConfigMaps and Secrets are followed. */
  get following(): number {
    return this.#configMaps.size + this.#secrets.size;
  }

  [Symbol.dispose](): void {
    this.#configMaps[Symbol.dispose]();
    this.#secrets[Symbol.dispose]();
    this.#bundles[Symbol.dispose]();
    this.#certificates[Symbol.dispose]();
    this.#tokens[Symbol.dispose]();
  }
}
