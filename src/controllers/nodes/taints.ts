/**
 * The taints of nodes that follow from their conditions: of the effect NoSchedule by all of them, of the effect NoExecute by Ready.
 *
 * A new node has the taint `not-ready` from the admission plugin TaintNodesByCondition; it is removed when the node is ready.
 */
import type { Node } from "../../client/kinds/index.ts";

/** A taint of a node, with the time at which it was added. */
export type NodeTaint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

const NO_SCHEDULE = "NoSchedule";
const NO_EXECUTE = "NoExecute";

const NOT_READY = "not-ready";
const UNREACHABLE = "unreachable";

/** The last part of the key of a taint, by a condition and its status. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ["Ready False", NOT_READY],
  ["Ready Unknown", UNREACHABLE],
  ["MemoryPressure True", "memory-pressure"],
  ["DiskPressure True", "disk-pressure"],
  ["NetworkUnavailable True", "network-unavailable"],
  ["PIDPressure True", "pid-pressure"],
]);

const UNSCHEDULABLE = "unschedulable";

/** The names of the taints of a dialect, and the current time as a text. */
export interface TaintTerms {
  /** `node.kubernetes.io/` */
  readonly domain: string;
  /** When taints are added. */
  readonly now: string;
}

/** Returns the taints that a node should have with the effect NoSchedule, and all others; undefined where it has them. */
export function taintsOf({ spec, status }: Node, domain: string, now: string): readonly NodeTaint[] | undefined {
  const names = (status?.conditions ?? []).map(({ type, status: value }) => BY_CONDITION.get(`${type} ${value}`));
  const wanted = [...names, spec?.unschedulable ? UNSCHEDULABLE : undefined].filter((name) => name !== undefined);
  const keys = new Set(wanted.map((name) => domain + name));
  const managed = new Set([...BY_CONDITION.values(), UNSCHEDULABLE].map((name) => domain + name));
  const all = spec?.taints ?? [];
  const isManaged = ({ key, effect }: NodeTaint): boolean => effect === NO_SCHEDULE && managed.has(key);
  const kept = all.filter((taint) => !isManaged(taint) || keys.has(taint.key));
  const added = [...keys].filter((key) => !kept.some((taint) => isManaged(taint) && taint.key === key));
  if (added.length === 0 && kept.length === all.length) return undefined;
  return [...kept, ...added.map((key) => ({ key, effect: NO_SCHEDULE, timeAdded: now }))];
}

/** The decision about the taints NoExecute of a node. */
export interface EvictingTaints {
  /** All taints after the change; undefined where nothing changes. */
  readonly taints: readonly NodeTaint[] | undefined;
  /** Whether the node waits for its first one, which it gets at the rate of its zone. */
  readonly waits: boolean;
}

/**
 * Decides about the taints `not-ready` and `unreachable` of the effect NoExecute: a ready node has none, one of the two replaces the other
 * at once, and a node without them waits.
 *
 * @param all the taints of the node, after {@link taintsOf}
 */
export function evictingTaintsOf(node: Node, all: readonly NodeTaint[], terms: TaintTerms): EvictingTaints {
  const wanted = evictingKeyOf(node, terms.domain);
  const ours = all.filter((taint) => isOurEvicting(taint, terms.domain));
  if (ours.length === 0) return { taints: undefined, waits: wanted !== undefined };
  if (ours.length === 1 && ours[0]!.key === wanted) return { taints: undefined, waits: false };
  const others = withoutEvicting(all, terms.domain);
  if (wanted === undefined) return { taints: others, waits: false };
  const kept = ours.find(({ key }) => key === wanted);
  return { taints: [...others, kept ?? { key: wanted, effect: NO_EXECUTE, timeAdded: terms.now }], waits: false };
}

/** Returns the taints of a node with the one of the effect NoExecute that it waits for; undefined where it is ready or has it. */
export function withEvicting(node: Node, { domain, now }: TaintTerms): readonly NodeTaint[] | undefined {
  const key = evictingKeyOf(node, domain);
  const all = node.spec.taints ?? [];
  if (key === undefined || all.some((taint) => isOurEvicting(taint, domain) && taint.key === key)) return undefined;
  return [...withoutEvicting(all, domain), { key, effect: NO_EXECUTE, timeAdded: now }];
}

/** Returns the taints without `not-ready` and `unreachable` of the effect NoExecute. */
export const withoutEvicting = (all: readonly NodeTaint[], domain: string): readonly NodeTaint[] =>
  all.filter((taint) => !isOurEvicting(taint, domain));

/** Whether a taint is `not-ready` or `unreachable` of the effect NoExecute. */
export const isOurEvicting = ({ key, effect }: NodeTaint, domain: string): boolean =>
  effect === NO_EXECUTE && (key === domain + NOT_READY || key === domain + UNREACHABLE);

/** The key of the taint NoExecute by the condition Ready; undefined for a ready node, and one without the condition. */
function evictingKeyOf({ status }: Node, domain: string): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
  if (ready === "False") return domain + NOT_READY;
  return ready === "Unknown" ? domain + UNREACHABLE : undefined;
}
