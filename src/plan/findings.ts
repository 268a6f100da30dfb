/**
 * Problems of all documents together that none of them alone has: quotas below the usage, budgets that workloads cannot meet, and claims
 * without a use.
 * Only namespaces in which the plan changes objects are checked, and only for a user who may list them. Existing problems are not reported.
 *
 * @module
 */
import type { ResourceQuota } from "../kinds/core/v1/resource-quota.ts";
import { plus } from "../kinds/usage/amounts.ts";
import { countedBy, isAbout, usageOf } from "../kinds/usage/usage.ts";
import type { Resources } from "../kinds/rules/quantities.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { PlanFinding } from "../meta/plan-report.ts";
import { compareQuantities } from "../meta/quantity.ts";
import type { LabelSelector } from "../meta/selectors.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { selectionOf } from "../schema/validation/label-selection.ts";
import type { LabelSelectorValue } from "../schema/validation/label-selector.ts";
import { type Value, isObject, memberOf, textIn } from "../value/value.ts";
import { asValue } from "../schema/api-object.ts";

/** The objects of a cluster before and after a plan. */
export interface Compared {
  readonly before: Lookup;
  readonly after: Lookup;
  readonly dialect: Dialect;
  readonly now: number;
  /** Rejects where the plan has ended; a promise where others have to run first. */
  readonly pause: () => Promise<void>;
  /** Whether the user may list a resource in a namespace. */
  readonly mayList: (resource: string, namespace: string) => Promise<boolean>;
}

/** The findings in some namespaces. */
export async function findingsIn(compared: Compared, namespaces: readonly string[]): Promise<readonly PlanFinding[]> {
  const found: PlanFinding[] = [];
  for (const namespace of namespaces) {
    if (await compared.mayList("resourcequotas", namespace)) found.push(...(await quotaFindings(compared, namespace)));
    if (await compared.mayList(BUDGETS, namespace)) found.push(...(await budgetFindings(compared, namespace)));
    if (await compared.mayList(CLAIMS, namespace)) found.push(...(await claimFindings(compared, namespace)));
  }
  return found;
}

const isQuota = guardOf<ResourceQuota>("ResourceQuota");
const quotaOf = (object: ApiObject): ResourceQuota | undefined => (isQuota(object) ? object : undefined);
const anyObject = (object: ApiObject): ApiObject => object;

async function quotaFindings(compared: Compared, namespace: string): Promise<readonly PlanFinding[]> {
  const found: PlanFinding[] = [];
  for (const quota of await compared.after.collect("resourcequotas", quotaOf, namespace)) {
    await compared.pause();
    const { name = "" } = quota.metadata;
    const old = compared.before.get("resourcequotas", namespace, name);
    const hard = quota.spec.hard ?? {};
    const used = await usedOf(compared, quota, namespace);
    const oldHard = old && isQuota(old) ? (old.spec.hard ?? {}) : {};
    for (const [resource, limit] of Object.entries(hard)) {
      const amount = used[resource];
      if (oldHard[resource] === limit || amount === undefined || compareQuantities(amount, limit) <= 0) continue;
      const message = `${resource} is limited to ${limit}, and ${amount} is used`;
      found.push({ kind: "quota", namespace, name, message });
    }
  }
  return found;
}

/** The usage of a quota: that of its status, or a count where it has none yet. */
async function usedOf(compared: Compared, quota: ResourceQuota, namespace: string): Promise<Resources> {
  const { used } = quota.status ?? {};
  if (used && Object.keys(used).length > 0) return used;
  const { after, dialect, now } = compared;
  const names = Object.keys(quota.spec.hard ?? {});
  let sum: Resources = {};
  for (const resource of new Set(names.flatMap((name) => countedBy(name, dialect) ?? []))) {
    await compared.pause();
    const usage = usageOf(resource, dialect);
    for (const object of await after.collect(resource, anyObject, namespace)) {
      if (isAbout(quota.spec, object, usage)) sum = plus(sum, usage.of(object, now));
    }
  }
  return sum;
}

const BUDGETS = "poddisruptionbudgets.policy";
const WORKLOADS = ["deployments.apps", "statefulsets.apps", "replicasets.apps", "replicationcontrollers"] as const;

/** A budget with a number of required Pods. */
interface FixedBudget {
  readonly name: string;
  readonly selector: LabelSelector;
  readonly minAvailable: number;
}

function budgetOf(object: ApiObject): FixedBudget | undefined {
  const spec = memberOf(asValue(object), "spec");
  const [minAvailable, selector] = [memberOf(spec, "minAvailable"), memberOf(spec, "selector")];
  if (typeof minAvailable !== "number" || !isObject(selector)) return undefined;
  const compiled = selectionOf(selector as LabelSelectorValue);
  return compiled && { name: object.metadata.name ?? "", selector: compiled, minAvailable };
}

/** A workload that no other one owns. */
interface Workload {
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
}

