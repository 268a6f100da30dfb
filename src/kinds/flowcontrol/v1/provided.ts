/**
 * The schemas and levels of the start (APF-2).
 * `exempt` and `catch-all` are mandatory and fixed; the others are suggestions, which the server keeps equal to these while their
 * annotation allows it.
 *
 * @module
 */
import type { ApiContext } from "../../../schema/definition.ts";
import type { ValueObject } from "../../../value/value.ts";

/** An object of the start. */
export interface Provided {
  readonly name: string;
  readonly spec: ValueObject;
  /** Whether its spec is fixed, and it is recreated after a delete. */
  readonly mandatory: boolean;
}

/** The annotation of objects whose spec is that of the release: "true" while it is. */
export const AUTOUPDATE = "apf.kubernetes.io/autoupdate-spec";

const MANDATORY = ["exempt", "catch-all"];

const provided = (specs: Readonly<Record<string, ValueObject>>): readonly Provided[] =>
  Object.entries(specs).map(([name, spec]) => ({ name, spec, mandatory: MANDATORY.includes(name) }));

const queued = (shares: number, lendable: number, queues: number, handSize: number): ValueObject => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares: shares,
    limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent: lendable,
  },
});

const LEVELS = provided({
  exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  "catch-all": {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
  },
  system: queued(30, 33, 64, 6),
  "node-high": queued(40, 25, 64, 6),
  "leader-election": queued(10, 0, 16, 4),
  "workload-high": queued(40, 50, 128, 6),
  "workload-low": queued(100, 90, 128, 6),
  "global-default": queued(20, 50, 128, 6),
});

const group = (name: string): ValueObject => ({ kind: "Group", group: { name } });
const user = (name: string): ValueObject => ({ kind: "User", user: { name } });
const SYSTEM_ACCOUNTS: ValueObject = {
  kind: "ServiceAccount",
  serviceAccount: { namespace: "kube-system", name: "*" },
};
const EVERYBODY = [group("system:unauthenticated"), group("system:authenticated")];
const NODES = [group("system:nodes")];
const CONTROLLER_MANAGER = user("system:kube-controller-manager");
const SCHEDULER = user("system:kube-scheduler");

/** Requests for some resources of a group in every namespace, with those of the cluster where `clusterScope` is set. */
const resources = (verbs: string[], apiGroup: string, names: string[], clusterScope: boolean): ValueObject => ({
  verbs,
  apiGroups: [apiGroup],
  resources: names,
  ...(clusterScope ? { clusterScope } : {}),
  namespaces: ["*"],
});

const ANYTHING: ValueObject = {
  resourceRules: [resources(["*"], "*", ["*"], true)],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

type Method = "ByUser" | "ByNamespace" | undefined;

function schema(
  level: string,
  precedence: number,
  method: Method,
  subjects: ValueObject[],
  what = ANYTHING,
): ValueObject {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(method ? { distinguisherMethod: { type: method } } : {}),
    rules: [{ subjects, ...what }],
  };
}

function schemasOf(coordination: string): readonly Provided[] {
  const leases = (verbs: string[]): ValueObject => resources(verbs, coordination, ["leases"], false);
  const nodes = resources(["*"], "", ["nodes", "nodes/status"], true);
  const probes = { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] };
  const electors = [CONTROLLER_MANAGER, SCHEDULER, SYSTEM_ACCOUNTS];
  const election = { resourceRules: [leases(["get", "create", "update"])] };
  return provided({
    exempt: schema("exempt", 1, undefined, [group("system:masters")]),
    probes: schema("exempt", 2, undefined, EVERYBODY, probes),
    "system-leader-election": schema("leader-election", 100, "ByUser", electors, election),
    "system-node-high": schema("node-high", 400, "ByUser", NODES, { resourceRules: [nodes, leases(["*"])] }),
    "system-nodes": schema("system", 500, "ByUser", NODES),
    "kube-controller-manager": schema("workload-high", 800, "ByNamespace", [CONTROLLER_MANAGER]),
    "kube-scheduler": schema("workload-high", 800, "ByNamespace", [SCHEDULER]),
    "kube-system-service-accounts": schema("workload-high", 900, "ByNamespace", [SYSTEM_ACCOUNTS]),
    "service-accounts": schema("workload-low", 9000, "ByUser", [group("system:serviceaccounts")]),
    "global-default": schema("global-default", 9900, "ByUser", EVERYBODY),
    "catch-all": schema("catch-all", 10_000, "ByUser", EVERYBODY),
  });
}

/** The levels of the start. */
export const providedLevels = (): readonly Provided[] => LEVELS;

/** The schemas of the start. */
export const providedSchemas = ({ dialect }: Pick<ApiContext, "dialect">): readonly Provided[] =>
  schemasOf(`coordination.${dialect.domain}`);

const fixedOf = (those: readonly Provided[], name: string): ValueObject | undefined =>
  those.find((one) => one.mandatory && one.name === name)?.spec;

/** The fixed spec of a mandatory level; undefined for all others. */
export const fixedLevelSpec = (name: string): ValueObject | undefined => fixedOf(LEVELS, name);

/** The fixed spec of a mandatory schema; undefined for all others. */
export const fixedSchemaSpec = (name: string, ctx: Pick<ApiContext, "dialect">): ValueObject | undefined =>
  MANDATORY.includes(name) ? fixedOf(providedSchemas(ctx), name) : undefined;
