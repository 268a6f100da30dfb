/**
 * The perturbations of a run, as the beginning of a sentence: "After operator was killed between its create of Secret default/a and its
 * update of the status of Widget default/a".
 *
 * @module
 */
import type { DeliveryPoint, Perturbation, RequestPoint } from "../contract/plan.ts";
import type { RequestEntry, Trace } from "../contract/trace.ts";
import { kindText, NormalNames, objectText } from "../names.ts";
import { PointCounter, requestKey } from "../points.ts";

/** `create of Secret default/a`, `update of the status of Widget default/a`, `call CreateVolume`. */
export function requestText(point: Omit<RequestPoint, "occurrence" | "actor">): string {
  if (point.protocol === "csi") return `call ${point.verb}`;
  const of = point.subresource === undefined ? "" : `the ${point.subresource} of `;
  return `${point.verb} of ${of}${objectText(point)}`;
}

const CHANGES = { ADDED: "creation", MODIFIED: "change", DELETED: "deletion" } as const;

const deliveryText = (point: DeliveryPoint): string => `the ${CHANGES[point.change]} of ${objectText(point)}`;

/** `5 min`, `30 s`. */
export function timeText(millis: number): string {
  if (millis >= 3_600_000 && millis % 3_600_000 === 0) return `${millis / 3_600_000} h`;
  if (millis >= 60_000 && millis % 60_000 === 0) return `${millis / 60_000} min`;
  return millis >= 1000 ? `${millis / 1000} s` : `${millis} ms`;
}

const REFUSALS = {
  conflict: "a conflict",
  "too-many-requests": "429 Too Many Requests",
  "internal-error": "500 Internal Server Error",
  unavailable: "503 Service Unavailable",
  timeout: "a time-out",
  "deadline-exceeded": "DEADLINE_EXCEEDED",
  aborted: "ABORTED",
} as const;

/** The text of a refusal: `a conflict`. */
export const refusalText = (refusal: keyof typeof REFUSALS): string => REFUSALS[refusal];

/** Returns the clause for a plan, with a capital letter; for an empty one "Without any perturbation". */
export function planClause(plan: readonly Perturbation[], clean: Trace): string {
  if (plan.length === 0) return "Without any perturbation";
  const clauses = plan.map((perturbation) => clauseOf(perturbation, clean));
  const text = clauses.join(", and ");
  return text[0]!.toUpperCase() + text.slice(1);
}

function clauseOf(perturbation: Perturbation, clean: Trace): string {
  switch (perturbation.type) {
    case "crash":
      return crashClause(perturbation, clean);
    case "answer-lost":
      return `after the response to the ${requestText(perturbation.at)} by ${perturbation.at.actor} was lost`;
    case "refused": {
      const { at, times } = perturbation;
      const often = times === 1 ? "" : ` ${times} times`;
      return `after the ${requestText(at)} by ${at.actor} was refused with ${refusalText(perturbation.with)}${often}`;
    }
    case "slow":
      return `while the response to the ${requestText(perturbation.at)} by ${perturbation.at.actor} took ${timeText(perturbation.byMillis)}`;
    case "lag":
      return `while ${perturbation.at.actor} saw changes of ${kindText(perturbation.at)} late, from ${deliveryText(perturbation.at)} on`;
    case "gap":
      return `after ${perturbation.at.actor} missed changes of ${kindText(perturbation.at)} from ${deliveryText(perturbation.at)} on, and listed again`;
    case "stale-restart":
      return (
        `after ${perturbation.at.actor} was killed right after its ${requestText(perturbation.at)}, ` +
        `and began again with a state from before ${deliveryText(perturbation.behind)}`
      );
    case "resync":
      return `after all watches of ${perturbation.at.actor} were opened again at ${deliveryText(perturbation.at)}`;
    case "bookmark":
      return `after ${perturbation.at.actor} got a bookmark at ${deliveryText(perturbation.at)}`;
    case "lead-changes":
      return `after another replica of ${perturbation.at.actor} took over while its ${requestText(perturbation.at)} was on its way`;
    case "slow-webhooks":
      return `while webhooks took ${timeText(perturbation.byMillis)} for the writes of ${perturbation.actor}`;
    case "node-lost":
      return `after node ${perturbation.node} was lost for ${timeText(perturbation.forMillis)}`;
    case "clock-jump":
      return `after the clock jumped by ${timeText(perturbation.byMillis)}`;
    case "repeated":
      return `after the ${requestText(perturbation.at)} reached its receiver twice`;
    case "overtaken":
      return `after the ${requestText(perturbation.at)} by ${perturbation.at.actor} was handled after the request that followed it`;
  }
}

function crashClause({ at, when }: Perturbation & { type: "crash" }, clean: Trace): string {
  const request = requestText(at);
  if (when === "before") return `after ${at.actor} was killed before its ${request} was handled`;
  if (when === "late") return `after ${at.actor} was killed, and its ${request} was handled after it had started again`;
  const next = nextWrite(at, clean);
  return next === undefined
    ? `after ${at.actor} was killed right after its ${request}`
    : `after ${at.actor} was killed between its ${request} and its ${next}`;
}

/** The next write of a program in a clean run. */
function nextWrite(at: RequestPoint, clean: Trace): string | undefined {
  const counter = new PointCounter(NormalNames.of(clean));
  let found = false;
  for (const entry of clean) {
    if (entry.type !== "request" || entry.actor !== at.actor) continue;
    const point = counter.request(entry);
    if (found && isWrite(entry)) return requestText(point);
    if (point.occurrence === at.occurrence && requestKey(point) === requestKey(at)) found = true;
  }
  return undefined;
}

const isWrite = ({ changed, protocol }: RequestEntry): boolean => changed || protocol === "csi";
