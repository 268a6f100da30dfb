import { durationText } from "../../util/duration.ts";
import type { PerturbationRule } from "./rule.ts";
import { forWrite, freshReads, freshWrites, gravity } from "./weights.ts";
import { requestNoun } from "./words.ts";

/** Longer than a lease of a leader or a deadline of a call, and shorter than the time-out of a request. */
const SLOW = 20_000;

export const slow: PerturbationRule<"slow"> = {
  type: "slow",
  title: "A response is slow",
  permitted:
    "Only the timeouts of client and server limit the time of a response (60 s in kube-apiserver, `--request-timeout`). Meanwhile the state changes.",
  describe: ({ at, byMillis }) =>
    `the response to the ${requestNoun(at)} by ${at.actor} takes ${durationText(byMillis)}`,
  propose: (run) => [
    ...freshWrites(run).map((write) =>
      forWrite(
        write,
        { type: "slow", at: write.point, byMillis: SLOW },
        (write.point.protocol === "csi" ? 35 : 15) * gravity(write),
      ),
    ),
    ...freshReads(run).map(({ point }) => ({
      perturbation: { type: "slow", at: point, byMillis: SLOW } as const,
      worth: 12,
    })),
  ],
};
