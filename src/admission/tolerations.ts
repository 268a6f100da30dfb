/**
 * Tolerations: which of them cover others.
 *
 * @module
 */
import type { PodSpec } from "../kinds/core/v1/pod/spec-schema.ts";

/** A toleration in wire form. */
export type Toleration = NonNullable<PodSpec["tolerations"]>[number];

/** In longer lists, duplicates are not removed. */
const MAX_MERGED = 1000;

/** Removes tolerations that another one covers; of two equal ones, the first is kept. */
export function mergeTolerations(all: readonly Toleration[]): readonly Toleration[] {
  if (all.length > MAX_MERGED) return all;
  const merged: Toleration[] = [];
  for (const [i, one] of all.entries()) {
    const isSaid =
      merged.some((other) => covers(other, one)) ||
      all.slice(i + 1).some((other) => !isSame(other, one) && covers(other, one));
    if (!isSaid) merged.push(one);
  }
  return merged;
}

const isSame = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key &&
  a.operator === b.operator &&
  a.value === b.value &&
  a.effect === b.effect &&
  a.tolerationSeconds === b.tolerationSeconds;

/** Whether a toleration covers everything that another one covers, and for as long. */
export function covers(one: Toleration, other: Toleration): boolean {
  if (isSame(one, other)) return true;
  const isOfAllKeys = (one.key ?? "") === "" && one.operator === "Exists";
  if (one.key !== other.key && !isOfAllKeys) return false;
  if ((one.effect ?? "") !== "" && one.effect !== other.effect) return false;
  const { tolerationSeconds: seconds } = one;
  if (one.effect === "NoExecute" && seconds !== undefined) {
    if (other.tolerationSeconds === undefined || other.tolerationSeconds > seconds) return false;
  }
  return one.operator === "Exists" || (other.operator === "Equal" && one.value === other.value);
}
