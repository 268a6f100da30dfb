/**
 * The page of perturbations: each type with why Kubernetes permits it, what plays it, and the kinds of faults.
 *
 * @module
 */
import { describePerturbation, perturbationRules, perturbationTypes } from "../../src/explore/index.ts";
import type { DeliveryPoint, Perturbation, PerturbationType, RequestPoint } from "../../src/explore/index.ts";
import { faultKinds } from "../../src/explore/report/kinds.ts";
import { type LaboratoryKind, type PlayedWhere, playable } from "../../src/testing/explore/playable.ts";
import { MADE, code, table } from "./markdown.ts";

/** The page. */
export function perturbationsPage(): [path: string, text: string] {
  const text = [
    "# Perturbations, and kinds of faults",
    MADE,
    INTRODUCTION,
    "## What plays what",
    LABORATORIES,
    table(["type", "what happens", ...KINDS.map((kind) => COLUMNS[kind])], perturbationTypes.map(rowOf)),
    NOTES,
    ...perturbationTypes.map(partOf),
    "## Kinds of faults",
    FAULTS,
    table(
      ["kind", "in reports", "what it means"],
      Object.entries(faultKinds).map(([kind, { title, meaning }]) => [code(kind), title, meaning]),
    ),
  ];
  return ["docs/reference/perturbations.md", `${text.join("\n\n")}\n`];
}

const INTRODUCTION = `[Exploring](../guides/explore.md) plays a scenario again and again, and perturbs what happens to the
programs. A perturbation is a failure or an unusual order of events that Kubernetes permits: a correct program handles it. The
types have the names that \`--only\`, \`only\` and the files of findings use.`;

const LABORATORIES = `Programs of this process run under virtual time. Programs over HTTP are processes in real time.
Drivers run beside our sidecars, or beside other sidecars (with a command after \`--\`), which run in real time.`;

const NOTES = `_leader_: if a program elects a leader, by \`leaderElection: true\` or by a Lease that is seen in a clean run. _nodes_: if the scenario has simulated nodes.`;

const FAULTS = `A fault of a run is reported as one of these. [How to read a report](../guides/explore-reports.md) has the rest.`;

const COLUMNS: Readonly<Record<LaboratoryKind, string>> = {
  "in process": "in process",
  "over HTTP": "over HTTP",
  driver: "driver, our sidecars",
  "driver over HTTP": "driver, other sidecars",
};
const KINDS = Object.keys(playable) as readonly LaboratoryKind[];
const WHERE: Readonly<Record<PlayedWhere, string>> = { always: "yes", elects: "leader", nodes: "nodes" };

function rowOf(type: PerturbationType): string[] {
  const played = KINDS.map((kind) => playable[kind][type]);
  return [code(type), perturbationRules[type].title, ...played.map((where) => (where ? WHERE[where] : "no"))];
}

const partOf = (type: PerturbationType): string => {
  const { title, permitted } = perturbationRules[type];
  const sentences = EXAMPLES[type].map((one) => `- ${describePerturbation(one)}`);
  return `## ${type}\n\n${title}. ${permitted}\n\nIn reports:\n\n${sentences.join("\n")}`;
};

const at: RequestPoint = {
  actor: "sites",
  protocol: "api",
  verb: "create",
  group: "",
  kind: "Secret",
  namespace: "default",
  name: "blog-admin",
  occurrence: 0,
};
const call: RequestPoint = {
  actor: "provisioner",
  protocol: "csi",
  verb: "CreateVolume",
  group: "csi",
  kind: "Volume",
  name: "pvc-*",
  occurrence: 0,
};
const seen: DeliveryPoint = {
  actor: "sites",
  group: "example.com",
  kind: "Site",
  namespace: "default",
  name: "blog",
  change: "MODIFIED",
  occurrence: 0,
};
const made: DeliveryPoint = { ...seen, change: "ADDED", group: "", kind: "Secret", name: "blog-admin" };

/** One of each type, and of each variant. */
const EXAMPLES: { readonly [T in PerturbationType]: readonly Extract<Perturbation, { readonly type: T }>[] } = {
  crash: [
    ...(["before", "after", "late"] as const).map((when) => ({ type: "crash" as const, at, when, downMillis: 0 })),
    { type: "crash", at, when: "after", downMillis: 600_000 },
    { type: "crash", at: call, when: "after", downMillis: 0, victim: "driver" },
  ],
  "answer-lost": [{ type: "answer-lost", at }],
  refused: [
    { type: "refused", at, with: "conflict", times: 1 },
    { type: "refused", at, with: "unavailable", times: 3 },
    { type: "refused", at: call, with: "deadline-exceeded", times: 1 },
  ],
  slow: [{ type: "slow", at, byMillis: 40_000 }],
  lag: [{ type: "lag", at: made }],
  gap: [
    { type: "gap", at: seen },
    { type: "gap", at: seen, untilStep: 2 },
  ],
  "stale-restart": [{ type: "stale-restart", at, behind: seen }],
  resync: [{ type: "resync", at: seen }],
  bookmark: [{ type: "bookmark", at: seen }],
  "lead-changes": [{ type: "lead-changes", at }],
  "slow-webhooks": [{ type: "slow-webhooks", actor: "sites", byMillis: 9000 }],
  "node-lost": [{ type: "node-lost", step: 1, node: "node-1", forMillis: 600_000 }],
  "clock-jump": [{ type: "clock-jump", step: 0, byMillis: 3_600_000 }],
  repeated: [{ type: "repeated", at: call }],
  overtaken: [{ type: "overtaken", at }],
};
