/**
 * The usage of Pods for quotas: their number and requests, until they have ended.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import { parseTime } from "../../meta/time.ts";
import type { ContainerValue } from "../core/v1/pod/container-schema.ts";
import type { Pod } from "../core/v1/pod/defaults.ts";
import { qosClass } from "../core/v1/pod/qos.ts";
import { totalLimits, totalRequests } from "../core/v1/pod/resource-totals.ts";
import type { PodSpec } from "../core/v1/pod/spec-schema.ts";
import { type Resources, isExtended, isHugePage } from "../rules/quantities.ts";
import { plus } from "./amounts.ts";
import { selects } from "./scopes.ts";
import type { Countable, Scope, Usage } from "./contract.ts";

type ContainerStatus = NonNullable<Pod["status"]["containerStatuses"]>[number];

const AMOUNTS = ["cpu", "memory", "ephemeral-storage"];
const REQUESTS = "requests.";

/** The names that count the requests of containers, by name of the resource. */
const COUNTED: ReadonlySet<string> = new Set(AMOUNTS.flatMap((name) => [name, REQUESTS + name, `limits.${name}`]));

/** Whether a name counts Pods, or their requests. */
export function isOfPods(name: string, dialect: Dialect): boolean {
  if (name === "pods" || COUNTED.has(name) || isHugePage(name)) return true;
  if (!name.startsWith(REQUESTS)) return false;
  const asked = name.slice(REQUESTS.length);
  return isHugePage(asked) || isDevice(asked, dialect);
}

/** Whether a resource is an extended one, or represents the devices of a class. */
const isDevice = (name: string, dialect: Dialect): boolean =>
  isExtended(name, dialect) || name.startsWith(`deviceclass.resource.${dialect.labelDomain}/`);

/** How Pods are counted. */
export const podUsage = (dialect: Dialect): Usage<Pod> => ({
  of: (pod, now) => (hasEnded(pod, now) ? {} : { pods: "1", ...counted(askedBy(pod), dialect) }),
  holds: (requirement, { spec }) => holds(requirement, spec),
  unsaid: ({ spec }, limited) => unsaid(spec, limited),
  mayChange(subresource, object, old) {
    if (subresource !== "") return subresource === "resize";
    return hasDeadline(object.spec) !== hasDeadline(old.spec);
  },
});

