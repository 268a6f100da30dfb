/**
 * Plans that were saved (`keelson plan -o json`), which could have been written by anybody, and the sentences of a plan.
 *
 * @module
 */
import type {
  PlanFinding,
  PlannedChange,
  PlannedDocument,
  PlannedRestart,
  PlanReport,
} from "../../../../src/meta/plan-report.ts";
import type { ReportedObject } from "../../../../src/meta/ownership-reports.ts";
import { getMember, isObject, type Value, type ValueObject } from "../../../../src/value/value.ts";
import { parseValue } from "../../editor/exact-json.ts";

/** The most documents, changes of a document, findings and restarts that are read of a saved plan. */
const MAX_ITEMS = 4096;

/**
 * Returns the plan that is the only document of a text; undefined if there is none. Documents are compact JSON.
 *
 * @throws Error that names the member which is not as expected
 */
export function savedPlan(documents: readonly string[]): PlanReport | undefined {
  const [only = ""] = documents;
  // Manifests, which are larger, need not be read.
  if (documents.length !== 1 || !only.includes('"kind":"Plan"')) return undefined;
  const value = parseValue(only);
  return isObject(value) && value["kind"] === "Plan" ? planOf(value) : undefined;
}

function planOf(value: ValueObject): PlanReport {
  const outcome = getMember(value, "outcome");
  if (outcome !== "planned" && outcome !== "committed" && outcome !== "refused") {
    throw new Error("outcome: expected planned, committed or refused");
  }
  return {
    kind: "Plan",
    apiVersion: textOf(value, "apiVersion"),
    outcome,
    resourceVersion: textOf(value, "resourceVersion"),
    documents: listOf(value, "documents", documentOf),
    pruned: listOf(value, "pruned", documentOf),
    findings: listOf(value, "findings", findingOf),
    restarts: listOf(value, "restarts", restartOf),
    ...optional("status", statusOf(getMember(value, "status"))),
  };
}

type Member = Value | undefined;

function textOf(value: Member, name: string): string {
  const found = isObject(value) ? getMember(value, name) : undefined;
  if (found === undefined || found === null) return "";
  if (typeof found !== "string") throw new Error(`${name}: expected a text`);
  return found;
}

function numberOf(value: Member, name: string): number {
  const found = isObject(value) ? getMember(value, name) : undefined;
  if (found === undefined) return 0;
  if (typeof found !== "number") throw new Error(`${name}: expected a number`);
  return found;
}

function listOf<T>(value: Member, name: string, item: (value: Value) => T): readonly T[] {
  const found = isObject(value) ? getMember(value, name) : undefined;
  if (found === undefined) return [];
  if (!Array.isArray(found)) throw new Error(`${name}: expected a list`);
  if (found.length > MAX_ITEMS) throw new Error(`${name}: expected at most ${MAX_ITEMS} items, found ${found.length}`);
  return found.map((one, i) => {
    if (!isObject(one)) throw new Error(`${name}[${i}]: expected an object`);
    return item(one);
  });
}

const textsOf = (value: Member, name: string): readonly string[] => {
  const found = isObject(value) ? getMember(value, name) : undefined;
  if (found === undefined) return [];
  if (!Array.isArray(found) || !found.every((one) => typeof one === "string")) {
    throw new Error(`${name}: expected a list of texts`);
  }
  return found.slice(0, MAX_ITEMS) as string[];
};

const optional = <K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: T };

function objectOf(value: Member): ReportedObject | undefined {
  if (!isObject(value)) return undefined;
  const namespace = textOf(value, "namespace");
  return {
    apiVersion: textOf(value, "apiVersion"),
    kind: textOf(value, "kind"),
    name: textOf(value, "name"),
    ...(namespace === "" ? {} : { namespace }),
  } as ReportedObject;
}

function statusOf(value: Member): PlanReport["status"] {
  if (!isObject(value)) return undefined;
  return {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: textOf(value, "message"),
    code: numberOf(value, "code"),
  } as PlanReport["status"];
}

const RESULTS: ReadonlySet<string> = new Set(["created", "changed", "unchanged", "deleted", "refused"]);

function documentOf(value: Value): PlannedDocument {
  const result = textOf(value, "result");
  if (!RESULTS.has(result)) throw new Error(`result: expected one of ${[...RESULTS].join(", ")}`);
  const moved = isObject(value) ? getMember(value, "moved") : undefined;
  const refusedBy = textOf(value, "refusedBy");
  return {
    ...(isObject(value) && getMember(value, "document") !== undefined ? { document: numberOf(value, "document") } : {}),
    ...optional("object", objectOf(isObject(value) ? getMember(value, "object") : undefined)),
    result: result as PlannedDocument["result"],
    ...(isObject(moved)
      ? {
          moved: { rule: textOf(moved, "rule"), before: numberOf(moved, "before") } as NonNullable<
            PlannedDocument["moved"]
          >,
        }
      : {}),
    changes: listOf(value, "changes", changeOf),
    changesLeftOut: isObject(value) && getMember(value, "changesLeftOut") === true,
    lost: listOf(value, "lost", (one) => ({ manager: textOf(one, "manager"), fields: textsOf(one, "fields") })),
    ...(refusedBy === "" ? {} : { refusedBy }),
    ...optional("status", statusOf(isObject(value) ? getMember(value, "status") : undefined)),
    warnings: textsOf(value, "warnings"),
  };
}

