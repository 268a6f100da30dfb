import type { PersistentVolume } from "../../../client/kinds/index.ts";
import { type Demand, type Needs, VOLUME_ACTOR } from "../filter.ts";
import { topics } from "../topics.ts";
import { ZONE_LABELS } from "../names.ts";

const OBSTACLE = ["node(s) had no available volume zone"];

const KEYS = [...ZONE_LABELS.keys()];

interface ZoneRequirement {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** A node with zone or region labels must match those of the bound volumes (SCHED-20, SCHED-21). */
export function volumeZones({ claims: { bound } }: Needs): Demand | undefined {
  const volumes = bound.flatMap(({ volume }) => volume ?? []);
  const required = volumes.flatMap(zonesOf);
  if (required.length === 0) return undefined;
  return {
    on({ node }) {
      const labels = node.metadata.labels ?? {};
      if (!KEYS.some((key) => Object.hasOwn(labels, key))) return undefined;
      const holds = required.every(({ key, values }) => {
        const value = labels[key] ?? labels[ZONE_LABELS.get(key)!];
        return value !== undefined && values.has(value);
      });
      return holds ? undefined : OBSTACLE;
    },
    waitsFor: [topics.nodes, ...volumes.map(({ metadata }) => topics.volume(metadata.name))],
    who: VOLUME_ACTOR,
  };
}

/** The zone labels of a volume, each with the accepted values. */
const zonesOf = ({ metadata }: PersistentVolume): readonly ZoneRequirement[] =>
  Object.entries(metadata.labels ?? {}).flatMap(([key, value]) =>
    ZONE_LABELS.has(key) ? [{ key, values: new Set(value.split("__").map((one) => one.trim())) }] : [],
  );
