/**
 * Sidecars of a driver that has the disks of one node. They handle the volumes of that node only.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { PersistentVolume } from "../client/kinds/index.ts";
import type { Texts } from "./contract.ts";

/** A node with a driver of its own. */
export interface OwnNode {
  readonly name: string;
  /** The topology that the driver reports. */
  readonly segments: Texts;
}

/** Whether a volume is accessible from a node; one without node affinity is accessible from every node. */
export function isAccessible({ spec }: PersistentVolume, node: OwnNode | undefined): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  if (!node || !terms) return true;
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.every(
      ({ key, operator, values = [] }) => operator === "In" && values.includes(node.segments[key] ?? ""),
    ),
  );
}

const MAX_NAME_LENGTH = 63;

/** A name of at most 63 characters that is different for each node. */
export function nameFor(stem: string, node: OwnNode | undefined): string {
  if (!node) return stem;
  const name = `${stem}-${node.name}`;
  if (name.length <= MAX_NAME_LENGTH && /^[\w.-]*\w$/.test(name)) return name;
  const hash = createHash("sha256").update(node.name).digest("hex").slice(0, 16);
  return `${stem.slice(0, MAX_NAME_LENGTH - 17)}-${hash}`;
}
