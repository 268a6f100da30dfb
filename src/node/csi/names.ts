/**
 * The names in a dialect that a node and its drivers use.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";

/** See the head of this file. */
export type CsiNames = ReturnType<typeof csiNames>;

/** The names in a dialect. */
export function csiNames({ domain, labelDomain, rules }: Dialect) {
  const prefix = `csi.storage.${domain}`;
  return {
    /** Annotation of a Node: the node IDs of its drivers, as a JSON object (CSIN-26). */
    nodeIds: `csi.volume.${labelDomain}/nodeid`,
    /** Keys of the volume context with information about the Pod (NODE-30). */
    podName: `${prefix}/pod.name`,
    podNamespace: `${prefix}/pod.namespace`,
    podUid: `${prefix}/pod.uid`,
    account: `${prefix}/serviceAccount.name`,
    ephemeral: `${prefix}/ephemeral`,
    /** Tokens of the Pod's service account (NODE-36). */
    tokens: `${prefix}/serviceAccount.tokens`,
    /** The state of a claim whose volume cannot be expanded on the node (NODE-49, AMB-47). */
    cannotGrow: rules.enforceDocumented ? "NodeResizeFailed" : "NodeResizeInfeasible",
  };
}

/** The kind of directories of CSI volumes (NODE-6). */
export const CSI_KIND = "kubernetes.io~csi";
