import type { FaultKind } from "../contract/finding.ts";

/** What a kind of fault is called, and what it means: the rules of a SARIF log. */
export const faultKinds: Readonly<Record<FaultKind, { readonly title: string; readonly meaning: string }>> = {
  missing: {
    title: "Object missing",
    meaning: "An object that a clean run ends with is not made, or is gone, and nothing makes it any more.",
  },
  leaked: {
    title: "Object leaked",
    meaning: "An object is left that a clean run does not end with, and nothing removes it any more.",
  },
  "stuck-in-deletion": {
    title: "Deletion stuck",
    meaning: "An object was deleted, but one of its finalizers is never removed.",
  },
  differs: { title: "Object differs", meaning: "An object does not become what it is in a clean run." },
  dangling: { title: "Dangling reference", meaning: "An object names an owner or another object that does not exist." },
  "stale-status": {
    title: "Stale status",
    meaning: "A status tells of a state that is not there any more, or belongs to an earlier generation.",
  },
  "deleted-unseen": {
    title: "Unseen object deleted",
    meaning:
      "A program deleted an object which it had never seen: another one that has the name of the one it meant. A precondition with the uid prevents it.",
  },
  "deleted-needlessly": {
    title: "Object deleted needlessly",
    meaning: "A program deleted, or made anew, an object that it leaves alone in a clean run.",
  },
  "data-lost": { title: "Data lost", meaning: "A claim, a volume or the data of a volume was lost." },
  "made-twice": { title: "Made twice", meaning: "Something was made once more than in a clean run." },
  restless: { title: "Endless writes", meaning: "A program goes on writing while nothing changes." },
  fight: { title: "Fight", meaning: "Two programs undo each other's writes without end." },
  unsettled: { title: "Never at rest", meaning: "Work goes on without end while no time passes." },
  "crash-loop": { title: "Crash loop", meaning: "A program ends by itself again and again." },
  failed: { title: "Program failed", meaning: "A program failed with an error for which a retry is of no use." },
  remembers: {
    title: "State depends on history",
    meaning: "An object that was changed leads to another state than one that was made so at once.",
  },
  always: { title: "Rule broken", meaning: "A rule of the scenario that must always hold did not." },
  eventually: { title: "Rule not met", meaning: "A rule of the scenario that must hold in the end does not." },
  "step-failed": { title: "Step refused", meaning: "A step of the scenario was refused." },
};
