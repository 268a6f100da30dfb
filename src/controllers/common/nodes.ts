/**
 * What several controllers ask of nodes.
 *
 * @module
 */
import type { AttachNames } from "../../claims/attachment.ts";
import type { Node, Pod } from "../../client/kinds/index.ts";

/** The node of a Pod: an index, and the same one for all who name this very function. */
export const nodeOfPod = ({ spec }: Pod): string | undefined => spec.nodeName || undefined;

/** Whether somebody has said of a node that it is switched off. */
export const isOutOfService = ({ spec }: Node, { outOfService }: AttachNames): boolean =>
  spec.taints?.some(({ key }) => key === outOfService) === true;

/** Whether a node is ready; one that never said so is not. */
export const isReady = ({ status }: Node): boolean =>
  status.conditions?.some(({ type, status: said }) => type === "Ready" && said === "True") === true;
