/** What the writers of atomic applies write: in each round new objects, and a change of those that all rounds share. */
import type { Manifest } from "../../src/client/index.ts";

/** How many objects all rounds share, and how many are new in each. */
export const SHARED = 10;
export const NEW = 15;

const map = (name: string, round: string): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { round },
});

/** The documents of a round, with `count` new objects; `by` tells writers apart. */
export const documentsOf = (round: number, by = "", count: number = NEW): readonly Manifest[] => [
  ...Array.from({ length: SHARED }, (_, i) => map(`shared-${i}`, `${by}${round}`)),
  ...Array.from({ length: count }, (_, i) => map(`round${by}-${round}-${i}`, `${by}${round}`)),
];
