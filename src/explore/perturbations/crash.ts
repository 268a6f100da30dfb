import type { Candidate, PerturbationRule } from "./rule.ts";
import { forWrite, freshWrites, gravity, isDeletion, isRepeatable } from "./weights.ts";
import { did, requestNoun } from "./words.ts";
import { durationText } from "../../util/duration.ts";

/** A restart of a container that ended for the first time, and one in back-off or on another node. */
const DOWN = 1000;
const LONG_DOWN = 600_000;

const WHEN = {
  before: (at) => `before its ${requestNoun(at)} is handled`,
  after: (at) => `after it ${did(at)}; the response is lost`,
  late: (at) => `while its ${requestNoun(at)} is on its way; the request is handled after the restart`,
} satisfies Record<string, (at: Parameters<typeof did>[0]) => string>;

/** A driver is sent its calls by others: there is no request of its own that could be on its way. */
const DRIVER_WHEN = {
  before: "before it has seen",
  after: "after its work, and before its response, for",
  late: "after its work, and before its response, for",
} as const;

export const crash: PerturbationRule<"crash"> = {
  type: "crash",
  title: "The program is killed",
  permitted:
    "A Pod may be ended at any instruction: by an eviction, a lost node, lack of memory, a rollout (Pod lifecycle in the documentation of Kubernetes). A request that was sent before may be handled, be lost, or be handled after the next start, because a request does not end with its sender. A storage driver is a Pod as well: its calls are idempotent, so that they can be sent again after any end (CSI specification, timeouts).",
  describe({ at, when, downMillis, victim }) {
    const down = downMillis > DOWN ? `, and stays down for ${durationText(downMillis)}` : "";
    if (victim === "driver")
      return `the driver is killed ${DRIVER_WHEN[when]} the ${requestNoun(at)} by ${at.actor}${down}`;
    return `${at.actor} is killed ${WHEN[when](at)}${down}`;
  },
  propose(run, { startsDriver }) {
    return freshWrites(run).flatMap((write) => {
      const grave = gravity(write);
      const killDriver = (when: "before" | "after", worth: number): Candidate => {
        const perturbation = { type: "crash", at: write.point, when, downMillis: DOWN, victim: "driver" } as const;
        return forWrite(write, perturbation, worth * grave);
      };
      const kill = (when: "before" | "after" | "late", worth: number, downMillis = DOWN): Candidate =>
        forWrite(write, { type: "crash", at: write.point, when, downMillis }, worth * grave);
      return [
        kill("after", 60),
        // It learns of the deletion when it starts again.
        kill("after", write.isDeletedNext ? 90 : 20, LONG_DOWN),
        // Between two writes it is the same as after the first of them.
        ...(write.place === 0 ? [kill("before", 25)] : []),
        kill("late", isDeletion(write) || isRepeatable(write) ? 45 : 25),
        // Its unsaved state is lost, including its memory of earlier calls.
        ...(startsDriver === true && write.point.protocol === "csi"
          ? [killDriver("after", 40), killDriver("before", 30)]
          : []),
      ];
    });
  },
};