function workloadOf(object: ApiObject): Workload | undefined {
  if (object.metadata.ownerReferences?.some(({ controller }) => controller)) return undefined;
  const spec = memberOf(asValue(object), "spec");
  const labels = memberOf(memberOf(memberOf(spec, "template"), "metadata"), "labels");
  const replicas = memberOf(spec, "replicas");
  if (!isObject(labels)) return undefined;
  return { labels: labels as Record<string, string>, replicas: typeof replicas === "number" ? replicas : 1 };
}

async function budgetFindings({ before, after, pause }: Compared, namespace: string): Promise<readonly PlanFinding[]> {
  const kept = await after.collect(BUDGETS, budgetOf, namespace);
  if (kept.length === 0) return [];
  const [old, now, oldBudgets] = await Promise.all([
    workloadsIn(before, namespace),
    workloadsIn(after, namespace),
    before.collect(BUDGETS, budgetOf, namespace),
  ]);
  const former = new Map(oldBudgets.map((budget) => [budget.name, budget]));
  const found: PlanFinding[] = [];
  for (const budget of kept) {
    await pause();
    const { name, minAvailable } = budget;
    const replicas = replicasOf(budget, now);
    const same = former.get(name);
    const wasBroken = same !== undefined && replicasOf(same, old) < same.minAvailable;
    // Pods that no workload makes are not counted.
    if (replicas >= minAvailable || wasBroken || (replicas === 0 && (!same || replicasOf(same, old) === 0))) continue;
    const message = `${minAvailable} Pods have to be available, and its workloads have ${replicas}`;
    found.push({ kind: "budget", namespace, name, message });
  }
  return found;
}

async function workloadsIn(lookup: Lookup, namespace: string): Promise<readonly Workload[]> {
  const found: Workload[] = [];
  for (const resource of WORKLOADS) found.push(...(await lookup.collect(resource, workloadOf, namespace)));
  return found;
}

const replicasOf = ({ selector }: FixedBudget, workloads: readonly Workload[]): number =>
  workloads.reduce((sum, { labels, replicas }) => sum + (selector.matches(labels) ? replicas : 0), 0);

const CLAIMS = "persistentvolumeclaims";
const POD_MAKERS = [
  "pods",
  "deployments.apps",
  "statefulsets.apps",
  "replicasets.apps",
  "daemonsets.apps",
  "replicationcontrollers",
  "jobs.batch",
  "cronjobs.batch",
] as const;

const nameOf = ({ metadata: { name = "" } }: ApiObject): string => name;

/** The claims that the Pods of an object use: by name, and those of a template by the beginning of their names. */
interface ClaimUse {
  readonly claims: readonly string[];
  readonly prefixes: readonly string[];
}

/** The same of many objects. */
interface ClaimUses {
  readonly claims: ReadonlySet<string>;
  readonly prefixes: ReadonlySet<string>;
}

function useOf(object: ApiObject): ClaimUse | undefined {
  const spec = memberOf(asValue(object), "spec");
  const template = memberOf(memberOf(memberOf(spec, "jobTemplate"), "spec"), "template") ?? memberOf(spec, "template");
  const volumes = memberOf(template === undefined ? spec : memberOf(template, "spec"), "volumes");
  const name = nameOf(object);
  const claims = listOf(volumes).flatMap((volume) => {
    if (memberOf(volume, "ephemeral") !== undefined) return `${name}-${textIn(volume, "name")}`;
    return textIn(memberOf(volume, "persistentVolumeClaim"), "claimName") || [];
  });
  const templates = listOf(memberOf(spec, "volumeClaimTemplates"));
  const prefixes = templates.map((one) => `${textIn(memberOf(one, "metadata"), "name")}-${name}-`);
  return claims.length + prefixes.length === 0 ? undefined : { claims, prefixes };
}

async function claimFindings({ before, after }: Compared, namespace: string): Promise<readonly PlanFinding[]> {
  const names = await after.collect(CLAIMS, nameOf, namespace);
  if (names.length === 0) return [];
  const [old, now] = await Promise.all([usesIn(before, namespace), usesIn(after, namespace)]);
  const unused = names.filter((name) => {
    const isNew = before.get(CLAIMS, namespace, name) === undefined;
    return !isUsed(name, now) && (isNew || isUsed(name, old));
  });
  return unused.map((name) => ({ kind: "claim", namespace, name, message: "no Pod and no workload uses it" }));
}

async function usesIn(lookup: Lookup, namespace: string): Promise<ClaimUses> {
  const found: ClaimUse[] = [];
  for (const resource of POD_MAKERS) found.push(...(await lookup.collect(resource, useOf, namespace)));
  return {
    claims: new Set(found.flatMap((one) => one.claims)),
    prefixes: new Set(found.flatMap((one) => one.prefixes)),
  };
}

/** Whether a claim is named, or has the name of a template's claim: the prefix and a number. */
function isUsed(name: string, { claims, prefixes }: ClaimUses): boolean {
  if (claims.has(name)) return true;
  const end = name.lastIndexOf("-") + 1;
  return end > 0 && /^\d+$/.test(name.slice(end)) && prefixes.has(name.slice(0, end));
}

const listOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);
