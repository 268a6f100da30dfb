/** How long an agent of a node may keep ConfigMaps and Secrets, by the number of nodes (WL-NODE-1). */

/** The annotation of nodes with that time in seconds. */
export const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";

/** A step of {@link nextTtlStep}. */
export type TtlStep = 0 | 1 | 2 | 3 | 4;

/** Each step begins above the `most` of the previous one and ends below its `least`: a number between both does not change the step. */
const STEPS = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: Infinity, seconds: 300 },
] as const;

/** Returns the step for a number of nodes, from the previous step. */
export function nextTtlStep(before: TtlStep, nodes: number): TtlStep {
  let step: number = before;
  while (nodes > STEPS[step as TtlStep].most) step++;
  while (nodes < STEPS[step as TtlStep].least) step--;
  return step as TtlStep;
}

/** The seconds of a step. */
export const ttlSecondsOf = (step: TtlStep): number => STEPS[step].seconds;
