/**
 * Writes the status of simulated nodes: their resources and addresses once, their conditions where these change.
 * There are no heartbeats: a day of a thousand nodes would be eight million writes. A lost node has the time of its loss in an annotation,
 * and reports nothing until it is back.
 */
import { Node } from "../../client/kinds/index.ts";
import { type Controller, defineController, sharedInformer } from "../../runtime/index.ts";
import { write, writeStatus } from "../../runtime/writes.ts";
import { performStage } from "../stages/perform.ts";
import type { SimulationState } from "../state.ts";
import { fullSince, isSimulated, lostSince } from "./marks.ts";
import { areReported, conditionsOfNode, indexOfRange, rangeOf, reportOf } from "./node-object.ts";

/** The informer of nodes. */
export const simulatedNodeSpec = sharedInformer(Node);

/** The controller named `simulated-nodes`. With Stages for nodes, these alone report their status. */
export const nodeController = (state: SimulationState): Controller =>
  defineController({
    name: "keelson-simulated-nodes",
    eventSource: "kubelet",
    for: simulatedNodeSpec,
    predicate: ({ object }) => isSimulated(object),
    concurrency: 1,
    async reconcile({ object: node, client, clock, informer, events }) {
      if (!isSimulated(node) || lostSince(node) !== undefined || node.metadata.deletionTimestamp !== undefined) {
        return undefined;
      }
      if (!node.spec.podCIDR) {
        const range = rangeOf(freeIndex(informer(simulatedNodeSpec).list()));
        await write(client, Node, { ...node, spec: { ...node.spec, podCIDR: range, podCIDRs: [range] } });
        return undefined;
      }
      if (state.stages.has("Node")) {
        // It has no address before the first Stage.
        const known = (node.status.addresses ?? []).length > 0;
        const { addresses } = known ? node.status : reportOf(node, indexOfRange(node.spec.podCIDR) ?? 0);
        const addressed = { ...node, status: { ...node.status, addresses } } as Node;
        return performStage(Node, node, {
          client,
          now: clock.now(),
          state,
          node: addressed,
          podIP: "",
          event: (type, reason, note) => events[type === "Normal" ? "normal" : "warning"](reason, note),
        });
      }
      const isFull = fullSince(node) !== undefined;
      const hasReport = node.status.capacity !== undefined && (node.status.addresses ?? []).length > 0;
      if (hasReport && areReported(node, isFull)) return undefined;
      const report = hasReport ? {} : reportOf(node, indexOfRange(node.spec.podCIDR) ?? 0);
      const conditions = conditionsOfNode(node, isFull, clock.now());
      await writeStatus(client, Node, { ...node, status: { ...node.status, ...report, conditions } });
      return undefined;
    },
  });

/** The lowest number whose range no node has. */
function freeIndex(nodes: readonly Node[]): number {
  const taken = new Set(nodes.map(({ spec }) => indexOfRange(spec.podCIDR)));
  let index = 0;
  while (taken.has(index)) index++;
  return index;
}
