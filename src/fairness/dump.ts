/**
 * The state of the levels as text tables: a row for each level, queue or request (APF-23).
 *
 * @module
 */
import type { Fairness } from "./fairness.ts";
import type { Level } from "./level.ts";
import type { Ticket } from "./ticket.ts";

/** The names of the tables. */
export type DumpName = "dump_priority_levels" | "dump_queues" | "dump_requests";

type Row = readonly (string | number | boolean)[];

/** A table with aligned columns and a comma after each cell but the last. */
function table(head: Row, rows: readonly Row[]): string {
  const all = [head, ...rows].map((row) => row.map((cell, i) => `${cell}${i < row.length - 1 ? "," : ""}`));
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i < row.length - 1 ? cell.padEnd((widths[i] ?? 0) + 1) : cell)).join("");
  return `${all.map(line).join("\n")}\n`;
}

const LEVELS = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
];

const levelRow = (level: Level): Row => [
  level.settings.name,
  [...level.queues].filter(({ tickets }) => tickets.size > 0).length,
  level.isIdle,
  level.isDraining,
  level.waiting,
  level.running.size,
  level.dispatched,
  level.refused["concurrency-limit"] + level.refused["queue-full"],
  level.refused["time-out"],
  level.refused.cancelled,
];

const QUEUES = ["PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse", "NextDispatchR"];

const queueRows = (level: Level): Row[] =>
  [...level.queues]
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, tickets, executing, seats, service }) => [
      level.settings.name,
      index,
      tickets.size,
      executing,
      seats,
      (service / 1000).toFixed(6),
    ]);

const REQUESTS = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "WaitedMillis",
  "InitialSeats",
  "RanMillis",
];
const DETAILS = ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];

function requestRows(level: Level, now: number, withDetails: boolean): Row[] {
  const row = (ticket: Ticket, index: number): Row => {
    const { flow, user, info, width, arrivedAt, startedAt, queue } = ticket;
    const flowOf = { user, namespace: info.namespace, none: "" }[flow.distinguisher];
    const waited = Math.round((startedAt || now) - arrivedAt);
    const ran = startedAt > 0 ? Math.round(now - startedAt) : 0;
    const cells = [level.settings.name, flow.name, queue, index, flowOf, waited, width, ran];
    const { verb, path, namespace, name, group, version, resource, subresource } = info;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    return withDetails ? [...cells, user, verb, path, namespace, name, apiVersion, resource, subresource] : cells;
  };
  const waiting = [...level.queues].flatMap(({ tickets }) => [...tickets].map((ticket, i) => row(ticket, i)));
  return [...waiting, ...[...level.running].map((ticket) => row(ticket, -1))];
}

/**
 * Returns a table as text.
 *
 * @param now by the steady clock, in ms
 * @param withDetails whether rows of requests have the user and the path
 */
export function dump(fairness: Fairness, name: DumpName, now: number, withDetails = false): string {
  const levels = fairness.levels.toSorted((a, b) => (a.settings.name < b.settings.name ? -1 : 1));
  if (name === "dump_priority_levels") return table(LEVELS, levels.map(levelRow));
  if (name === "dump_queues") return table(QUEUES, levels.flatMap(queueRows));
  const head = withDetails ? [...REQUESTS, ...DETAILS] : REQUESTS;
  return table(
    head,
    levels.flatMap((level) => requestRows(level, now, withDetails)),
  );
}
