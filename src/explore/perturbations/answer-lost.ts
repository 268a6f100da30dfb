import type { PerturbationRule } from "./rule.ts";
import { forWrite, freshWrites, gravity, isRepeatable } from "./weights.ts";
import { requestNoun } from "./words.ts";

export const answerLost: PerturbationRule<"answer-lost"> = {
  type: "answer-lost",
  title: "A response is lost",
  permitted:
    "A connection may break after the server has stored a write: by a load balancer, a restart of the server, a timeout. The client sees an error and cannot know whether the write was stored (RFC 9113, section 8.7, request reliability): it has to read the state before it writes again.",
  describe: ({ at }) =>
    `the ${requestNoun(at)} by ${at.actor} is handled, and the connection breaks before its response`,
  propose: (run) =>
    freshWrites(run).map((write) =>
      forWrite(write, { type: "answer-lost", at: write.point }, (isRepeatable(write) ? 70 : 45) * gravity(write)),
    ),
};
