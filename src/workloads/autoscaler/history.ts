/**
 * The desired numbers and rescales of an autoscaler: the windows and rates of WL-HPA-6. A planner gets a history and returns the next one. The
 * controller keeps it in memory, as kube-controller-manager does: it is empty at the start of each term.
 */
import type { HorizontalPodAutoscaler } from "../../client/kinds/index.ts";
import { AUTOSCALER_DEFAULTS } from "./replicas.ts";

/** A desired number of replicas, before windows and rates. */
interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}

/** A change of the number of replicas. */
interface Change {
  readonly by: number;
  readonly at: number;
}

/** See the head of this file; times in milliseconds since the epoch. */
export interface History {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly Change[];
  readonly downs: readonly Change[];
}

/** The history of an autoscaler that is new to the controller, at its current number of replicas. */
export const newHistory = (replicas: number, at: number): History => ({
  recommendations: [{ replicas, at }],
  ups: [],
  downs: [],
});

/** The reason and the message of a condition. */
export interface Because {
  readonly reason: string;
  readonly message: string;
}

/** The number of replicas that windows, rates and limits permit. */
export interface Limited {
  readonly replicas: number;
  /** The condition `AbleToScale`. */
  readonly able: Because;
  /** The condition `ScalingLimited`. */
  readonly limited: Because & { readonly isLimited: boolean };
  readonly history: History;
}

/** What limits the number. */
export interface LimitInput {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly current: number;
  readonly wanted: number;
  readonly history: History;
  readonly now: number;
}

type Behavior = NonNullable<HorizontalPodAutoscaler["spec"]["behavior"]>;
type Rules = NonNullable<Behavior["scaleUp"]>;

interface WholeRules {
  readonly windowMillis: number;
  readonly select: string;
  readonly policies: NonNullable<Rules["policies"]>;
}

const UP_POLICIES = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
];
const DOWN_POLICIES = [{ type: "Percent", value: 100, periodSeconds: 15 }];

/** The rules of both directions, with defaults for members that are not set. */
export const rulesOf = ({
  scaleUp = {},
  scaleDown = {},
}: Behavior): { readonly up: WholeRules; readonly down: WholeRules } => ({
  up: wholeRules(scaleUp, 0, UP_POLICIES),
  down: wholeRules(scaleDown, AUTOSCALER_DEFAULTS.downscaleWindowMillis, DOWN_POLICIES),
});

const wholeRules = (
  { stabilizationWindowSeconds, selectPolicy = "Max", policies }: Rules,
  windowMillis: number,
  usual: WholeRules["policies"],
): WholeRules => ({
  windowMillis: stabilizationWindowSeconds === undefined ? windowMillis : stabilizationWindowSeconds * 1000,
  select: selectPolicy,
  policies: policies && policies.length > 0 ? policies : usual,
});

/** Applies windows, rates and limits to a desired number. */
export const limit = (input: LimitInput): Limited =>
  input.autoscaler.spec.behavior ? limitByBehavior(input, input.autoscaler.spec.behavior) : limitByDefault(input);

const READY: Because = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const DOWN_STABILIZED: Because = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const UP_STABILIZED: Because = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const WITHIN: Because = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };
const TOO_MANY: Because = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const TOO_FEW: Because = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const UP_LIMIT: Because = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const DOWN_LIMIT: Because = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** Without `behavior`: a stabilization window for shrinking, and growth to at most twice as many, or 4. */
function limitByDefault({ autoscaler, current, wanted, history, now }: LimitInput): Limited {
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  const since = now - AUTOSCALER_DEFAULTS.downscaleWindowMillis;
  const kept = history.recommendations.filter(({ at }) => at >= since);
  const stable = Math.max(wanted, ...kept.map(({ replicas }) => replicas));
  const rate = Math.max(2 * current, 4);
  const [most, why] = maxReplicas > rate ? [rate, UP_LIMIT] : [maxReplicas, TOO_MANY];
  const [replicas, because] =
    stable < minReplicas ? [minReplicas, TOO_FEW] : stable > most ? [most, why] : [stable, WITHIN];
  return {
    replicas,
    able: stable === wanted ? READY : DOWN_STABILIZED,
    limited: { ...because, isLimited: replicas !== stable },
    history: { ...history, recommendations: [...kept, { replicas: wanted, at: now }] },
  };
}

