/**
 * One plain sentence for a fault: the perturbation, its effect, and the reason, as far as the traces show it.
 *
 * @module
 */
import type { Perturbation } from "../contract/plan.ts";
import { objectText } from "../names.ts";
import { planClause } from "./clauses.ts";
import { memberValue } from "./flat.ts";
import { type Evidence, mechanismOf } from "./mechanisms.ts";
import type { Suspect } from "./suspect.ts";
import type { Item } from "./view.ts";

/** Returns the sentence of a suspect. */
export function sentenceOf(suspect: Suspect, plan: readonly Perturbation[], evidence: Evidence): string {
  const mechanism = mechanismOf(suspect, plan, evidence);
  const clause = planClause(plan, evidence.clean.record.trace);
  return `${clause}, ${effectOf(suspect, evidence)}${mechanism === undefined ? "" : `: ${mechanism}`}.`;
}

/** The sentence of two orders of operations that end differently. */
export const rememberedSentence = (suspect: Suspect, comparison: string, evidence: Evidence): string =>
  `After the operation "${comparison}", ${effectOf(suspect, evidence)}: the result depends on what the object was before.`;

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? (texts[0] ?? "a program") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;

const MAX_DETAIL = 200;

/** A text that ends within a sentence: in one line, not too long, without what ends a sentence. */
function inSentence(text: string): string {
  const line = text
    .slice(0, 2 * MAX_DETAIL)
    .split("\n")
    .map((it) => it.trim())
    .filter((it) => it !== "")
    .join(" ");
  if (line.length > MAX_DETAIL) return `${line.slice(0, MAX_DETAIL)}…`;
  return line.endsWith(".") || line.endsWith(":") ? line.slice(0, -1) : line;
}

const withDetail = (text: string, { detail }: Suspect): string =>
  detail === undefined || detail === "" ? text : `${text}: ${inSentence(detail)}`;

function effectOf(suspect: Suspect, evidence: Evidence): string {
  const { identity, actors = [], kind } = suspect;
  const object = identity ? objectText(identity) : "";
  const program = listed(actors);
  const later = suspect.healed ? "; it was repaired after a later step" : "";
  switch (kind) {
    case "missing":
      return missing(suspect, evidence) + later;
    case "leaked":
      return suspect.difference ? leaked(suspect, evidence) + later : withDetail(`${object} is leaked`, suspect);
    case "stuck-in-deletion":
      return `${object} remains in deletion${finalizersOf(suspect)}${later}`;
    case "differs":
      return `${memberText(suspect)} of ${object} ${isOrWas(suspect)} ${valueText(suspect)}${later}`;
    case "dangling":
      return `${object} names in ${memberText(suspect)} an object that does not exist any more${later}`;
    case "stale-status":
      return `the status of ${object} does not describe the state: ${memberText(suspect)} ${isOrWas(suspect)} ${valueText(suspect)}${later}`;
    case "deleted-unseen":
      return `${program} ${suspect.verb === "delete" ? "deleted" : "changed"} ${object}, which it had never seen`;
    case "deleted-needlessly":
      return `${program} deleted ${object}, which it does not change in a clean run, and it was created again`;
    case "data-lost":
      return actors.length > 0
        ? `${object} was deleted by ${actors[0] === "cluster" ? "the cluster" : program}, and its data with it`
        : withDetail(`data of ${object} was lost`, suspect);
    case "made-twice":
      return actors.length > 0
        ? `${program} created one ${object} more than it needs, and deleted it later`
        : withDetail(`${object} was created twice`, suspect);
    case "restless":
      return identity
        ? `${program} continues to write ${memberOf(suspect)}${object} while nothing changes`
        : "programs continue to write while nothing changes";
    case "fight":
      return actors.length > 1
        ? `${program} undo each other's writes of ${memberOf(suspect)}${object}`
        : `${program} undoes its own writes of ${memberOf(suspect)}${object}`;
    case "unsettled":
      return withDetail("the programs never come to rest", suspect);
    case "crash-loop":
      return withDetail(`${program} ends again and again`, suspect);
    case "failed":
      return withDetail(`${program} fails`, suspect);
    case "always":
      return withDetail(`the rule "${suspect.subject}", which must always hold, did not`, suspect);
    case "eventually":
      return suspect.healed
        ? withDetail(`the rule "${suspect.subject}" did not hold for longer than the pause of a step`, suspect)
        : withDetail(`the rule "${suspect.subject}" does not hold at the end`, suspect);
    case "step-failed":
      return withDetail("a step of the user failed", suspect);
    case "remembers":
      return `${object} differs`;
  }
}

function missing({ identity, severity, difference }: Suspect, evidence: Evidence): string {
  const object = objectText(identity!);
  const deleter = evidence.actor(evidence.run, identity!, "deleted");
  if (deleter !== undefined && evidence.wasDeleted(identity!))
    return `${object} is missing: ${deleter === "cluster" ? "the cluster" : deleter} deleted it`;
  const maker = evidence.actor(evidence.clean, identity!, "created");
  if (severity === "notice") return `${object} was missing for longer than the pause of a step`;
  return maker === undefined || maker === "cluster" || difference === undefined
    ? `${object} is missing`
    : evidence.creates(evidence.run, identity!) === 0
      ? `${maker} never made ${object}`
      : `${maker} did not make ${object} again`;
}

function leaked({ identity, severity }: Suspect, evidence: Evidence): string {
  const object = objectText(identity!);
  if (severity === "notice") return `${object} remained for longer than the pause of a step`;
  const [inRun, inClean] = [evidence.creates(evidence.run, identity!), evidence.creates(evidence.clean, identity!)];
  const maker = evidence.actor(evidence.run, identity!, "created");
  if (maker === undefined || maker === "cluster") return `${object} remains, and no program removes it`;
  return inRun > inClean && identity!.name.includes("*")
    ? `${maker} made one ${object} too many, and no program removes it`
    : `${object}, which ${maker} made, remains, and no program removes it`;
}

function finalizersOf({ difference }: Suspect): string {
  const prefix = ".metadata.finalizers[=";
  const finalizers = [...(difference?.found?.flat.keys() ?? [])]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length, -1));
  return finalizers.length === 0 ? "" : `: no program removes the finalizer ${listed(finalizers)}`;
}

const memberText = ({ path }: Suspect): string => path ?? "a member";
const memberOf = ({ path }: Suspect): string => (path === undefined ? "" : `${path} of `);
const isOrWas = ({ severity }: Suspect): string => (severity === "notice" ? "was" : "is");

const MAX_VALUE = 60;
const shortValue = (item: Item | undefined, path: string): string => {
  const text = (item && memberValue(item.flat, path)) ?? "nothing";
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};

function valueText({ path, difference }: Suspect): string {
  if (path === undefined || !difference) return "another one";
  const { expected, found } = difference;
  const text = shortValue(found, path);
  return `${text === "nothing" ? "missing" : text} instead of ${shortValue(expected, path)}`;
}