/** Whether a Pod has ended, or is past its deletion deadline, as on a lost node. */
function hasEnded({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return now > (parseTime(deletionTimestamp) ?? now) + deletionGracePeriodSeconds * 1000;
}

interface Asked {
  readonly requests: Resources;
  readonly limits: Resources;
}

/** The requests of a Pod: those of its containers or its own, and the overhead of its runtime. */
function askedBy(pod: Pod): Asked {
  const spec = asItRuns(pod);
  const { resources, overhead = {} } = spec;
  const requests = { ...totalRequests(spec), ...ofWhole(resources?.requests) };
  const limits = { ...totalLimits(spec), ...ofWhole(resources?.limits) };
  const overLimits = Object.fromEntries(Object.entries(overhead).filter(([name]) => limits[name] !== undefined));
  return { requests: plus(requests, overhead), limits: plus(limits, overLimits) };
}

/** The total requests of a Pod, even of one that has ended: they fill nodes. */
export const requestsOf = (pod: Countable): Resources => askedBy(pod as Pod).requests;

const ofWhole = (resources: Resources = {}): Resources =>
  Object.fromEntries(
    Object.entries(resources).filter(([name]) => name === "cpu" || name === "memory" || isHugePage(name)),
  );

/** The spec with the allocated resources of containers where they exceed the requests: a resize takes time. */
function asItRuns({ spec, status }: Pod): PodSpec {
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = status ?? {};
  if (containerStatuses.length + initContainerStatuses.length === 0) return spec;
  const isRefused = conditions.some(
    ({ type, status: state, reason }) => type === "PodResizePending" && state === "True" && reason === "Infeasible",
  );
  const sized = (containers: PodSpec["containers"], statuses: readonly ContainerStatus[]): PodSpec["containers"] => {
    const byName = new Map(statuses.map((one) => [one.name, one]));
    return (containers ?? []).map((container) => sizeOf(container, byName.get(container.name), isRefused));
  };
  return {
    ...spec,
    containers: sized(spec.containers, containerStatuses),
    ...(spec.initContainers ? { initContainers: sized(spec.initContainers, initContainerStatuses) } : {}),
  };
}

/** A container with its allocated resources; `isRefused`: its resize is infeasible. */
function sizeOf(container: ContainerValue, status: ContainerStatus | undefined, isRefused: boolean): ContainerValue {
  if (!status?.resources && !status?.allocatedResources) return container;
  const { requests = {}, limits = {} } = isRefused ? {} : (container.resources ?? {});
  return {
    ...container,
    resources: {
      ...container.resources,
      requests: most(requests, status.resources?.requests, status.allocatedResources),
      limits: most(limits, status.resources?.limits),
    },
  };
}

function most(...lists: readonly (Resources | undefined)[]): Record<string, string> {
  const greatest: Record<string, string> = {};
  for (const list of lists) {
    for (const name in list) {
      const before = greatest[name];
      if (before === undefined || compareQuantities(list[name]!, before) > 0) greatest[name] = list[name]!;
    }
  }
  return greatest;
}

/** Requests and limits by their names in quotas. */
function counted({ requests, limits }: Asked, dialect: Dialect): Resources {
  const amounts: Record<string, string> = {};
  for (const name in requests) {
    const isShort = AMOUNTS.includes(name) || isHugePage(name);
    if (isShort) amounts[name] = requests[name]!;
    if (isShort || isDevice(name, dialect)) amounts[REQUESTS + name] = requests[name]!;
  }
  for (const name of AMOUNTS) if (limits[name] !== undefined) amounts[`limits.${name}`] = limits[name];
  return amounts;
}

const hasDeadline = ({ activeDeadlineSeconds: seconds }: PodSpec): boolean => seconds !== undefined && seconds >= 0;

function holds(requirement: Scope, spec: PodSpec): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return hasDeadline(spec);
    case "NotTerminating":
      return !hasDeadline(spec);
    case "BestEffort":
      return qosClass(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClass(spec) !== "BestEffort";
    case "PriorityClass":
      return selects(requirement, spec.priorityClassName ? [spec.priorityClassName] : []);
    case "CrossNamespacePodAffinity":
      return looksElsewhere(spec);
    default:
      return false;
  }
}

/** Whether a Pod has affinity or anti-affinity to Pods of other namespaces. */
function looksElsewhere({ affinity }: PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((side) => {
    const wishes = side?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...wishes.map(({ podAffinityTerm }) => podAffinityTerm),
    ];
    return terms.some(
      ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
    );
  });
}

/** The resources that each container must set where they are limited. */
const NEEDED: ReadonlyMap<string, readonly [part: "requests" | "limits", name: string]> = new Map([
  ["cpu", ["requests", "cpu"]],
  ["memory", ["requests", "memory"]],
  ["requests.cpu", ["requests", "cpu"]],
  ["requests.memory", ["requests", "memory"]],
  ["limits.cpu", ["limits", "cpu"]],
  ["limits.memory", ["limits", "memory"]],
]);

const MAX_NAMED = 10;

/** The containers that do not set a limited resource, unless the Pod sets it. */
function unsaid({ containers, initContainers, resources }: PodSpec, limited: readonly string[]): string | undefined {
  const needed = limited.filter((name) => NEEDED.has(name)).toSorted();
  if (needed.length === 0 || isSaidAsAWhole(resources)) return undefined;
  const missing = needed.flatMap((limit) => {
    const [part, name] = NEEDED.get(limit)!;
    const without = [...(containers ?? []), ...(initContainers ?? [])].filter(
      (container) => container.resources?.[part]?.[name] === undefined,
    );
    const names = without.map((container) => container.name).toSorted();
    return names.length === 0 ? [] : [`${limit} for: ${listed(names)}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(",")
    : `${names.slice(0, MAX_NAMED).join(",")} and ${names.length - MAX_NAMED} more`;

const isSaidAsAWhole = (resources: PodSpec["resources"]): boolean =>
  Object.keys({ ...ofWhole(resources?.requests), ...ofWhole(resources?.limits) }).length > 0;
