/**
 * Which volumes that nobody has a node can reach, found without looking at them all.
 *
 * Most volumes that are for some nodes only say so by a label with one of a few values: they are kept by that, and a node finds
 * them by its own labels. What it finds so is looked at closely.
 *
 * @module
 */
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { AvailableVolumes } from "../../claims/available-volumes.ts";
import type { BinderNames } from "../../claims/annotations.ts";
import { NAME_FIELD, type Requirement, type SelectorTerm, matcherOf } from "./node-selector.ts";

/** Whether a node can reach a volume by what the volume says of nodes (SCHED-18, SCHED-19). */
export function canReach(node: Node, { spec }: PersistentVolume): boolean {
  const required = spec.nodeAffinity?.required;
  return !required || matcherOf(required)(node);
}

/** A claim that looks for a volume. */
export interface VolumeRequest {
  readonly claim: PersistentVolumeClaim;
  /** Its {@link bucketOf}. */
  readonly bucket: string;
}

type NodeLabel = readonly [key: string, value: string];

/** Where volumes stand that are for all nodes, or say in another way for which. */
const ANY_NODE: NodeLabel = ["", ""];

/** See the head of this file. */
export class ReachableVolumes {
  readonly #names: BinderNames;
  /** Volumes by a label, or the name, of the nodes that may reach them: by key, then value. */
  readonly #buckets = new Map<string, Map<string, AvailableVolumes>>();
  readonly #labels = new Map<string, readonly NodeLabel[]>();

  constructor(names: BinderNames) {
    this.#names = names;
  }

  /** Puts a volume where nodes find it, in bind of what was known of it. */
  put(volume: PersistentVolume): void {
    const { name } = volume.metadata;
    this.take(name);
    const labels = labelsOf(volume);
    this.#labels.set(name, labels);
    for (const [key, value] of labels) this.#bucketAt(key, value).set(volume);
  }

  /** Takes a volume away; that it is not there is fine. */
  take(name: string): void {
    for (const [key, value] of this.#labels.get(name) ?? []) {
      const byValue = this.#buckets.get(key)!;
      const buckets = byValue.get(value)!;
      buckets.delete(name);
      if (buckets.size === 0) byValue.delete(value);
      if (byValue.size === 0) this.#buckets.delete(key);
    }
    this.#labels.delete(name);
  }

  /** The smallest volume that fits a claim and that a node can reach, but for some. */
  smallest(node: Node, { claim, bucket }: VolumeRequest, taken: ReadonlySet<string>): PersistentVolume | undefined {
    let found: PersistentVolume[] = [];
    const accepts = (volume: PersistentVolume): boolean => !taken.has(volume.metadata.name) && canReach(node, volume);
    for (const [key, byValue] of this.#buckets) {
      const value = valueOf(node, key);
      const volume = value === undefined ? undefined : byValue.get(value)?.smallest(claim, bucket, accepts);
      if (volume) found.push(volume);
    }
    if (found.length > 1) {
      const last = new AvailableVolumes(this.#names);
      for (const volume of found) last.set(volume);
      found = [last.smallest(claim, bucket, () => true)!];
    }
    return found[0];
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

/** Where a volume stands: of each of its terms one requirement that names values. */
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

/** The requirement of a term that names the fewest values; undefined where none names any. */
function narrowest({ matchExpressions = [], matchFields = [] }: SelectorTerm): Requirement | undefined {
  if (matchExpressions.length + matchFields.length === 0) return NOTHING;
  const fields = matchFields.filter(({ key }) => key === NAME_FIELD);
  const named = [...fields, ...matchExpressions].filter(({ operator }) => operator === "In");
  return named.toSorted((a, b) => (a.values?.length ?? 0) - (b.values?.length ?? 0))[0];
}
