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

/** The plan for the claims of a Pod on a node, or the obstacle. */
export type Planned = { readonly plan: Plan } | { readonly obstacle: string };

interface DelayedClaim extends VolumeRequest {
  readonly key: string;
  readonly provisioning: Provisioning;
}

/**
 * The claims of a Pod that bind only once it has a node (WaitForFirstConsumer). On each node a claim gets the smallest
 * volume that fits and that the node can reach, or a volume is provisioned there (SCHED-24..29, SCHED-36..41).
 */
export class DelayedClaims {
  readonly #claims: readonly DelayedClaim[];
  readonly #view: View;
  /** The last result: two filters read it for the same node one after the other. */
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

  /** The topics whose changes may remove an obstacle. */
  get waitsFor(): readonly string[] {
    return this.#claims.flatMap(({ claim, key, bucket, provisioning }) => {
      const className = classOf(claim, this.#view.names.binder);
      return [topics.claim(key), topics.bucket(bucket), topics.storageClass(className), ...provisioning.waitsFor];
    });
  }

  /** Returns the plan for a node. */
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

  /** Returns the volume of a claim on a node; `elsewhere` where its volume or selected node excludes this one. */
  #match(
    request: DelayedClaim,
    { name, node }: NodeView,
    taken: ReadonlySet<string>,
  ): Matched | "elsewhere" | undefined {
    const { claim } = request;
    const { selectedNode } = this.#view.names.binder;
    const chosen = claim.metadata.annotations?.[selectedNode];
    // The volume is provisioned for the selected node (SCHED-29).
    if (chosen !== undefined) return chosen === name ? undefined : "elsewhere";
    const reserved = reservedFor(claim, { volumesNaming: () => this.#view.volumesNaming(request.key) });
    if (reserved) return canReach(node, reserved) ? { claim, volume: reserved } : "elsewhere";
    const volume = this.#view.smallest(node, request, taken);
    return volume && { claim, volume };
  }
}
