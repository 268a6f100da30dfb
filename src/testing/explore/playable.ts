/**
 * Which perturbations each laboratory can play.
 *
 * @module
 */
import type { PerturbationType } from "../../explore/contract/plan.ts";

/** How programs run: in this process, as processes over HTTP, or between a storage driver and the server, with sidecars of ours or of others. */
export type LaboratoryKind = "in process" | "over HTTP" | "driver" | "driver over HTTP";

/** Where a perturbation is played: always, where a program elects a leader, or where the scenario has simulated nodes. */
export type PlayedWhere = "always" | "elects" | "nodes";

type Playable = Readonly<Partial<Record<PerturbationType, PlayedWhere>>>;

const ALL = {
  crash: "always",
  "answer-lost": "always",
  refused: "always",
  slow: "always",
  lag: "always",
  gap: "always",
  "stale-restart": "always",
  resync: "always",
  bookmark: "always",
  overtaken: "always",
} as const;

/** The clock of the machine cannot be moved, and a simulated node is lost for minutes. */
const VIRTUAL = { "clock-jump": "always", "node-lost": "nodes" } as const;
const API = { "slow-webhooks": "always", "lead-changes": "elects" } as const;
const CALLS = { repeated: "always" } as const;

/** The perturbations that each laboratory can play. */
export const playable: Readonly<Record<LaboratoryKind, Playable>> = {
  "in process": { ...ALL, ...API, ...VIRTUAL },
  "over HTTP": { ...ALL, ...API },
  driver: { ...ALL, ...CALLS, ...VIRTUAL },
  "driver over HTTP": { ...ALL, ...CALLS },
};

/** Returns the perturbations that a laboratory can play for programs and a scenario. */
export function playableIn(
  kind: LaboratoryKind,
  { elects, hasNodes }: { readonly elects: boolean; readonly hasNodes: boolean },
): ReadonlySet<PerturbationType> {
  const is: Readonly<Record<PlayedWhere, boolean>> = { always: true, elects, nodes: hasNodes };
  const entries = Object.entries(playable[kind]) as [PerturbationType, PlayedWhere][];
  return new Set(entries.flatMap(([type, where]) => (is[where] ? [type] : [])));
}
