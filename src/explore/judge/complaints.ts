/**
 * What a run says itself to be wrong.
 *
 * @module
 */
import type { FaultKind } from "../contract/finding.ts";
import type { Complaint, RunRecord } from "../contract/laboratory.ts";
import type { Identity, RunNames } from "./names.ts";
import type { Suspect } from "./suspect.ts";

/** The complaints of a run. */
export const complaintsOf = (run: RunRecord, names: RunNames, stepAt: (seq: number) => number): readonly Suspect[] =>
  run.complaints.map((complaint) => suspectOf(complaint, run, names, stepAt));

function suspectOf(complaint: Complaint, run: RunRecord, names: RunNames, stepAt: (seq: number) => number): Suspect {
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
    case "eventually":
      return { ...base, kind: type, step: complaint.step, subject: complaint.rule };
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
