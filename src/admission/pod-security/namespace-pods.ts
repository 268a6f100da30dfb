/**
 * Finds the Pods of a namespace that violate a level which its label `enforce` is about to set.
 *
 * @module
 */
import type { Pod } from "../../kinds/core/v1/pod/defaults.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { guardOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { Clock } from "../../util/clock.ts";
import { checkedPod } from "./check.ts";
import { reasonsText, violationsOf } from "./evaluator.ts";
import { type LevelVersion, shown } from "./levels.ts";

/** The bounds of an evaluation: Pods of a namespace, and time. */
const MAX_PODS = 3000;
const MAX_MILLIS = 1000;

const isPod = guardOf<Pod>("Pod");

/** A Pod by its name, with the uid of its controller. */
interface ListedPod {
  readonly name: string;
  readonly controller: string | undefined;
}

const listedOf = ({ metadata }: ApiObject): ListedPod => ({
  name: metadata.name ?? "",
  controller: metadata.ownerReferences?.find(({ controller }) => controller)?.uid,
});

/** The Pods with the same reasons: the first by name, and their number. */
interface Group {
  readonly first: string;
  readonly count: number;
}

/** The parts for reading the Pods of a namespace. */
export interface NamespaceParts {
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly dialect: Dialect;
}

/**
 * Warnings about the Pods of a namespace that violate a level; none where all are allowed. One Pod of each controller is evaluated first.
 * At most 3000 Pods are evaluated, for at most a second; a warning reports that limit.
 */
export async function namespaceWarnings(
  { lookup, clock, dialect }: NamespaceParts,
  namespace: string,
  by: LevelVersion,
): Promise<readonly string[]> {
  const pods = onePerController(await lookup.collect("pods", listedOf, namespace));
  const end = clock.steady() + MAX_MILLIS;
  const groups = new Map<string, Group>();
  const slice = clock.loop.slice();
  let checked = 0;
  for (const { name } of pods.slice(0, MAX_PODS)) {
    const pod = lookup.get("pods", namespace, name);
    if (isPod(pod)) addTo(groups, name, reasonsText(violationsOf(by, checkedPod(pod.metadata, pod.spec, dialect))));
    checked++;
    if (clock.steady() > end) break;
    if (slice.isOver) await slice.pause();
  }
  return warningsOf(groups, { namespace, by, checked, all: pods.length });
}

/** Pods of one controller are alike: the first of each is evaluated before all others. */
function onePerController(pods: readonly ListedPod[]): readonly ListedPod[] {
  const seen = new Set<string>();
  const [first, others]: [ListedPod[], ListedPod[]] = [[], []];
  for (const pod of pods) {
    const isRepeated = pod.controller !== undefined && seen.has(pod.controller);
    (isRepeated ? others : first).push(pod);
    if (pod.controller !== undefined) seen.add(pod.controller);
  }
  return [...first, ...others];
}

function addTo(groups: Map<string, Group>, name: string, reasons: string): void {
  if (reasons === "") return;
  const { first, count } = groups.get(reasons) ?? { first: name, count: 0 };
  groups.set(reasons, { first: name < first ? name : first, count: count + 1 });
}

/** What was evaluated. */
interface Evaluated {
  readonly namespace: string;
  readonly by: LevelVersion;
  readonly checked: number;
  readonly all: number;
}

function warningsOf(groups: ReadonlyMap<string, Group>, { namespace, by, checked, all }: Evaluated): string[] {
  const first = `new PodSecurity enforce level only checked against the first ${checked} of ${all} existing pods`;
  const violated = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${shown(by)}"`;
  const texts = [...groups].map(([reasons, group]) => `${groupText(group)}: ${reasons}`);
  return [...(checked < all ? [first] : []), ...(texts.length > 0 ? [violated] : []), ...texts.toSorted()];
}

function groupText({ first, count }: Group): string {
  if (count === 1) return first;
  return count === 2 ? `${first} (and 1 other pod)` : `${first} (and ${count - 1} other pods)`;
}
