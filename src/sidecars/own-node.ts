/**
 * Sidecars beside a driver that has the disks of one node: they look after that node's volumes alone, and leave the others to those of
 * other nodes.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { PersistentVolume } from "../client/kinds/index.ts";
import type { Texts } from "./contract.ts";

/** A node with a driver of its own. */
export interface OwnNode {
  readonly name: string;
  /** Where the driver says that it is. */
  readonly segments: Texts;
}

/** Whether a volume is reached from a node; one that says nothing is reached from everywhere. */
export function isReached({ spec }: PersistentVolume, node: OwnNode | undefined): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  if (!node || !terms) return true;
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.every(
      ({ key, operator, values = [] }) => operator === "In" && values.includes(node.segments[key] ?? ""),
    ),
  );
}

const MOST = 63;

/** A name that is told apart by a node where there is one; of at most 63 characters. */
export function nameFor(stem: string, node: OwnNode | undefined): string {
  if (!node) return stem;
  const name = `${stem}-${node.name}`;
  if (name.length <= MOST && /^[\w.-]*\w$/.test(name)) return name;
  return `${stem.slice(0, MOST - 17)}-${createHash("sha256").update(node.name).digest("hex").slice(0, 16)}`;
}
