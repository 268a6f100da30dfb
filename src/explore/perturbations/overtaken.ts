import type { CleanRun, Write } from "../causality.ts";
import type { PerturbationRule } from "./rule.ts";
import { forWrite, freshWrites, gravity } from "./weights.ts";
import { requestNoun } from "./words.ts";

/** Whether the program writes again in the same step, by the same protocol. */
const isFollowed = (run: CleanRun, write: Write): boolean =>
  run.writes.some(
    ({ point, request, step }) =>
      step === write.step &&
      point.actor === write.point.actor &&
      point.protocol === write.point.protocol &&
      request.seq > write.request.seq,
  );

export const overtaken: PerturbationRule<"overtaken"> = {
  type: "overtaken",
  title: "A request is overtaken",
  permitted:
    "Requests of two connections, or of two streams of one, are handled in any order (RFC 9113, section 5, streams and multiplexing: each stream is independent). A storage driver may get several calls for one volume at once, when their sender has restarted and does not know the earlier ones (CSI specification, concurrency).",
  describe: ({ at }) =>
    `the ${requestNoun(at)} by ${at.actor} is held, and handled after its next request to the same receiver`,
  propose: (run) =>
    freshWrites(run)
      .filter((write) => isFollowed(run, write))
      .map((write) =>
        forWrite(
          write,
          { type: "overtaken", at: write.point },
          (write.point.protocol === "csi" ? 30 : 10) * gravity(write),
        ),
      ),
};
