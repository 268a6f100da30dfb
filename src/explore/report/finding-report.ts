/**
 * The content of a report about a finding, as plain JSON. The other forms of reports print it.
 *
 * @module
 */
import type { Value } from "../../value/value.ts";
import type { Finding } from "../contract/finding.ts";
import { replayCommand } from "../contract/runs-named.ts";
import type { State, StoredObject } from "../contract/state.ts";
import type { ChangeEntry, LifeEntry, ObjectRef, RequestEntry, Trace, TraceEntry } from "../contract/trace.ts";
import { firstDifference, type Known, knowledge } from "../judge/first-difference.ts";
import { NormalNames, objectText } from "../names.ts";
import { describePlan } from "../perturbations/index.ts";
import { comparable, differingPaths, pathText, type ShownLine, shownDiff, yamlLines } from "./object-diff.ts";
import { type Owner, ownersOf } from "./owners.ts";
import { type TestsToPaste, testsToPaste } from "./paste.ts";
import { type Difference, type Row, timeLine } from "./time-line.ts";
import { changeText, isWrite, requestsOfChanges } from "./words.ts";

/** A finding with the runs that show it. */
export interface Evidence {
  readonly finding: Finding;
  /** The path of its file. */
  readonly file?: string;
  /** A clean run of the same steps; the run of the fresh object where the finding compares two orders of operations. */
  readonly clean: Trace;
  /** Other clean runs: members that differ between them are no difference. */
  readonly otherClean?: readonly Trace[];
  readonly run: Trace;
  /** The last state of the run. */
  readonly state?: State;
  /** The last lines that a program printed. */
  readonly output?: readonly { readonly actor: string; readonly lines: readonly string[] }[];
}

/** The knowledge of a program about an object when the runs began to differ. */
export interface Sight {
  readonly object: string;
  /** `it had seen revision 10; revision 12 (updated) had not reached it`. */
  readonly text: string;
  readonly isBehind: boolean;
}

/** A report, as plain JSON. */
export interface FindingReport {
  readonly finding: Finding;
  readonly file?: string;
  /** The plan in words, a sentence for each perturbation. */
  readonly plan: readonly string[];
  /** The steps that were played. */
  readonly steps: readonly string[];
  readonly timeLine: readonly Row[];
  /** The first write that differs. */
  readonly difference?: {
    /** `operator created ConfigMap default/a`: in the clean run only, in this run only, or in both with other contents. */
    readonly text: string;
    readonly where: "clean" | "run" | "both";
    readonly lines: readonly ShownLine[];
  };
  /** The knowledge of its program: right before it, or at the end where the write is missing. */
  readonly knowledge?: { readonly actor: string; readonly isInTheEnd: boolean; readonly sights: readonly Sight[] };
  /** The owners of the members that differ. */
  readonly owners: readonly { readonly object: string; readonly path: string; readonly owners: readonly Owner[] }[];
  /** `expected` and `found` line by line. */
  readonly state: readonly ShownLine[];
  readonly output: readonly { readonly actor: string; readonly lines: readonly string[] }[];
  /** How to see it again. */
  readonly replay: {
    /** The command; absent where the scenario is code of a test, which calls `replay`. */
    readonly command?: string;
    /** Stops right before the write that differs, where this run has one. */
    readonly until?: string;
  };
  /** Tests that fail while the fault exists. */
  readonly tests: TestsToPaste;
}

/** No more members are listed with their owners. */
const MAX_OWNED = 12;

/** Returns the report of a finding. */
export function findingReport(evidence: Evidence): FindingReport {
  const { finding, file, clean, run, output = [] } = evidence;
  const difference = firstDifference(clean, run, evidence.otherClean) ?? {};
  const [cleanWrite, runWrite] = [changeAt(clean, difference.clean), changeAt(run, difference.run)];
  const shown = differenceOf(clean, run, cleanWrite, runWrite);
  const sights = knowledgeOf(evidence, cleanWrite, runWrite);
  const { expected = "", found = "" } = finding.fault;
  const replay = replayOf(evidence, difference);
  return {
    finding,
    ...(file !== undefined && { file }),
    plan: describePlan(finding.plan),
    steps: run.flatMap((entry) => (entry.type === "step" && entry.phase === "begun" ? [entry.name] : [])),
    timeLine: timeLine(clean, run, difference),
    ...(shown && { difference: shown }),
    ...(sights && { knowledge: sights }),
    owners: ownersIn(evidence, cleanWrite, runWrite),
    state: expected === "" && found === "" ? [] : shownDiff(linesOf(expected), linesOf(found)),
    output,
    replay,
    tests: testsToPaste(finding, replay.command),
  };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.trimEnd().split("\n"));

