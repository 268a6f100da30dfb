/**
 * The errors that a run itself reports.
 *
 * @module
 */
import type { FaultKind } from "../contract/finding.ts";
import type { Complaint, RunRecord } from "../contract/laboratory.ts";
import type { Identity, RunNames } from "./names.ts";
import type { Periods } from "./periods.ts";
import type { Suspect } from "./suspect.ts";

type Eventual = Extract<Complaint, { readonly type: "eventually" }>;

/** How a run is judged. */
interface Judged {
  readonly periods: Pick<Periods, "isHeldInTheEnd" | "isUndisturbed">;
  readonly stepAt: (seq: number) => number;
  /** Whether the last state is not that of the end. */
  readonly isCut: boolean;
}

/**
 * The complaints of a run.
 *
 * A run that does not come to rest while watches are held until it does is a notice: in a cluster they would continue meanwhile.
 */
export function complaintsOf(run: RunRecord, names: RunNames, { periods, stepAt, isCut }: Judged): readonly Suspect[] {
  const suspects = run.complaints
    .filter((complaint) => complaint.type !== "eventually")
    .map((complaint) => suspectOf(complaint, run, names, stepAt))
    .map((it): Suspect => (it.kind === "unsettled" && periods.isHeldInTheEnd ? { ...it, severity: "notice" } : it));
  const eventual = run.complaints.filter((complaint) => complaint.type === "eventually");
  const rules = Map.groupBy(eventual, ({ rule }) => rule).values();
  return [...suspects, ...rules.flatMap((complaints) => brokenFor(run, complaints, { periods, isCut }))];
}

/**
 * The steps at whose rest a rule did not hold, judged like differences of states: a step counts only if nothing was held, lost or down in
 * its last half. A violation that was repaired in the quiet at the end took longer than the pause of a step; one that was repaired by
 * another step of the user may remain without it.
 */
function brokenFor(
  { states }: RunRecord,
  complaints: readonly Eventual[],
  { periods, isCut }: Omit<Judged, "stepAt">,
): readonly Suspect[] {
  const broken = new Map(complaints.map((complaint) => [complaint.step, complaint]));
  const last = states.length - 1;
  const isOwed = (state: number): boolean => (state === last && !isCut) || periods.isUndisturbed(state);
  const suspects: Suspect[] = [];
  for (let from = 0; from <= last; from++) {
    let to = from;
    while (to <= last && broken.has(states[to]!.step)) to++;
    const shown = to - 1;
    const complaint = broken.get(states[from]!.step);
    if (complaint && states.slice(from, to).some((_, i) => isOwed(from + i))) {
      const healed = to === last && !isCut;
      suspects.push({
        kind: "eventually",
        step: complaint.step,
        subject: complaint.rule,
        detail: complaint.detail,
        severity: healed ? "notice" : "fault",
        ...(healed && { healed }),
        ...(!healed && to <= last && { until: states[shown]!.step }),
      });
    }
    from = Math.max(from, shown);
  }
  return suspects;
}

function suspectOf(
  complaint: Exclude<Complaint, Eventual>,
  run: RunRecord,
  names: RunNames,
  stepAt: (seq: number) => number,
): Suspect {
  const { type, detail } = complaint;
  const base = { severity: "fault", detail } as const;
  switch (type) {
    case "unsettled":
    case "step-failed":
      return {
        ...base,
        kind: type,
        step: complaint.step,
        subject: type === "unsettled" ? "" : `step ${complaint.step}`,
      };
    case "crash-loop":
    case "failed":
      return {
        ...base,
        kind: type,
        step: complaint.step,
        actors: [complaint.actor],
        subject: `${complaint.actor} ${withoutNumbers(names.text(firstLine(detail)))}`.trim(),
      };
    case "always":
      return { ...base, kind: type, step: stepAt(complaint.seq), seq: complaint.seq, subject: complaint.rule };
    case "leaked":
    case "made-twice":
    case "deleted-in-use":
    case "data-lost": {
      const kind: FaultKind = type === "deleted-in-use" ? "data-lost" : type;
      const name = complaint.object.name ?? "*";
      const identity: Identity = names.identity({ ...complaint.object, name });
      return {
        ...base,
        kind,
        identity,
        step: run.states.at(-1)?.step ?? 0,
        ...(type === "deleted-in-use" && { subject: "in use" }),
      };
    }
  }
}

const firstLine = (text: string): string => text.split("\n", 1)[0]!;

const DIGITS = /\d+/g;
const withoutNumbers = (text: string): string => text.replace(DIGITS, "#");
