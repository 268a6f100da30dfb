/**
 * Entries of a trace in plain words.
 *
 * @module
 */
import { NormalNames, objectText } from "../names.ts";
import type { ChangeEntry, DeliveryEntry, LifeEntry, RequestEntry, Trace, TraceEntry } from "../contract/trace.ts";

export type MomentKind = "step" | "write" | "delivery" | "life" | "perturbation";

/** Something that happened in a run, in one line. */
export interface Moment {
  readonly seq: number;
  readonly at: number;
  readonly kind: MomentKind;
  readonly text: string;
  /** A note that the other run may not have: `its response is lost`. */
  readonly note?: string;
  /** Equal for events of two runs that are alike. */
  readonly key: string;
  /** Whether a perturbation was met here. */
  readonly isPerturbed: boolean;
}

const READS = new Set(["get", "list", "watch"]);

/** Whether a request may change something. */
export const isWrite = ({ protocol, verb }: RequestEntry): boolean => protocol === "csi" || !READS.has(verb);

/** Returns the significant events of a trace: writes, deliveries of them, lives, steps, and perturbations. */
export function momentsOf(trace: Trace): readonly Moment[] {
  const names = NormalNames.of(trace);
  const requests = requestsOfChanges(trace);
  const written = new Set(trace.flatMap((entry) => (entry.type === "change" ? [entry.uid] : [])));
  const matched = new Set(requests.values());
  return inOrder(trace).flatMap((entry): Moment[] => {
    if (entry.type === "delivery" && !written.has(entry.uid)) return [];
    if (entry.type === "request" && matched.has(entry)) return [];
    const moment = momentOf(entry, requests.get(entry.seq));
    return moment
      ? [{ ...moment, seq: entry.seq, at: entry.at, key: `${moment.kind} ${names.text(moment.text)}` }]
      : [];
  });
}

/** The entries with each change before its deliveries: a watch may be faster than the record of the change. */
function inOrder(trace: Trace): readonly TraceEntry[] {
  const early = new Map<string, ChangeEntry>();
  const keyOf = ({ uid, revision }: ChangeEntry | DeliveryEntry): string => `${uid} ${revision}`;
  for (const entry of trace) if (entry.type === "change") early.set(keyOf(entry), entry);
  const placed = new Set<TraceEntry>();
  return trace.flatMap((entry) => {
    const change = entry.type === "delivery" ? early.get(keyOf(entry)) : undefined;
    const all = change ? [change, entry] : [entry];
    return all.filter((one) => {
      if (placed.has(one)) return false;
      placed.add(one);
      return true;
    });
  });
}

function momentOf(
  entry: TraceEntry,
  request: RequestEntry | undefined,
): Pick<Moment, "kind" | "text" | "note" | "isPerturbed"> | undefined {
  switch (entry.type) {
    case "change":
      return {
        kind: "write",
        text: changeText(entry),
        ...(request?.perturbation !== undefined && {
          note: request.code === undefined ? "its response is lost" : "perturbed",
        }),
        isPerturbed: request?.perturbation !== undefined,
      };
    case "request": {
      const isPerturbed = entry.perturbation !== undefined;
      return isPerturbed || isWrite(entry) ? { kind: "write", text: requestText(entry), isPerturbed } : undefined;
    }
    case "delivery":
      return { kind: "delivery", text: deliveryText(entry), isPerturbed: false };
    case "life":
      return { kind: "life", text: lifeText(entry), isPerturbed: entry.event === "killed" };
    case "step":
      return entry.phase === "begun" ? { kind: "step", text: `step: ${entry.name}`, isPerturbed: false } : undefined;
    case "perturbation":
      return { kind: "perturbation", text: `${entry.detail} (${entry.phase})`, isPerturbed: true };
  }
}

/** Returns the request of each change, by the change's place: that of the same program for the same object which follows it. */
export function requestsOfChanges(trace: Trace): ReadonlyMap<number, RequestEntry> {
  const open = new Map<string, ChangeEntry[]>();
  const requests = new Map<number, RequestEntry>();
  const keyOf = ({ actor, object }: ChangeEntry | RequestEntry, name?: string): string =>
    [actor, object.group, object.kind, object.namespace, name].join("|");
  for (const entry of trace) {
    if (entry.type === "change") {
      // A create whose name was generated is sent without one.
      for (const key of [keyOf(entry, entry.object.name), keyOf(entry, "")]) {
        open.set(key, [...(open.get(key) ?? []), entry]);
      }
    } else if (entry.type === "request" && entry.changed) {
      const changes = (open.get(keyOf(entry, entry.object.name ?? "")) ?? []).filter(({ seq }) => !requests.has(seq));
      const change = changes.find(({ revision }) => revision === entry.revision) ?? changes.at(-1);
      if (change) requests.set(change.seq, entry);
    }
  }
  return requests;
}

/** The text of an event, with its note. */
export const momentText = ({ text, note }: Moment): string => (note === undefined ? text : `${text}; ${note}`);

/** `operator created ConfigMap default/a`. */
export const changeText = ({ actor, change, object, before, after }: ChangeEntry): string => {
  const isDying = after.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
  const verb = change === "updated" && isDying ? "marked for deletion" : change;
  return `${actor} ${verb} ${objectText(object)}`;
};

function requestText(entry: RequestEntry): string {
  const { actor, verb, object, subresource, code, reason, message, generateName, changed } = entry;
  const name = object.name ?? (generateName === undefined ? undefined : `${generateName}*`);
  const target = objectText({ ...object, ...(name !== undefined && { name }) });
  const head = `${actor}: ${verb} of ${subresource === undefined ? "" : `${subresource} of `}${target}`;
  const isRefused = code !== undefined && (entry.protocol === "csi" ? code !== 0 : code >= 400);
  if (isRefused) return `${head} is refused: ${[code, reason, message].filter(Boolean).join(" ")}`;
  if (code === undefined) return `${head} has no response`;
  return entry.protocol === "csi" || changed ? head : `${head} changes nothing`;
}

const EVENTS = { ADDED: "added", MODIFIED: "changed", DELETED: "deleted" } as const;

const deliveryText = ({ actor, change, object }: DeliveryEntry): string =>
  `${actor} sees ${objectText(object)} ${EVENTS[change]}`;

const LIVES: Readonly<Record<LifeEntry["event"], string>> = {
  started: "starts",
  killed: "is killed",
  exited: "ends by itself",
  leading: "leads",
  "not leading": "does not lead any more",
};

const lifeText = ({ actor, event, detail }: LifeEntry): string =>
  `${actor} ${LIVES[event]}${detail === undefined ? "" : `: ${detail}`}`;
