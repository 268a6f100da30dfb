/** The decision of a podFailurePolicy about a failed Pod (WL-JOB-30). */
import type { Job, Pod } from "../../client/kinds/index.ts";

/** The decision about a failure. */
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

type Policy = NonNullable<Job["spec"]["podFailurePolicy"]>;
type Rule = NonNullable<Policy["rules"]>[number];
type ExitCodes = NonNullable<Rule["onExitCodes"]>;
type ContainerStatuses = Pod["status"]["containerStatuses"];

const policies = new WeakMap<Policy, Verdicts>();

/** Returns the decision of the first rule that matches; without one the failure is counted. */
export function verdictOn(pod: Pod, { spec: { podFailurePolicy: policy } }: Job): FailureVerdict {
  if (!policy) return COUNTED;
  let verdicts = policies.get(policy);
  if (!verdicts) policies.set(policy, (verdicts = new Verdicts(policy)));
  return verdicts.on(pod);
}

/** A rule with its requirements as sets: a Pod may have thousands of conditions and containers. */
interface PreparedRule {
  readonly action: string;
  readonly exitCodes:
    | (Pick<ExitCodes, "containerName" | "operator"> & { readonly values: ReadonlySet<number> })
    | undefined;
  /** The required statuses, by the type of the condition. */
  readonly conditions: ReadonlyMap<string, ReadonlySet<string>>;
}

function preparedRule({ action, onExitCodes, onPodConditions }: Rule): PreparedRule {
  const byType = Map.groupBy(onPodConditions ?? [], ({ type }) => type);
  const statusesOf = (all: readonly { readonly status: string }[]) => new Set(all.map(({ status }) => status));
  return {
    action,
    exitCodes: onExitCodes && { ...onExitCodes, values: new Set(onExitCodes.values) },
    conditions: new Map(Array.from(byType, ([type, all]) => [type, statusesOf(all)])),
  };
}

/** The decisions of a policy, cached by Pod, as a plan needs each of them several times. */
class Verdicts {
  readonly #rules: readonly PreparedRule[];
  readonly #known = new WeakMap<Pod, FailureVerdict>();

  constructor({ rules }: Policy) {
    this.#rules = (rules ?? []).map(preparedRule);
  }

  on(pod: Pod): FailureVerdict {
    const known = this.#known.get(pod);
    if (known) return known;
    const verdict = this.#judge(pod);
    this.#known.set(pod, verdict);
    return verdict;
  }

  #judge(pod: Pod): FailureVerdict {
    for (const [i, rule] of this.#rules.entries()) {
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
}

/** Describes which part of a Pod a rule matches; undefined where it does not match. */
function matchOf({ exitCodes, conditions }: PreparedRule, { metadata, status }: Pod): string | undefined {
  const who = `${metadata.namespace ?? ""}/${metadata.name}`;
  if (exitCodes) {
    const exit = exitIn(status.containerStatuses, exitCodes) ?? exitIn(status.initContainerStatuses, exitCodes);
    return exit && `Container ${exit.name} for pod ${who} failed with exit code ${exit.code}`;
  }
  const found = status.conditions?.find((one) => conditions.get(one.type)?.has(one.status));
  return found && `Pod ${who} has condition ${found.type}`;
}

/** The first exit of a container with a code other than 0 that matches a requirement. */
function exitIn(
  statuses: ContainerStatuses,
  { containerName, operator, values }: NonNullable<PreparedRule["exitCodes"]>,
): { readonly name: string; readonly code: number } | undefined {
  for (const { name, state } of statuses ?? []) {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
    if (values.has(code) === (operator === "In")) return { name, code };
  }
  return undefined;
}
