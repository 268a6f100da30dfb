/** Which nodes have a Pod of a DaemonSet (WL-DS-1, WL-DS-3). */
import type { Node } from "../../client/kinds/index.ts";
import type { PodTemplate } from "../common/template.ts";
import { matcherOf } from "../nodes/node-selector.ts";
import { isTolerated } from "../nodes/tolerations.ts";
import { tolerationsOf } from "./pod.ts";
import type { Steps } from "../../util/steps.ts";

/** Whether a node should have a Pod (`runs`), keeps an existing one (`stays`), or should have none (`none`). */
export type NodeFit = "runs" | "stays" | "none";

/** Returns the fit of a node. */
export type FitOf = (node: Node) => NodeFit;

const compiled = new WeakMap<PodTemplate, FitOf>();

/** Compiles the fit of nodes to the template of an immutable object: once for each template, and evaluated once for each node. */
export function fitOf(template: PodTemplate): FitOf {
  const known = compiled.get(template);
  if (known) return known;
  const judge = compile(template);
  const fits = new WeakMap<Node, NodeFit>();
  const fit: FitOf = (node) => {
    let found = fits.get(node);
    if (found === undefined) fits.set(node, (found = judge(node)));
    return found;
  };
  compiled.set(template, fit);
  return fit;
}

/** Evaluates nodes in slices before {@link fitOf} is used: a template may have tens of thousands of terms. */
export function* judgeNodes(template: PodTemplate, nodes: readonly Node[]): Steps<void> {
  const fit = fitOf(template);
  for (const node of nodes) {
    fit(node);
    yield;
  }
}

function compile(template: PodTemplate): FitOf {
  const { nodeName, nodeSelector = {}, affinity } = template.spec;
  const labels = Object.entries(nodeSelector);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matches = required ? matcherOf(required) : () => true;
  const tolerations = tolerationsOf(template);
  return (node) => {
    if (nodeName && nodeName !== node.metadata.name) return "none";
    const has = node.metadata.labels ?? {};
    if (!labels.every(([key, value]) => Object.hasOwn(has, key) && has[key] === value)) return "none";
    if (!matches(node)) return "none";
    const open = (node.spec.taints ?? []).filter((taint) => !isTolerated(taint, tolerations));
    if (open.some(({ effect }) => effect === "NoExecute")) return "none";
    return open.some(({ effect }) => effect === "NoSchedule") ? "stays" : "runs";
  };
}
