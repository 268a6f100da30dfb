/** The names of the Pods and claims of a StatefulSet (WL-STS-1, WL-STS-10). */
import type { ApiObject } from "../../client/kind.ts";
import type { StatefulSet } from "../../client/kinds/index.ts";

const MAX_ORDINAL = 2 ** 31 - 1;

/** The lowest ordinal: `spec.ordinals.start`. */
export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

/** The desired number of Pods. */
export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;

/** Whether the spec has an ordinal. */
export function isWanted(set: StatefulSet, ordinal: number): boolean {
  const first = firstOrdinal(set);
  return ordinal >= first && ordinal < first + replicasOf(set);
}

/** The name of a Pod. */
export const podName = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** Returns the ordinal in the name of a Pod of a StatefulSet; undefined for any other name. */
export function ordinalOf({ metadata: { name: setName } }: StatefulSet, { metadata }: ApiObject): number | undefined {
  const { name } = metadata;
  return name.startsWith(`${setName}-`) ? parseOrdinal(name.slice(setName.length + 1)) : undefined;
}

function parseOrdinal(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text)) return undefined;
  const ordinal = Number(text);
  return ordinal <= MAX_ORDINAL ? ordinal : undefined;
}

/** The name of the claim of a Pod. */
export const claimName = ({ metadata }: StatefulSet, template: string, ordinal: number): string =>
  `${template}-${metadata.name}-${ordinal}`;

/** Indexes StatefulSets by the names of their claims without the ordinal, with the namespace. */
export const claimPrefixes = ({ metadata, spec }: StatefulSet): readonly string[] =>
  (spec.volumeClaimTemplates ?? []).map((one) => `${metadata.namespace}/${one.metadata.name}-${metadata.name}`);

/** The value of a claim in the index {@link claimPrefixes}; undefined where its name does not end with an ordinal. */
export function claimPrefix({ metadata: { namespace, name } }: ApiObject): string | undefined {
  const dash = name.lastIndexOf("-");
  return parseOrdinal(name.slice(dash + 1)) === undefined ? undefined : `${namespace}/${name.slice(0, dash)}`;
}
