/** Whether a Pod is at rest: it does not change unless a client changes it. */
import type { Pod } from "../client/kinds/index.ts";
import { FLAPPING_ANNOTATION, RUN_FOR_ANNOTATION } from "./contract.ts";
import { endsByItself } from "./life/life.ts";
import { isFinal } from "./life/summary.ts";

/** Whether the server removes a Pod at this moment: it was deleted without a grace period, and has no finalizers. */
export const isVanishing = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  metadata.deletionGracePeriodSeconds === 0 &&
  (metadata.finalizers ?? []).length === 0;

/**
 * Whether a Pod on a simulated node is at rest. Ten thousand of them cost nothing: they are not even looked at.
 *
 * @param isScripted whether an image has a script, which may do something at any time
 */
export function isAtRest(pod: Pod, isScripted: (image: string) => boolean): boolean {
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp !== undefined) return isVanishing(pod);
  if (isFinal(status.phase)) return true;
  if (status.phase !== "Running" || (spec.readinessGates ?? []).length > 0) return false;
  if (spec.activeDeadlineSeconds !== undefined || endsByItself(pod)) return false;
  if (metadata.generation !== undefined && status.observedGeneration !== metadata.generation) return false;
  const { annotations } = metadata;
  if (annotations && (FLAPPING_ANNOTATION in annotations || RUN_FOR_ANNOTATION in annotations)) return false;
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  const containers = spec.containers ?? [];
  const init = spec.initContainers ?? [];
  if (containerStatuses.length !== containers.length || initContainerStatuses.length !== init.length) return false;
  if (!containerStatuses.every(({ state, ready }) => state.running && ready)) return false;
  // The lifecycle controller has set the Pod to not ready.
  if (!status.conditions?.some(({ type, status: said }) => type === "Ready" && said === "True")) return false;
  if (!initContainerStatuses.every(({ state, started }) => state.terminated ?? started)) return false;
  return ![...containers, ...init].some(({ image = "" }) => isScripted(image));
}
