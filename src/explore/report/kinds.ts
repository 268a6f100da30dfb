import type { FaultKind } from "../contract/finding.ts";

/** The names of kinds of faults and their meanings: the rules of a SARIF log. */
export const faultKinds: Readonly<Record<FaultKind, { readonly title: string; readonly meaning: string }>> = {
  missing: {
    title: "Object missing",
    meaning:
      "An object that exists at the end of a clean run is not created, or was deleted, and no program creates it any more.",
  },
  leaked: {
    title: "Object leaked",
    meaning: "An object is left that does not exist at the end of a clean run, and no program deletes it any more.",
  },
  "stuck-in-deletion": {
    title: "Deletion stuck",
    meaning: "An object was deleted, but one of its finalizers is never removed.",
  },
  differs: { title: "Object differs", meaning: "An object does not become what it is in a clean run." },
  dangling: { title: "Dangling reference", meaning: "An object names an owner or another object that does not exist." },
  "stale-status": {
    title: "Stale status",
    meaning: "A status describes a state that no longer exists, or belongs to an earlier generation.",
  },
  "deleted-unseen": {
    title: "Unseen object deleted",
    meaning:
      "A program deleted an object that it had never seen: a new object with the name of the intended one. A precondition with the uid prevents this.",
  },
  "deleted-needlessly": {
    title: "Object deleted needlessly",
    meaning: "A program deleted an object, or deleted and created it, that it does not change in a clean run.",
  },
  "data-lost": { title: "Data lost", meaning: "A claim, a volume or the data of a volume was lost." },
  "made-twice": { title: "Made twice", meaning: "Something was created once more than in a clean run." },
  restless: { title: "Endless writes", meaning: "A program continues to write while nothing changes." },
  fight: { title: "Fight", meaning: "Two programs undo each other's writes without end." },
  unsettled: { title: "Never at rest", meaning: "Work continues without end while no time passes." },
  "crash-loop": { title: "Crash loop", meaning: "A program ends by itself again and again." },
  failed: { title: "Program failed", meaning: "A program failed with an error that no retry can help." },
  remembers: {
    title: "State depends on history",
    meaning: "An object that was changed to a state has another result than an object that was created in that state.",
  },
  always: { title: "Rule broken", meaning: "A rule of the scenario that must always hold did not." },
  eventually: { title: "Rule not met", meaning: "A rule of the scenario that must hold at the end does not." },
  "step-failed": { title: "Step refused", meaning: "A step of the scenario was refused." },
};
