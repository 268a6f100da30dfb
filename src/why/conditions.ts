import { isObject } from "../value/value.ts";
import type { ApiObject } from "../client/index.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { lastWarning, quoteOf, quoted, secondOf, eventsAbout } from "./events.ts";
import { type Facts, First, MAX_NAMED, firstOf, refOf } from "./facts.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

interface ObjectWithStatus extends ApiObject {
  readonly status?: { readonly conditions?: unknown; readonly observedGeneration?: unknown };
}

/** Words in the types of conditions that are problems where they are True; all others are where they are not. */
const PROBLEM_WORDS = [
  "Fail",
  "Degraded",
  "Stalled",
  "Error",
  "Pressure",
  "Unavailable",
  "Invalid",
  "Conflict",
  "Suspended",
  "Blocked",
  "Infeasible",
  "Refused",
  "Denied",
];
/** Words in the types of conditions that mean progress. */
const PROGRESS_WORDS = ["Reconciling", "Resizing", "Terminating", "Deleting"];

/** Explains objects of any kind: by conditions that do not hold, an unobserved generation, and the last warning. */
export async function explainConditions(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> {
  const reasons = [...unseen(object), ...conditionReasons(object)];
  const word = lastWarning(await eventsAbout(facts, object));
  const isSaid = word && reasons.some(({ says }) => says.includes(word.message));
  if (!word || isSaid) return reasons;
  const from = word.from === "" ? "somebody" : word.from;
  const says = `${from} says: ${word.reason}: ${word.message}`;
  return [...reasons, { says, who: `whoever runs ${from}, or changes what it names`, quotes: quoteOf(word) }];
}

/** Its controller has not observed its generation. */
function unseen({ metadata, status, kind }: ObjectWithStatus): readonly ReportedReason[] {
  const seen = status?.observedGeneration;
  const { generation } = metadata;
  if (typeof seen !== "number" || generation === undefined || seen >= generation) return [];
  const says = `its controller has seen generation ${seen} of it, and it has generation ${generation}`;
  return [{ says, who: `whoever runs the controller of ${kind} objects` }];
}

/** Returns the conditions that do not hold; those of an older generation do not count. */
export function conditionReasons(object: ApiObject): readonly ReportedReason[] {
  const told = new First<Condition>(MAX_NAMED);
  for (const condition of conditionsOf(object)) if (isProblem(condition, object)) told.add(condition);
  const who = writerOf(object);
  return firstOf(told, ({ type, status, reason = "", message = "", lastTransitionTime: time }) => {
    const why = [reason, message].filter((text) => text !== "").map(quoted);
    const says = `its condition ${quoted(type)} is ${quoted(status)}${why.length > 0 ? `: ${why.join(": ")}` : ""}`;
    const quotes = { in: "condition", reason: quoted(type), ...(time ? { time } : {}) } as const;
    return { says, who, about: refOf(object), quotes };
  });
}

/** The maximum number of conditions that are read. */
const MAX_CONDITIONS = 100;

/** Returns the valid conditions of an object of any kind. */
function conditionsOf({ status }: ObjectWithStatus): readonly Condition[] {
  const { conditions } = status ?? {};
  if (!Array.isArray(conditions)) return [];
  return conditions.slice(0, MAX_CONDITIONS).filter(isCondition);
}

const isCondition = (value: unknown): value is Condition => {
  const { type, status, reason, message } = isObject(value) ? value : {};
  const isText = (one: unknown): boolean => one === undefined || one === null || typeof one === "string";
  return typeof type === "string" && typeof status === "string" && isText(reason) && isText(message);
};

function isProblem({ type, status, observedGeneration: seen }: Condition, { metadata }: ApiObject): boolean {
  if (typeof seen === "number" && metadata.generation !== undefined && seen < metadata.generation) return false;
  if (PROGRESS_WORDS.some((word) => type.includes(word))) return false;
  const isBad = PROBLEM_WORDS.some((word) => type.includes(word));
  return isBad ? status === "True" : status !== "True";
}

/** The writer of the status, by managedFields. */
function writerOf({ metadata, kind }: ApiObject): string {
  const writers = (metadata.managedFields ?? []).filter(({ subresource }) => subresource === "status");
  const last = writers.toSorted((a, b) => secondOf(b.time ?? "") - secondOf(a.time ?? ""))[0];
  return last?.manager ? `${last.manager}, which writes its status` : `whoever runs the controller of ${kind} objects`;
}