function changeOf(value: Value): PlannedChange {
  const op = textOf(value, "op");
  if (op !== "add" && op !== "remove" && op !== "replace") throw new Error("op: expected add, remove or replace");
  const members = isObject(value) ? value : {};
  return {
    op,
    pointer: textOf(value, "pointer"),
    ...optional("before", getMember(members, "before")),
    ...optional("after", getMember(members, "after")),
    managers: textsOf(value, "managers"),
  };
}

function findingOf(value: Value): PlanFinding {
  const kind = textOf(value, "kind");
  if (kind !== "quota" && kind !== "budget" && kind !== "claim")
    throw new Error("kind: expected quota, budget or claim");
  return {
    kind,
    namespace: textOf(value, "namespace"),
    name: textOf(value, "name"),
    message: textOf(value, "message"),
  };
}

function restartOf(value: Value): PlannedRestart {
  const strategy = textOf(value, "strategy");
  if (strategy !== "RollingUpdate" && strategy !== "Recreate" && strategy !== "OnDelete") {
    throw new Error("strategy: expected RollingUpdate, Recreate or OnDelete");
  }
  const object = objectOf(isObject(value) ? getMember(value, "object") : undefined);
  if (!object) throw new Error("object: expected an object");
  return {
    object,
    strategy,
    count: numberOf(value, "count"),
    pods: textsOf(value, "pods"),
    podsLeftOut: numberOf(value, "podsLeftOut"),
    maxUnavailable: numberOf(value, "maxUnavailable"),
    maxSurge: numberOf(value, "maxSurge"),
    stays: numberOf(value, "stays"),
    isPaused: isObject(value) && getMember(value, "isPaused") === true,
  };
}

/** `Deployment team/web`. */
export function nameOf({ object }: Pick<PlannedDocument, "object">): string {
  if (!object) return "an object without a kind or a name";
  return `${object.kind} ${object.namespace ? `${object.namespace}/` : ""}${object.name}`;
}

const counted = (count: number): string => (count === 1 ? "1 Pod" : `${count} Pods`);

/** `Deployment team/web replaces 4 Pods, at most 1 unavailable`, as `keelson plan` says it. */
export function restartText(restart: PlannedRestart): string {
  const { strategy, count, pods, podsLeftOut = 0, maxUnavailable, maxSurge, stays = 0, isPaused } = restart;
  const who = nameOf(restart);
  if (isPaused) return `${who} is paused: ${counted(stays)} stay until it is resumed`;
  if (strategy === "OnDelete") return `${who} replaces none of ${counted(stays)} until they are deleted`;
  const unavailable =
    maxUnavailable > 0 || maxSurge === 0 ? `at most ${maxUnavailable} unavailable` : "none unavailable";
  const surge = maxSurge > 0 ? `, ${maxSurge} more than desired` : "";
  const pace = strategy === "Recreate" ? "all at once" : unavailable + surge;
  const more = podsLeftOut > 0 ? ` and ${podsLeftOut} more` : "";
  const names = pods.length > 0 ? `: ${pods.join(", ")}${more}` : "";
  const rest = stays > 0 ? `; ${stays} below the partition stay` : "";
  return `${who} replaces ${counted(count)}${count > 0 ? `, ${pace}` : ""}${rest}${names}`;
}

/** How many documents have each result, in the order in which they are told. */
export function countsOf({ documents, pruned }: PlanReport): readonly (readonly [PlannedDocument["result"], number])[] {
  const all = [...documents, ...pruned];
  return (["created", "changed", "deleted", "unchanged", "refused"] as const).map((result) => [
    result,
    all.filter((one) => one.result === result).length,
  ]);
}

/** How many documents have each result, as a text; results without documents are left out. */
export const countsText = (report: PlanReport): string =>
  countsOf(report)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

/** Why a document was moved forward. */
export const MOVES: Readonly<Record<string, string>> = {
  namespace: "it is the namespace of document",
  definition: "it defines the kind of document",
  class: "it is a class of document",
  role: "it is the role of document",
  serviceAccount: "it is the service account of document",
};

const MAX_VALUE_LENGTH = 2000;

/** A value as it is shown: JSON on one line, cut where it is long. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return "";
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
