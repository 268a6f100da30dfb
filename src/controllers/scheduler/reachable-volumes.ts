import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { AvailableVolumes } from "../../claims/available-volumes.ts";
import type { BinderNames } from "../../claims/annotations.ts";
import { NAME_FIELD, type Requirement, type SelectorTerm, matcherOf } from "../../workloads/nodes/node-selector.ts";

/** Whether a node matches the node affinity of a volume (SCHED-18, SCHED-19). */
export function canReach(node: Node, { spec }: PersistentVolume): boolean {
  const required = spec.nodeAffinity?.required;
  return !required || matcherOf(required)(node);
}

/** A request for a volume. */
export interface VolumeRequest {
  readonly claim: PersistentVolumeClaim;
  readonly bucket: string;
}

type NodeLabel = readonly [key: string, value: string];

/** The index key of volumes for all nodes, or with another kind of requirement. */
const ANY_NODE: NodeLabel = ["", ""];

/**
 * Finds the available volumes that a node can reach, without a scan.
 *
 * Most volumes with a node affinity require one of a few values of a label. They are indexed by label, and a node finds
 * them by its own labels; the full affinity is then evaluated.
 */
export class ReachableVolumes {
  readonly #names: BinderNames;
  /** Volumes by the label key, then the value, of the nodes that may reach them. */
  readonly #buckets = new Map<string, Map<string, AvailableVolumes>>();
  readonly #labels = new Map<string, readonly NodeLabel[]>();

  constructor(names: BinderNames) {
    this.#names = names;
  }

  /** Adds a volume, or replaces it. */
  put(volume: PersistentVolume): void {
    const { name } = volume.metadata;
    this.take(name);
    const labels = labelsOf(volume);
    this.#labels.set(name, labels);
    for (const [key, value] of labels) this.#bucketAt(key, value).set(volume);
  }

  /** Removes a volume, if it is there. */
  take(name: string): void {
    for (const [key, value] of this.#labels.get(name) ?? []) {
      const byValue = this.#buckets.get(key);
      const buckets = byValue?.get(value);
      buckets?.delete(name);
      if (buckets?.size === 0) byValue?.delete(value);
      if (byValue?.size === 0) this.#buckets.delete(key);
    }
    this.#labels.delete(name);
  }

  /** Returns the smallest volume that fits a claim and that a node can reach, without those in `taken`. */
  smallest(node: Node, { claim, bucket }: VolumeRequest, taken: ReadonlySet<string>): PersistentVolume | undefined {
    const found: PersistentVolume[] = [];
    const accepts = (volume: PersistentVolume): boolean => !taken.has(volume.metadata.name) && canReach(node, volume);
    for (const [key, byValue] of this.#buckets) {
      const value = valueOf(node, key);
      const volume = value === undefined ? undefined : byValue.get(value)?.smallest(claim, bucket, accepts);
      if (volume) found.push(volume);
    }
    if (found.length <= 1) return found[0];
    const last = new AvailableVolumes(this.#names);
    for (const volume of found) last.set(volume);
    return last.smallest(claim, bucket, () => true);
  }

  #bucketAt(key: string, value: string): AvailableVolumes {
    const byValue = this.#buckets.get(key) ?? new Map<string, AvailableVolumes>();
    this.#buckets.set(key, byValue);
    const buckets = byValue.get(value) ?? new AvailableVolumes(this.#names);
    byValue.set(value, buckets);
    return buckets;
  }
}

function valueOf({ metadata }: Node, key: string): string | undefined {
  if (key === ANY_NODE[0]) return ANY_NODE[1];
  return key === NAME_FIELD ? metadata.name : metadata.labels?.[key];
}

/** The index keys of a volume: one requirement with values from each of its terms. */
function labelsOf({ spec }: PersistentVolume): readonly NodeLabel[] {
  const required = spec.nodeAffinity?.required;
  if (!required) return [ANY_NODE];
  const all = (required.nodeSelectorTerms ?? []).map(narrowest);
  if (all.some((one) => one === undefined)) return [ANY_NODE];
  const labels = all.flatMap(({ key, values = [] }: Requirement = NOTHING) =>
    values.map((value): NodeLabel => [key, value]),
  );
  return [...new Map(labels.map((bind) => [bind.join("="), bind])).values()];
}

const NOTHING: Requirement = { key: NAME_FIELD, operator: "In" };

/** Returns the requirement of a term with the fewest values; undefined where none has values. */
function narrowest({ matchExpressions = [], matchFields = [] }: SelectorTerm): Requirement | undefined {
  if (matchExpressions.length + matchFields.length === 0) return NOTHING;
  const fields = matchFields.filter(({ key }) => key === NAME_FIELD);
  const named = [...fields, ...matchExpressions].filter(({ operator }) => operator === "In");
  return named.toSorted((a, b) => (a.values?.length ?? 0) - (b.values?.length ?? 0))[0];
}
