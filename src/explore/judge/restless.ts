/**
 * Writes without end: writes in the last half of the long quiet, in which no other event happens.
 * A quiet of a few seconds or minutes, as programs of other processes and elections get, may be as long as a back-off: there one write is a
 * late retry, or one that was due then, and only several writes of one member count. Writes of a program that starts so late are delayed
 * work, and not judged.
 *
 * A member that alternates between the same values is a fight: of two programs, or of two managers in one. A member that only grows, such
 * as a time, is a heartbeat: a notice.
 *
 * @module
 */
import { isAside } from "../aside.ts";
import type { RunRecord } from "../contract/laboratory.ts";
import type { ChangeEntry, Trace } from "../contract/trace.ts";
import { leafText } from "./flat.ts";
import type { Identity, RunNames } from "./names.ts";
import type { Suspect } from "./suspect.ts";

/** Returns the writes without end of a run: the fight if there is one, else the first object. */
export function restlessness(run: RunRecord, names: RunNames): readonly Suspect[] {
  if (run.restlessWrites === 0) return [];
  const { changes: all, step, millis, hasStart } = lateChanges(run.trace);
  if (hasStart) return [];
  const changes = millis < SHORT_MS ? repeated(all, names) : all;
  if (all.length > 0 && changes.length === 0) return [];
  const byObject = Map.groupBy(changes, ({ object }) => names.identity(object));
  const suspects = [...byObject].map(([identity, of]) => judgeObject(identity, of, run.trace, step));
  const order = ["fight fault", "restless fault", "restless notice"];
  const rank = ({ kind, severity }: Suspect): number => order.indexOf(`${kind} ${severity}`);
  const first = suspects.reduce<Suspect | undefined>((a, b) => (a && rank(a) <= rank(b) ? a : b), undefined);
  return [first ?? { kind: "restless", severity: "fault", step }];
}

/** The changes in the last half of the last step, but those of users. */
function lateChanges(trace: Trace): {
  readonly changes: readonly ChangeEntry[];
  readonly step: number;
  /** The length of the quiet. */
  readonly millis: number;
  /** Whether a program started in that half. */
  readonly hasStart: boolean;
} {
  const begun = trace.findLast((entry) => entry.type === "step" && entry.phase === "begun");
  const quiet = trace.findLast((entry) => entry.type === "step" && entry.phase === "quiet");
  const end = quiet && begun && quiet.seq > begun.seq ? quiet : trace.at(-1);
  const middle = ((begun?.at ?? 0) + (end?.at ?? 0)) / 2;
  return {
    step: begun?.type === "step" ? begun.step : 0,
    millis: (end?.at ?? 0) - (begun?.at ?? 0),
    hasStart: trace.some((entry) => entry.type === "life" && entry.event === "started" && entry.at > middle),
    changes: trace.filter(
      (entry) =>
        entry.type === "change" &&
        entry.actor !== "user" &&
        !isAside(entry.object, entry.after) &&
        entry.at > middle &&
        entry.seq > (begun?.seq ?? -1),
    ) as ChangeEntry[],
  };
}

/** A quiet that is not longer than what retries and programs wait for. */
const SHORT_MS = 900_000;
/** The number of writes of a member from which on they are no retry. */
const SEVERAL = 2;

/** The changes of members that are written several times. */
function repeated(changes: readonly ChangeEntry[], names: RunNames): readonly ChangeEntry[] {
  const membersOf = (change: ChangeEntry): readonly string[] =>
    changedMembers(change).map(([path]) => `${names.identity(change.object).key} ${path}`);
  const times = Map.groupBy(changes.flatMap(membersOf), (member) => member);
  return changes.filter((change) => membersOf(change).some((member) => times.get(member)!.length >= SEVERAL));
}

interface MemberChange {
  readonly before: unknown;
  readonly after: unknown;
  readonly seq: number;
  readonly writer: string;
}

