/**
 * The root of several suspects: one fault gives one finding. Suspects of related objects are one fault: an owner and its dependents, an
 * object and its references, or objects whose names begin with its name. Its root is the loss of data, then a write that hit the wrong
 * object, then an object that is missing or remains, then a member, then a status; of equals the one that shows first. A program that no
 * longer runs is the root of all. The same suspect in several objects of a kind is one fault, too.
 *
 * @module
 */
import type { FaultKind } from "../contract/finding.ts";
import type { Suspect } from "./suspect.ts";
import type { RunView, StateView } from "./view.ts";

/** A root with its consequences. */
export interface Rooted {
  readonly root: Suspect;
  readonly others: readonly Suspect[];
}

const RANKS: Partial<Record<FaultKind, number>> = {
  "data-lost": 0,
  "deleted-unseen": 1,
  "deleted-needlessly": 2,
  "made-twice": 2,
  missing: 3,
  leaked: 3,
  "stuck-in-deletion": 3,
  dangling: 4,
  differs: 5,
  "stale-status": 6,
};

/** Complaints after which a program does nothing, so that all else follows from them. */
const STANDSTILL = new Set<FaultKind>(["crash-loop", "unsettled"]);

/**
 * Groups what looks wrong.
 *
 * @param place the entry of a trace with which a suspect begins to show
 */
export function roots(
  suspects: readonly Suspect[],
  views: readonly RunView[],
  place: (suspect: Suspect) => number,
): readonly Rooted[] {
  const alone = suspects.filter(({ identity }) => !identity);
  const ofObjects = suspects.filter(({ identity }) => identity);
  const standstill = alone.find(({ kind }) => STANDSTILL.has(kind));
  const rooted: Rooted[] = alone
    .filter((it) => it !== standstill && !(standstill && it.kind === "failed"))
    .map((root) => ({ root, others: [] }));
  if (standstill) return [{ root: standstill, others: ofObjects }, ...rooted];
  const groupOf = ofObjects.length > 1 ? connected(views.flatMap((view) => view.states)) : (key: string) => key;
  for (const group of Map.groupBy(ofObjects, ({ identity }) => groupOf(identity!.key)).values()) {
    const faults = group.filter(({ severity }) => severity === "fault");
    // Differences in decisions of built-in controllers follow from a fault, where there is one.
    const isAlso = ({ severity, difference }: Suspect): boolean => severity === "fault" || !!difference?.isByCluster;
    const judged = faults.length > 0 ? group.filter(isAlso) : group;
    const sorted = judged
      .map((suspect) => ({ suspect, rank: RANKS[suspect.kind] ?? 7, at: place(suspect) }))
      .sort(
        (a, b) =>
          bySeverity(a.suspect, b.suspect) ||
          a.rank - b.rank ||
          a.suspect.step - b.suspect.step ||
          a.at - b.at ||
          byKey(a.suspect, b.suspect),
      )
      .map(({ suspect }) => suspect);
    // Writes without end are a fault of their own, whatever the state is when the run is stopped.
    const [restless, others] = partition(sorted, ({ kind }) => kind === "restless" || kind === "fight");
    if (others.length > 0) rooted.push({ root: others[0]!, others: others.slice(1) });
    if (restless.length > 0) rooted.push({ root: restless[0]!, others: restless.slice(1) });
  }
  return alike(rooted);
}

/** Joins roots that are the same for several objects of a kind: one fault shows at all of them. */
function alike(rooted: readonly Rooted[]): readonly Rooted[] {
  const joined = Map.groupBy(rooted, (it) => {
    const { kind, severity, identity, path } = it.root;
    return identity ? `${kind}|${severity}|${identity.group}|${identity.kind}|${path}` : it;
  });
  return [...joined.values()].map(([first, ...more]) => ({
    root: first!.root,
    others: [...first!.others, ...more.flatMap(({ root, others }) => [root, ...others])],
  }));
}

const bySeverity = (a: Suspect, b: Suspect): number =>
  Number(a.severity === "notice") - Number(b.severity === "notice");

const byKey = (a: Suspect, b: Suspect): number =>
  a.identity!.key < b.identity!.key ? -1 : a.identity!.key > b.identity!.key ? 1 : 0;

function partition<T>(all: readonly T[], is: (value: T) => boolean): [T[], T[]] {
  return [all.filter(is), all.filter((value) => !is(value))];
}

/** Finds which objects belong together: returns a function from a key to the key of its group. */
function connected(states: readonly StateView[]): (key: string) => string {
  const items = new Map(
    states.flatMap(({ items: all }) => [...all.values()].flat().map((item) => [item.flat, item] as const)),
  );
  const identities = new Map([...items.values()].map(({ identity }) => [identity.key, identity]));
  const parents = new Map<string, string>();
  const find = (key: string): string => {
    let root = key;
    while (parents.has(root)) root = parents.get(root)!;
    return root;
  };
  const join = (a: string, b: string): void => {
    const [one, other] = [find(a), find(b)];
    if (one !== other) parents.set(one, other);
  };
  const byName = Map.groupBy(identities.values(), ({ name }) => name);
  for (const { identity, flat } of items.values()) {
    const mention = (name: string): void => {
      for (const other of byName.get(name) ?? [])
        if (other.namespace === undefined || identity.namespace === undefined || other.namespace === identity.namespace)
          join(identity.key, other.key);
    };
    for (const leaf of flat.values()) if (typeof leaf === "string") mention(leaf);
    // `a-config` belongs to `a`.
    for (let end = identity.name.indexOf("-"); end > 0; end = identity.name.indexOf("-", end + 1))
      mention(identity.name.slice(0, end));
    mention(identity.name);
  }
  return find;
}
