/** Conditions of nodes that several controllers use. */
import type { AttachNames } from "../../claims/attachment.ts";
import type { Node, Pod } from "../../client/kinds/index.ts";

/** Indexes Pods by node; all informers that use this function share the index. */
export const nodeOfPod = ({ spec }: Pod): string | undefined => spec.nodeName || undefined;

/** Whether a node has the out-of-service taint. */
export const isOutOfService = ({ spec }: Node, { outOfService }: AttachNames): boolean =>
  spec.taints?.some(({ key }) => key === outOfService) === true;

/** Whether a node reports that it is ready. */
export const isReady = ({ status }: Node): boolean =>
  status.conditions?.some(({ type, status: said }) => type === "Ready" && said === "True") === true;