function changeAt(trace: Trace, seq: number | undefined): ChangeEntry | undefined {
  const entry = seq === undefined ? undefined : trace[seq];
  return entry?.type === "change" ? entry : undefined;
}

function differenceOf(
  clean: Trace,
  run: Trace,
  cleanWrite: ChangeEntry | undefined,
  runWrite: ChangeEntry | undefined,
): FindingReport["difference"] {
  const write = runWrite ?? cleanWrite;
  if (!write) return undefined;
  const normal = (trace: Trace, object: StoredObject | undefined): string[] => {
    if (!object) return [];
    const names = NormalNames.of(trace);
    return yamlLines(comparable(object)).map((line) => names.text(line));
  };
  const where = cleanWrite && runWrite ? "both" : runWrite ? "run" : "clean";
  const isChange = cleanWrite?.change === runWrite?.change;
  const text =
    cleanWrite && runWrite && !isChange ? `${changeText(cleanWrite)}; here ${changeText(runWrite)}` : changeText(write);
  // Where one run lacks the write, its own change is shown.
  const lines =
    where === "both"
      ? shownDiff(normal(clean, cleanWrite!.after), normal(run, runWrite!.after))
      : shownDiff(...ownChange(write, (object) => normal(where === "run" ? run : clean, object)));
  return { text, where, lines };
}

/** The lines before and after a write. */
function ownChange(
  { change, before, after }: ChangeEntry,
  lines: (object: StoredObject | undefined) => string[],
): readonly [string[], string[]] {
  return change === "deleted" ? [lines(after), []] : [lines(before), lines(after)];
}

function knowledgeOf(
  { run }: Evidence,
  cleanWrite: ChangeEntry | undefined,
  runWrite: ChangeEntry | undefined,
): FindingReport["knowledge"] {
  const actor = (runWrite ?? cleanWrite)?.actor;
  if (actor === undefined || actor === "user" || actor === "cluster") return undefined;
  if (runWrite) {
    // Its own write had not been stored yet.
    const before = knowledge(run, runWrite.seq).filter(
      ({ object, current }) => current !== runWrite.revision || objectText(object) !== objectText(runWrite.object),
    );
    return { actor, isInTheEnd: false, sights: before.map(sightOf) };
  }
  const isOwn = (entry: TraceEntry): entry is LifeEntry => entry.type === "life" && entry.actor === actor;
  const life = run.findLast(isOwn)?.life ?? 0;
  const end: LifeEntry = { type: "life", seq: run.length, at: run.at(-1)?.at ?? 0, actor, life, event: "started" };
  return { actor, isInTheEnd: true, sights: knowledge([...run, end], end.seq).map(sightOf) };
}

function sightOf({ object, seen, current, currentChange }: Known): Sight {
  const isBehind = seen !== current;
  const last = `revision ${current} (${currentChange})`;
  const text = !isBehind
    ? `it had seen the last one, ${last}`
    : seen === undefined
      ? `it had never seen it; ${last} was there`
      : `it had seen revision ${seen}; ${last} had not reached it`;
  return { object: objectText(object), text, isBehind };
}

