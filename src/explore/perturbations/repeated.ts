import type { PerturbationRule } from "./rule.ts";
import { forWrite, freshWrites, gravity } from "./weights.ts";
import { requestNoun } from "./words.ts";

export const repeated: PerturbationRule<"repeated"> = {
  type: "repeated",
  title: "A call comes twice",
  permitted:
    "A call to a storage driver may be sent more than once: after a timeout, and by a container orchestrator that lost its state. A driver must be idempotent (CSI specification, concurrency and timeouts).",
  describe: ({ at }) => `the ${requestNoun(at)} by ${at.actor} reaches the driver twice`,
  propose: (run) =>
    freshWrites(run)
      .filter(({ point }) => point.protocol === "csi")
      .map((write) => forWrite(write, { type: "repeated", at: write.point }, 40 * gravity(write))),
};