function limitByBehavior(input: LimitInput, behavior: Behavior): Limited {
  const { current, wanted, history, now } = input;
  const rules = rulesOf(behavior);
  let [least, most] = [wanted, wanted];
  for (const { replicas, at } of history.recommendations) {
    if (at > now - rules.up.windowMillis) least = Math.min(least, replicas);
    if (at > now - rules.down.windowMillis) most = Math.max(most, replicas);
  }
  const stable = Math.min(Math.max(current, least), most);
  const since = now - Math.max(rules.up.windowMillis, rules.down.windowMillis);
  const recommendations = [...history.recommendations.filter(({ at }) => at >= since), { replicas: wanted, at: now }];
  const { replicas, because } = rated({ ...input, wanted: stable }, rules);
  return {
    replicas,
    able: stable === wanted ? READY : wanted >= current ? UP_STABILIZED : DOWN_STABILIZED,
    limited: { ...because, isLimited: replicas !== stable },
    history: { ...history, recommendations },
  };
}

function rated(
  { autoscaler, current, wanted, history, now }: LimitInput,
  { up, down }: ReturnType<typeof rulesOf>,
): { readonly replicas: number; readonly because: Because } {
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  const startOf = (periodSeconds: number): number =>
    current - changedWithin(history.ups, periodSeconds, now) + changedWithin(history.downs, periodSeconds, now);
  if (wanted > current) {
    const rate = Math.max(
      current,
      rateOf(up, current, (policy) => grown(startOf(policy.periodSeconds), policy), "Max"),
    );
    const [most, because] = maxReplicas > rate ? [rate, UP_LIMIT] : [maxReplicas, TOO_MANY];
    if (wanted > most) return { replicas: most, because };
  } else if (wanted < current) {
    const rate = Math.min(
      current,
      rateOf(down, current, (policy) => shrunk(startOf(policy.periodSeconds), policy), "Min"),
    );
    const [least, because] = minReplicas < rate ? [rate, DOWN_LIMIT] : [minReplicas, TOO_FEW];
    if (wanted < least) return { replicas: least, because };
  }
  return { replicas: wanted, because: WITHIN };
}

type Policy = WholeRules["policies"][number];

/** The number that the selected policy permits; `Min` selects the smallest change. */
function rateOf(
  { select, policies }: WholeRules,
  current: number,
  allowed: (policy: Policy) => number,
  farthest: "Max" | "Min",
): number {
  if (select === "Disabled") return current;
  const better = (select === "Min") === (farthest === "Min") ? Math.max : Math.min;
  return policies.map(allowed).reduce((best, one) => better(best, one));
}

const grown = (start: number, { type, value }: Policy): number =>
  type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));

const shrunk = (start: number, { type, value }: Policy): number =>
  type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100));

function changedWithin(changes: readonly Change[], periodSeconds: number, now: number): number {
  let total = 0;
  for (const { by, at } of changes) if (at > now - periodSeconds * 1000) total += by;
  return total;
}

/** The history after a change of the number of replicas. */
export function withChange(
  history: History,
  { autoscaler, from, to, now }: { autoscaler: HorizontalPodAutoscaler; from: number; to: number; now: number },
): History {
  const { behavior } = autoscaler.spec;
  if (!behavior) return history;
  const rules = rulesOf(behavior);
  let longest = 0;
  for (const { periodSeconds } of [...rules.up.policies, ...rules.down.policies]) {
    longest = Math.max(longest, periodSeconds);
  }
  const recent = (changes: readonly Change[]): readonly Change[] =>
    changes.filter(({ at }) => at >= now - longest * 1000);
  return {
    ...history,
    ups: to > from ? [...recent(history.ups), { by: to - from, at: now }] : recent(history.ups),
    downs: to < from ? [...recent(history.downs), { by: from - to, at: now }] : recent(history.downs),
  };
}
