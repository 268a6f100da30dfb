/** Faults of nodes and images, which annotations of the objects record. */
import { type Client, attempt } from "../../client/index.ts";
import { Node, Pod } from "../../client/kinds/index.ts";
import { formatTime } from "../../meta/time.ts";
import { durationText, millisOf } from "../../util/duration.ts";
import {
  DISK_PRESSURE_ANNOTATION,
  FLAPPING_ANNOTATION,
  type NodeTarget,
  PULLS_ANNOTATION,
  STOPPED_ANNOTATION,
  type SimulationFaults,
} from "../contract.ts";
import { type PullRule, isSimulated, pullRulesOf } from "./marks.ts";

const ZONE_LABEL = "topology.kubernetes.io/zone";
const ALL: NodeTarget = { all: true };

/** Creates the faults of a cluster. @param now milliseconds since the epoch */
export function faultsOf(client: Client, now: () => number): SimulationFaults {
  const nodes = client.resource(Node);
  const targets = async (target: NodeTarget): Promise<readonly Node[]> => {
    if ("node" in target) {
      const node = await nodes.get({ name: target.node });
      if (!isSimulated(node)) throw new Error(`expected node ${target.node} to be simulated`);
      return [node];
    }
    const selector = "zone" in target ? { labelSelector: `${ZONE_LABEL}=${target.zone}` } : {};
    const found = (await nodes.list(selector)).items.filter((node) => isSimulated(node));
    if (found.length === 0) {
      throw new Error(`expected simulated nodes${"zone" in target ? ` in zone ${target.zone}` : ""}, found none`);
    }
    return found;
  };
  const annotate = async (
    target: NodeTarget,
    annotations: (node: Node) => Readonly<Record<string, string | null>>,
  ): Promise<void> => {
    for (const node of await targets(target)) {
      const { name, uid } = node.metadata;
      const patch = { metadata: { uid, annotations: annotations(node) } };
      // oxlint-disable-next-line no-await-in-loop -- in the order of names, for equal revisions
      await attempt(nodes.patch({ name }, patch as never), "NotFound");
    }
  };
  const pulls = (target: NodeTarget, change: (rules: Record<string, PullRule>) => void): Promise<void> =>
    annotate(target, (node) => {
      const rules: Record<string, PullRule> = { ...pullRulesOf(node) };
      change(rules);
      return { [PULLS_ANNOTATION]: Object.keys(rules).length === 0 ? null : JSON.stringify(rules) };
    });
  return {
    lose: (target) =>
      annotate(target, ({ metadata }) => ({
        [STOPPED_ANNOTATION]: metadata.annotations?.[STOPPED_ANNOTATION] ?? formatTime(now()),
      })),
    restore: (target) => annotate(target, () => ({ [STOPPED_ANNOTATION]: null })),
    slowPulls: (delay, image = "*", target = ALL) =>
      pulls(target, (rules) => void (rules[image] = { ...rules[image], delay: durationText(millisOf(delay)) })),
    missingImage: (image, target = ALL) =>
      pulls(target, (rules) => void (rules[image] = { ...rules[image], missing: true })),
    restorePulls: (image, target = ALL) =>
      pulls(target, (rules) => {
        for (const pattern of Object.keys(rules)) if (image === undefined || pattern === image) delete rules[pattern];
      }),
    diskPressure: (target) =>
      annotate(target, ({ metadata }) => ({
        [DISK_PRESSURE_ANNOTATION]: metadata.annotations?.[DISK_PRESSURE_ANNOTATION] ?? formatTime(now()),
      })),
    restoreDisk: (target) => annotate(target, () => ({ [DISK_PRESSURE_ANNOTATION]: null })),
    async flapping({ namespace, name }, period) {
      const value = period === undefined ? null : durationText(millisOf(period));
      await client
        .resource(Pod)
        .patch({ namespace, name }, { metadata: { annotations: { [FLAPPING_ANNOTATION]: value } } } as never);
    },
  };
}
