import type { PerturbationRule } from "./rule.ts";
import { pairsOf } from "./weights.ts";
import { deliveryNoun } from "./words.ts";

export const resync: PerturbationRule<"resync"> = {
  type: "resync",
  title: "All watches end",
  permitted:
    "The server ends each watch after a time (`timeoutSeconds` of the request, otherwise `--min-request-timeout` of kube-apiserver), and whenever it restarts. The client lists or watches again, and may get events and objects that it has seen before.",
  describe: ({ at }) => `all watches of ${at.actor} end at ${deliveryNoun(at)}, and are opened again`,
  propose: (run) =>
    run.deliveries
      .filter((delivery) => delivery.fresh && delivery.led.length > 0)
      .map((delivery) => ({
        perturbation: { type: "resync", at: delivery.point } as const,
        worth: 10,
        pairs: pairsOf(delivery),
      })),
};
