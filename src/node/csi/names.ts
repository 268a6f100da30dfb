/**
 * The names that a node and its drivers speak by, in those of a dialect.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";

/** See the head of this file. */
export interface CsiNames {
  /** On a Node: what its drivers call it, as a JSON object (CSIN-26). */
  readonly nodeIds: string;
  /** What a driver is told of a Pod (NODE-30). */
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly account: string;
  readonly ephemeral: string;
  /** Tokens of the Pod's account (NODE-36). */
  readonly tokens: string;
  /** The state of a claim whose volume cannot grow on the node (NODE-49, AMB-47). */
  readonly cannotGrow: string;
}

/** The names in a dialect. */
export function csiNames({ domain, labelDomain, rules }: Dialect): CsiNames {
  const prefix = `csi.storage.${domain}`;
  return {
    nodeIds: `csi.volume.${labelDomain}/nodeid`,
    podName: `${prefix}/pod.name`,
    podNamespace: `${prefix}/pod.namespace`,
    podUid: `${prefix}/pod.uid`,
    account: `${prefix}/serviceAccount.name`,
    ephemeral: `${prefix}/ephemeral`,
    tokens: `${prefix}/serviceAccount.tokens`,
    cannotGrow: rules.enforceDocumented ? "NodeResizeFailed" : "NodeResizeInfeasible",
  };
}

/** The kind of directories of volumes of drivers (NODE-6). */
export const CSI_KIND = "kubernetes.io~csi";