function ownersIn(
  { finding: { fault }, run, state }: Evidence,
  cleanWrite: ChangeEntry | undefined,
  runWrite: ChangeEntry | undefined,
): FindingReport["owners"] {
  const found: { object: string; path: string; owners: readonly Owner[] }[] = [];
  const add = (object: StoredObject, ref: ObjectRef, path: readonly (string | number)[]): void => {
    const owners = ownersOf(object, path);
    const text = pathText(path);
    if (owners.length === 0 || found.length >= MAX_OWNED || found.some((one) => one.path === text)) return;
    found.push({ object: objectText(ref), path: text, owners });
  };
  const last = fault.object && lastState(fault.object, run, state);
  if (last && fault.path !== undefined) {
    const path = pathIn(last, fault.path);
    if (path) add(last, fault.object!, path);
  }
  if (cleanWrite && runWrite) {
    for (const path of differingPaths(comparable(cleanWrite.after), comparable(runWrite.after))) {
      add(runWrite.after, runWrite.object, path);
    }
  } else if (cleanWrite && found.length === 0) {
    // The write of the clean run that this run lacks.
    const { before, after } = cleanWrite;
    const none = { apiVersion: after.apiVersion, kind: after.kind, metadata: {} } as Value;
    for (const path of differingPaths(before ? comparable(before) : none, comparable(after))) {
      add(after, cleanWrite.object, path);
    }
  }
  // An object that should not exist, or is stuck: its owner.
  if (last && found.length === 0) {
    for (const name of Object.keys(last)) {
      if (name === "apiVersion" || name === "kind" || name === "metadata") continue;
      for (const below of Object.keys((last[name] ?? {}) as object)) add(last, fault.object!, [name, below]);
    }
    for (const name of ["finalizers", "ownerReferences", "labels"]) add(last, fault.object!, ["metadata", name]);
  }
  return found;
}

/** The object at the end of the run, or before it was deleted. */
function lastState(ref: ObjectRef, run: Trace, state: State | undefined): StoredObject | undefined {
  const { name, namespace } = ref;
  const isIt = (one: StoredObject): boolean =>
    one.kind === ref.kind &&
    (one.apiVersion.includes("/") ? one.apiVersion.split("/")[0] : "") === ref.group &&
    one.metadata.name === name &&
    (namespace === undefined || one.metadata.namespace === namespace);
  const there = state?.objects.find(isIt);
  if (there) return there;
  const last = run.findLast((entry): entry is ChangeEntry => entry.type === "change" && isIt(entry.after));
  return last?.after;
}

/** The steps of `.spec.items[0].name` in an object; the longest part of it that exists. */
function pathIn(object: StoredObject, text: string): readonly (string | number)[] | undefined {
  const path: (string | number)[] = [];
  let value: unknown = object;
  let rest = text;
  while (rest !== "" && typeof value === "object" && value !== null) {
    const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    const key = keys
      .filter((one) => {
        const step = pathText([one]);
        return rest.startsWith(step) && (rest.length === step.length || ".[".includes(rest[step.length]!));
      })
      .toSorted((a, b) => String(b).length - String(a).length)[0];
    if (key === undefined) break;
    path.push(key);
    rest = rest.slice(pathText([key]).length);
    value = (value as Record<string | number, Value>)[key];
  }
  return path.length === 0 ? undefined : path;
}

function replayOf({ finding, file = "FINDING", run }: Evidence, difference: Difference): FindingReport["replay"] {
  const command = replayCommand(finding, file);
  if (command === undefined) return {};
  const change = changeAt(run, difference.run);
  if (!change || change.actor === "user" || change.actor === "cluster") return { command };
  const until = replayCommand(finding, file, ["--until", String(writesBefore(run, change) + 1)]);
  return { command, ...(until !== undefined && { until }) };
}

/** The number of writes that programs sent before that of a change; each has the position of its response, or of its loss. */
function writesBefore(run: Trace, { seq }: ChangeEntry): number {
  const sent = run.filter(
    (entry): entry is RequestEntry =>
      entry.type === "request" &&
      entry.protocol === "api" &&
      isWrite(entry) &&
      entry.actor !== "user" &&
      entry.actor !== "cluster",
  );
  // A request that is handled late has two positions: where it was lost for its program, and where it was handled.
  const lossOf = (late: RequestEntry): RequestEntry | undefined =>
    late.code === undefined && late.changed
      ? sent.find((entry) => entry.seq < late.seq && entry.code === undefined && !entry.changed && isAlike(entry, late))
      : undefined;
  const own = requestsOfChanges(run).get(seq);
  const end = (own && lossOf(own)?.seq) ?? seq;
  return sent.filter((entry) => entry.seq < end && !lossOf(entry)).length;
}

const isAlike = (a: RequestEntry, b: RequestEntry): boolean =>
  a.actor === b.actor &&
  a.life === b.life &&
  a.verb === b.verb &&
  a.object.kind === b.object.kind &&
  a.object.namespace === b.object.namespace &&
  a.object.name === b.object.name;
