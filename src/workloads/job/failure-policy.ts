/** What a podFailurePolicy says about a failed Pod (WL-JOB-30). */
import type { Job, Pod } from "../../client/kinds/index.ts";

/** What becomes of a failure. */
export interface FailureVerdict {
  /** Whether it counts towards the limits. */
  readonly isCounted: boolean;
  /** Whether it fails its index at once. */
  readonly failsIndex: boolean;
  /** Why it ends the Job; undefined where it does not. */
  readonly failsJob?: string;
}

const COUNTED: FailureVerdict = { isCounted: true, failsIndex: false };
const IGNORED: FailureVerdict = { isCounted: false, failsIndex: false };
const FAILS_INDEX: FailureVerdict = { isCounted: true, failsIndex: true };

type Rule = NonNullable<NonNullable<Job["spec"]["podFailurePolicy"]>["rules"]>[number];
type ContainerStatuses = Pod["status"]["containerStatuses"];

/** Returns the verdict of the first rule that fits; without one the failure is counted. */
export function verdictOn(pod: Pod, { spec }: Job): FailureVerdict {
  const rules = spec.podFailurePolicy?.rules ?? [];
  for (const [i, rule] of rules.entries()) {
    const what = matchOf(rule, pod);
    if (what === undefined) continue;
    switch (rule.action) {
      case "Ignore":
        return IGNORED;
      case "Count":
        return COUNTED;
      case "FailIndex":
        return FAILS_INDEX;
      case "FailJob":
        return { ...COUNTED, failsJob: `${what} matching FailJob rule at index ${i}` };
    }
  }
  return COUNTED;
}

/** Says which part of a Pod a rule matches; undefined where it does not. */
function matchOf({ onExitCodes, onPodConditions }: Rule, pod: Pod): string | undefined {
  const { namespace = "", name } = pod.metadata;
  const who = `${namespace}/${name}`;
  if (onExitCodes) {
    const { containerStatuses, initContainerStatuses } = pod.status;
    const exit = exitIn(containerStatuses, onExitCodes) ?? exitIn(initContainerStatuses, onExitCodes);
    return exit && `Container ${exit.name} for pod ${who} failed with exit code ${exit.code}`;
  }
  for (const { type, status } of pod.status.conditions ?? []) {
    const fits = onPodConditions?.some((wanted) => wanted.type === type && wanted.status === status);
    if (fits) return `Pod ${who} has condition ${type}`;
  }
  return undefined;
}

/** The first exit of a container with a code other than 0 that a requirement accepts. */
function exitIn(
  statuses: ContainerStatuses,
  { containerName, operator, values }: NonNullable<Rule["onExitCodes"]>,
): { readonly name: string; readonly code: number } | undefined {
  for (const { name, state } of statuses ?? []) {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
    if ((values?.includes(code) === true) === (operator === "In")) return { name, code };
  }
  return undefined;
}
