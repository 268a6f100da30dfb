/**
 * What becomes of a role or a binding that is there from the start when a server starts again (RBAC-57): what is missing is
 * added, and nothing is taken away.
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
 * What has to be done to an object.
 *
 * - create: it is not there
 * - update: it lacks something
 * - replace: it gives another role, which never changes in place
 */
export interface Reconciliation {
  readonly do: "create" | "update" | "replace";
  readonly object: NewObject;
}

/** What has to be done so that an object is as it is meant to be; undefined for nothing. Rights are compared in steps. */
export function* reconcile(existing: ApiObject | undefined, wanted: NewObject): Steps<Reconciliation | undefined> {
  if (!existing) return { do: "create", object: wanted };
  if (existing.metadata.annotations?.[AUTOUPDATE] === "false") return undefined;
  if (!isSame(existing["roleRef"], wanted["roleRef"])) return { do: "replace", object: wanted };
  const parts = "roleRef" in wanted ? bindingParts(existing, wanted) : yield* roleParts(existing, wanted);
  const marks = missingMarks(existing, wanted);
  if (!marks && !parts) return undefined;
  return { do: "update", object: { ...existing, ...parts, metadata: { ...existing.metadata, ...marks } } };
}

/** Labels and annotations with those that are missing; undefined where none is. What somebody has set stays. */
function missingMarks(existing: ApiObject, wanted: NewObject): object | undefined {
  const labels = { ...wanted.metadata.labels, ...existing.metadata.labels };
  const annotations = { ...wanted.metadata.annotations, ...existing.metadata.annotations };
  const { labels: ownLabels, annotations: ownAnnotations } = existing.metadata;
  const isMarked = sizeOf(labels) === sizeOf(ownLabels) && sizeOf(annotations) === sizeOf(ownAnnotations);
  return isMarked ? undefined : { labels, annotations };
}

const sizeOf = (marks: object = {}): number => Object.keys(marks).length;

/** Where a role gathers its rules from. */
interface Gathering {
  readonly clusterRoleSelectors?: readonly object[];
}

const rulesOf = (role: NewObject): readonly RuleForm[] =>
  (role["rules"] as readonly RuleForm[] | null | undefined) ?? [];

function* roleParts(existing: ApiObject, wanted: NewObject): Steps<object | undefined> {
  const rules = rulesOf(existing);
  const { rules: missing } = yield* missingRights(rules, rulesOf(wanted).flatMap(singleRights));
  const gathering = gatheringPart(existing["aggregationRule"] as Gathering, wanted["aggregationRule"] as Gathering);
  if (missing.length === 0 && !gathering) return undefined;
  return { ...(missing.length === 0 ? {} : { rules: [...rules, ...missing] }), ...gathering };
}

/** The rights of a rule, each by itself, in its order. */
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

/** Selectors are added to a role that is to gather; one that is not to, gathers no more. */
function gatheringPart(existing: Gathering | undefined, wanted: Gathering | undefined): object | undefined {
  if (!wanted) return existing ? { aggregationRule: undefined } : undefined;
  const there = existing?.clusterRoleSelectors ?? [];
  const missing = missingOf(there, wanted.clusterRoleSelectors ?? []);
  return missing.length === 0 ? undefined : { aggregationRule: { clusterRoleSelectors: [...there, ...missing] } };
}

function bindingParts(existing: ApiObject, wanted: NewObject): object | undefined {
  const there = (existing["subjects"] as readonly Subject[] | undefined) ?? [];
  const missing = missingOf(there, (wanted["subjects"] as readonly Subject[] | undefined) ?? []);
  return missing.length === 0 ? undefined : { subjects: [...there, ...missing] };
}

const missingOf = <T>(there: readonly T[], wanted: readonly T[]): readonly T[] =>
  wanted.filter((one) => !there.some((other) => isSame(one, other)));

const isSame = (a: unknown, b: unknown): boolean => equal(a as Value | undefined, b as Value | undefined);
