import type { PerturbationRule } from "./rule.ts";
import { pairsOf } from "./weights.ts";
import { deliveryNoun } from "./words.ts";

export const bookmark: PerturbationRule<"bookmark"> = {
  type: "bookmark",
  title: "A bookmark at an odd moment",
  permitted:
    "A watch with `allowWatchBookmarks=true` may get a bookmark at any time; a client must not assume a schedule (API concepts, watch bookmarks; KEP-956, watch bookmark).",
  describe: ({ at }) => `${at.actor} gets a bookmark after ${deliveryNoun(at)}`,
  propose: (run) =>
    run.deliveries
      .filter((delivery) => delivery.fresh && delivery.led.length > 0)
      .map((delivery) => ({
        perturbation: { type: "bookmark", at: delivery.point } as const,
        worth: 4,
        pairs: pairsOf(delivery),
      })),
};