function judgeObject(identity: Identity, changes: readonly ChangeEntry[], trace: Trace, step: number): Suspect {
  const members = new Map<string, MemberChange[]>();
  for (const change of changes) {
    const writer = writerOf(change, trace);
    for (const [path, before, after] of changedMembers(change))
      members.set(path, [...(members.get(path) ?? []), { before, after, seq: change.seq, writer }]);
  }
  const base = { identity, step, seq: changes[0]!.seq };
  const fought = [...members].find(([, history]) => alternates(history));
  if (fought) {
    const [path, history] = fought;
    const values = [...new Set(history.map(({ after }) => shown(after)))];
    return {
      ...base,
      kind: "fight",
      severity: "fault",
      ...(path !== EXISTENCE && { path }),
      actors: [...new Set(history.map(({ writer }) => writer))],
      detail: values.slice(0, 3).join(", then "),
    };
  }
  const writers = [...new Set(changes.map((change) => writerOf(change, trace)))];
  const beat = members.size > 0 && [...members.values()].every(grows);
  const [path] = members.keys();
  return {
    ...base,
    kind: "restless",
    severity: beat ? "notice" : "fault",
    ...(path !== undefined && path !== EXISTENCE && { path }),
    actors: writers,
    detail: `${changes.length} writes in the last half of the quiet`,
  };
}

/** The writer: the program, with the field manager where that has another name. */
function writerOf(change: ChangeEntry, trace: Trace): string {
  for (let seq = change.seq + 1; seq < trace.length; seq++) {
    const entry = trace[seq]!;
    if (entry.type !== "request" || entry.actor !== change.actor || entry.revision !== change.revision) continue;
    const manager = entry.fieldManager;
    return manager === undefined || manager === change.actor ? change.actor : `${change.actor} (${manager})`;
  }
  return change.actor;
}

const EXISTENCE = "";

/** The members that a change changes, with their values; the object itself for a create and a delete. */
function changedMembers({ change, before, after }: ChangeEntry): readonly [string, unknown, unknown][] {
  if (change !== "updated" || !before)
    return [[EXISTENCE, change === "deleted" ? "present" : "absent", change === "deleted" ? "absent" : "present"]];
  const found: [string, unknown, unknown][] = [];
  compareValues("", before, after, found);
  return found;
}

const NOISE = new Set([".metadata.resourceVersion", ".metadata.managedFields", ".metadata.generation"]);

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function compareValues(path: string, before: unknown, after: unknown, found: [string, unknown, unknown][]): void {
  if (before === after || NOISE.has(path)) return;
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push([path, before, after]);
    return;
  }
  const member = (key: string): string => (Array.isArray(before) ? `${path}[${key}]` : `${path}.${key}`);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    compareValues(
      member(key),
      Object.hasOwn(before, key) ? before[key] : undefined,
      Object.hasOwn(after, key) ? after[key] : undefined,
      found,
    );
}

/** Whether a value returns to an earlier one, at least twice. */
function alternates(history: readonly MemberChange[]): boolean {
  let returns = 0;
  for (let i = 1; i < history.length; i++) if (shown(history[i]!.after) === shown(history[i - 1]!.before)) returns++;
  return returns >= 2;
}

/** Whether all values are times or numbers that only grow. */
function grows(history: readonly MemberChange[]): boolean {
  return history.every(({ before, after }, i) => {
    const [a, b] = [i === 0 ? before : history[i - 1]!.after, after].map(sizeOf);
    return b !== undefined && (a === undefined ? before === undefined : a < b);
  });
}

const sizeOf = (value: unknown): number | undefined => {
  const size = typeof value === "number" ? value : typeof value === "string" ? numberOrTime(value) : NaN;
  return Number.isNaN(size) ? undefined : size;
};

const numberOrTime = (text: string): number =>
  text === "" ? NaN : Number.isNaN(Number(text)) ? Date.parse(text) : Number(text);

const shown = (value: unknown): string =>
  value === undefined || value === null || typeof value !== "object"
    ? leafText(value as string | number | boolean | null | undefined)
    : JSON.stringify(value);
