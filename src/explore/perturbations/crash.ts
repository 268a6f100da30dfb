import type { Candidate, PerturbationRule } from "./rule.ts";
import { forWrite, freshWrites, gravity, isDeletion, isRepeatable } from "./weights.ts";
import { did, requestNoun } from "./words.ts";
import { durationText } from "../../util/duration.ts";

/** A restart of a container that ended for the first time, and one in back-off or on another node. */
const DOWN = 1000;
const LONG_DOWN = 600_000;

const WHEN = {
  before: (at) => `before its ${requestNoun(at)} is handled`,
  after: (at) => `after it ${did(at)}; the answer is lost`,
  late: (at) => `while its ${requestNoun(at)} is on its way; the request is handled after the restart`,
} satisfies Record<string, (at: Parameters<typeof did>[0]) => string>;

export const crash: PerturbationRule<"crash"> = {
  type: "crash",
  title: "The program is killed",
  permitted:
    "A Pod may be ended at any instruction: by an eviction, a lost node, memory, a rollout (Pod lifecycle in the documentation of Kubernetes). A request that was sent before may be handled, be lost, or be handled after the next start, as nothing ties the life of a request to that of its sender.",
  describe({ at, when, downMillis }) {
    const down = downMillis > DOWN ? `, and stays down for ${durationText(downMillis)}` : "";
    return `${at.actor} is killed ${WHEN[when](at)}${down}`;
  },
  propose(run) {
    return freshWrites(run).flatMap((write) => {
      const grave = gravity(write);
      const kill = (when: "before" | "after" | "late", worth: number, downMillis = DOWN): Candidate =>
        forWrite(write, { type: "crash", at: write.point, when, downMillis }, worth * grave);
      return [
        kill("after", 60),
        // It learns of the deletion when it starts again.
        kill("after", write.isDeletedNext ? 90 : 20, LONG_DOWN),
        // Between two writes it is the same as after the first of them.
        ...(write.place === 0 ? [kill("before", 25)] : []),
        kill("late", isDeletion(write) || isRepeatable(write) ? 45 : 25),
      ];
    });
  },
};
