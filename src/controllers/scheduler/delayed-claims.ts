/**
 * Claims that wait for the Pod to have a node: on each node each has the smallest volume that fits and that the node can reach, or one is
 * to be made there (SCHED-24..29, SCHED-36..41).
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { reservedFor } from "../../claims/claim-decision.ts";
import { classOf, bucketOf } from "../../claims/fit.ts";
import type { View } from "./view.ts";
import { topics } from "./topics.ts";
import { Provisioning, NO_VOLUME } from "./provisioning.ts";
import type { NodeView } from "./node-state.ts";
import type { Matched, Plan } from "./plan.ts";
import { type VolumeRequest, canReach } from "./reachable-volumes.ts";

/** What can be done for the claims of a Pod on a node: a plan, or the obstacle. */
export type Planned = { readonly plan: Plan } | { readonly obstacle: string };

interface DelayedClaim extends VolumeRequest {
  readonly key: string;
  readonly provisioning: Provisioning;
}

/** See the head of this file. */
export class DelayedClaims {
  readonly #claims: readonly DelayedClaim[];
  readonly #view: View;
  /** What was asked last: two filters ask of one node after the other. */
  #last: { readonly node: NodeView; readonly planned: Planned } | undefined;

  constructor(claims: readonly PersistentVolumeClaim[], view: View) {
    this.#view = view;
    this.#claims = claims.map((claim) => ({
      claim,
      key: keyText(claim.metadata),
      bucket: bucketOf(claim, view.names.binder),
      provisioning: new Provisioning(claim, view),
    }));
  }

  /** What to observe of for them. */
  get waitsFor(): readonly string[] {
    return this.#claims.flatMap(({ claim, key, bucket, provisioning }) => {
      const className = classOf(claim, this.#view.names.binder);
      return [topics.claim(key), topics.bucket(bucket), topics.storageClass(className), ...provisioning.waitsFor];
    });
  }

  /** What can be done on a node. */
  on(node: NodeView): Planned {
    if (this.#last?.node !== node) this.#last = { node, planned: this.#plan(node) };
    return this.#last.planned;
  }

  #plan(node: NodeView): Planned {
    const matched: Matched[] = [];
    const provisioned: PersistentVolumeClaim[] = [];
    const taken = new Set<string>();
    for (const one of this.#claims) {
      const found = this.#match(one, node, taken);
      if (found === "elsewhere") return { obstacle: NO_VOLUME };
      if (found) {
        taken.add(found.volume.metadata.name);
        matched.push(found);
        continue;
      }
      const obstacle = one.provisioning.obstacleOn(node);
      if (obstacle !== undefined) return { obstacle };
      provisioned.push(one.claim);
    }
    return { plan: { matched, provisioned } };
  }

  /** The volume that a claim has on a node; `elsewhere` where it has one, or a node of its own, that is not this. */
  #match(
    request: DelayedClaim,
    { name, node }: NodeView,
    taken: ReadonlySet<string>,
  ): Matched | "elsewhere" | undefined {
    const { claim } = request;
    const { selectedNode } = this.#view.names.binder;
    const chosen = claim.metadata.annotations?.[selectedNode];
    // Whose node was chosen has its volume made there (SCHED-29).
    if (chosen !== undefined) return chosen === name ? undefined : "elsewhere";
    const reserved = reservedFor(claim, { volumesNaming: () => this.#view.volumesNaming(request.key) });
    if (reserved) return canReach(node, reserved) ? { claim, volume: reserved } : "elsewhere";
    const volume = this.#view.smallest(node, request, taken);
    return volume && { claim, volume };
  }
}
