/** Whether Pods tolerate the taints of nodes. */
import type { Pod } from "../../client/kinds/index.ts";

/** A toleration of a Pod. */
export type Toleration = NonNullable<Pod["spec"]["tolerations"]>[number];

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

/** Whether a toleration matches a taint. */
export function tolerates({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return key !== "" && (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}

/** Whether one of the tolerations matches a taint. */
export const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some((toleration) => tolerates(toleration, taint));
