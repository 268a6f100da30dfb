import type { PerturbationRule } from "./rule.ts";
import { forWrite, freshWrites, gravity } from "./weights.ts";
import { requestNoun } from "./words.ts";

export const leadChanges: PerturbationRule<"lead-changes"> = {
  type: "lead-changes",
  title: "Leadership changes hands",
  permitted:
    "Leader election by a Lease does not fence: a leader that was paused (a pause of its process, a partition) may send a request after another one has taken over (client-go, package leaderelection: it does not guarantee that only one client is acting as a leader).",
  describe: ({ at }) =>
    `a second replica of ${at.actor} takes over while the ${requestNoun(at)} by the first one is on its way; the request is handled afterwards`,
  propose: (run) =>
    freshWrites(run)
      .filter(({ point }) => run.elected.has(point.actor))
      .map((write) => forWrite(write, { type: "lead-changes", at: write.point }, 45 * gravity(write))),
};
