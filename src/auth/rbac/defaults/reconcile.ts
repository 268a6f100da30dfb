/**
 * Reconciles a default role or binding at the start of a server (RBAC-57): missing parts are added, and nothing is removed.
 *
 * @module
 */
import type { ApiObject, NewObject } from "../../../schema/definition.ts";
import { type Value, equal } from "../../../value/value.ts";
import type { Steps } from "../../../util/steps.ts";
import { missingRights } from "../coverage.ts";
import type { RuleForm } from "../rule.ts";
import type { Subject } from "./bindings.ts";
import { AUTOUPDATE } from "./index.ts";

/**
 * The write that reconciles an object.
 *
 * - create: the object does not exist
 * - update: the object lacks something
 * - replace: the binding has another role, which is immutable
 */
export interface Reconciliation {
  readonly do: "create" | "update" | "replace";
  readonly object: NewObject;
}

/** The write that reconciles an object; undefined where none is needed. Rights are compared in steps. */
export function* reconcile(existing: ApiObject | undefined, desired: NewObject): Steps<Reconciliation | undefined> {
  if (!existing) return { do: "create", object: desired };
  if (existing.metadata.annotations?.[AUTOUPDATE] === "false") return undefined;
  if (!isSame(existing["roleRef"], desired["roleRef"])) return { do: "replace", object: desired };
  const parts = "roleRef" in desired ? bindingParts(existing, desired) : yield* roleParts(existing, desired);
  const marks = missingMarks(existing, desired);
  if (!marks && !parts) return undefined;
  return { do: "update", object: { ...existing, ...parts, metadata: { ...existing.metadata, ...marks } } };
}

/** Labels and annotations with the missing ones; undefined where none is missing. Existing values stay. */
function missingMarks(existing: ApiObject, desired: NewObject): object | undefined {
  const labels = { ...desired.metadata.labels, ...existing.metadata.labels };
  const annotations = { ...desired.metadata.annotations, ...existing.metadata.annotations };
  const { labels: ownLabels, annotations: ownAnnotations } = existing.metadata;
  const isMarked = sizeOf(labels) === sizeOf(ownLabels) && sizeOf(annotations) === sizeOf(ownAnnotations);
  return isMarked ? undefined : { labels, annotations };
}

const sizeOf = (marks: object = {}): number => Object.keys(marks).length;

/** The `aggregationRule` of a ClusterRole. */
interface Aggregation {
  readonly clusterRoleSelectors?: readonly object[];
}

const rulesOf = (role: NewObject): readonly RuleForm[] =>
  (role["rules"] as readonly RuleForm[] | null | undefined) ?? [];

function* roleParts(existing: ApiObject, desired: NewObject): Steps<object | undefined> {
  const rules = rulesOf(existing);
  const { rules: missing } = yield* missingRights(rules, rulesOf(desired).flatMap(singleRights));
  const aggregation = aggregationPart(
    existing["aggregationRule"] as Aggregation,
    desired["aggregationRule"] as Aggregation,
  );
  if (missing.length === 0 && !aggregation) return undefined;
  return { ...(missing.length === 0 ? {} : { rules: [...rules, ...missing] }), ...aggregation };
}

/** The rights of a rule as single rules, in its order. */
function singleRights({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: RuleForm): readonly RuleForm[] {
  const names = resourceNames?.map((name) => ({ resourceNames: [name] })) ?? [{}];
  const ofEach = (what: object): readonly RuleForm[] => (verbs ?? []).map((verb) => ({ ...what, verbs: [verb] }));
  if (nonResourceURLs) return nonResourceURLs.flatMap((path) => ofEach({ nonResourceURLs: [path] }));
  return (apiGroups ?? []).flatMap((group) =>
    (resources ?? []).flatMap((resource) =>
      names.flatMap((name) => ofEach({ apiGroups: [group], resources: [resource], ...name })),
    ),
  );
}

/** Adds missing selectors to an aggregated role; another role loses its aggregationRule. */
function aggregationPart(existing: Aggregation | undefined, desired: Aggregation | undefined): object | undefined {
  if (!desired) return existing ? { aggregationRule: undefined } : undefined;
  const selectors = existing?.clusterRoleSelectors ?? [];
  const missing = missingOf(selectors, desired.clusterRoleSelectors ?? []);
  return missing.length === 0 ? undefined : { aggregationRule: { clusterRoleSelectors: [...selectors, ...missing] } };
}

function bindingParts(existing: ApiObject, desired: NewObject): object | undefined {
  const subjects = subjectsOf(existing);
  const missing = missingOf(subjects, subjectsOf(desired));
  return missing.length === 0 ? undefined : { subjects: [...subjects, ...missing] };
}

const subjectsOf = (binding: NewObject): readonly Subject[] =>
  (binding["subjects"] as readonly Subject[] | undefined) ?? [];

const missingOf = <T>(existing: readonly T[], desired: readonly T[]): readonly T[] =>
  desired.filter((one) => !existing.some((other) => isSame(one, other)));

const isSame = (a: unknown, b: unknown): boolean => equal(a as Value | undefined, b as Value | undefined);
