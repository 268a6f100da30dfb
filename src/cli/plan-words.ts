/**
 * The words of a plan, for all forms in which it is printed.
 *
 * @module
 */
import type { PlanReport, PlannedChange, PlannedDocument, PlannedRestart } from "../meta/plan-report.ts";
import { printable } from "./colours.ts";

/** Where a document comes from, by its position. */
export type From = (document: number) => string | undefined;

/** The signs of results. */
export const SIGNS: Readonly<Record<PlannedDocument["result"], string>> = {
  created: "+",
  changed: "~",
  unchanged: "=",
  deleted: "-",
  refused: "!",
};

/** `ConfigMap team/web`, or where the document comes from. */
export function nameOf({ object, document = 0 }: PlannedDocument, from: From): string {
  if (!object) return printable(from(document) ?? `document ${document + 1}`);
  const { kind, namespace, name } = object;
  return printable(`${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
}

/** The longest value that is printed whole. */
const MAX_VALUE_LENGTH = 120;

/** `/data/color: "red" -> "blue"`, without managers. */
export function changeText({ op, pointer, before, after }: PlannedChange): string {
  const values = op === "add" ? shown(after) : op === "remove" ? shown(before) : `${shown(before)} -> ${shown(after)}`;
  return printable(`${pointer}: ${values}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** The reason why a document was moved. */
export const MOVES: Readonly<Record<NonNullable<PlannedDocument["moved"]>["rule"], string>> = {
  namespace: "the namespace of",
  definition: "the definition of",
  class: "a class of",
  role: "the role of",
  serviceAccount: "the service account of",
};

/** `Deployment team/web replaces 4 Pods, at most 1 unavailable and 1 more than desired: web-a, web-b ...` */
export function restartText(restart: PlannedRestart): string {
  const { object, strategy, count, pods, podsLeftOut = 0, maxUnavailable, maxSurge, stays = 0, isPaused } = restart;
  const who = nameOf({ object, result: "changed", warnings: [] }, () => undefined);
  if (isPaused) return `${who} is paused: ${counted(stays)} stay until it is resumed`;
  if (strategy === "OnDelete") return `${who} replaces none of ${counted(stays)} until they are deleted`;
  const pace = strategy === "Recreate" ? "all at once" : paceOf(maxUnavailable, maxSurge);
  const more = podsLeftOut > 0 ? ` and ${podsLeftOut} more` : "";
  const names = pods.length > 0 ? `: ${pods.join(", ")}${more}` : "";
  const rest = stays > 0 ? `; ${stays} below the partition stay` : "";
  return printable(`${who} replaces ${counted(count)}${count > 0 ? `, ${pace}` : ""}${rest}${names}`);
}

const counted = (count: number): string => (count === 1 ? "1 Pod" : `${count} Pods`);

const paceOf = (unavailable: number, surge: number): string =>
  [
    ...(unavailable > 0 || surge === 0 ? [`at most ${unavailable} unavailable`] : ["none unavailable"]),
    ...(surge > 0 ? [`${surge} more than desired`] : []),
  ].join(", ");

/** `2 to create, 1 to change ...` */
export function summaryOf({ outcome, documents, pruned }: PlanReport): string {
  const all = [...documents, ...pruned];
  const count = (result: PlannedDocument["result"]): number => all.filter((one) => one.result === result).length;
  const isDone = outcome === "committed";
  const parts = [
    `${count("created")} ${isDone ? "created" : "to create"}`,
    `${count("changed")} ${isDone ? "changed" : "to change"}`,
    `${count("deleted")} ${isDone ? "deleted" : "to delete"}`,
    `${count("unchanged")} unchanged`,
    `${count("refused")} refused`,
  ];
  return outcome === "refused" ? `${parts.join(", ")}; nothing was stored` : parts.join(", ");
}
