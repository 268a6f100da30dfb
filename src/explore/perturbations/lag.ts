import { type Delivery, isBefore } from "../causality.ts";
import type { PerturbationRule } from "./rule.ts";
import { pairsOf } from "./weights.ts";
import { deliveryNoun } from "./words.ts";
import { kindText } from "../names.ts";

/**
 * Highest where the program decides by its own writes, and by events of another kind while this one is held; also where an object was
 * created again, and the program only knows that it is deleted.
 */
const worthOf = (delivery: Delivery, hasLaterWrites: boolean, hasOtherKinds: boolean): number => {
  const base = delivery.own ? 50 : delivery.again ? 45 : delivery.led.length > 0 ? 35 : 15;
  return base * (hasLaterWrites ? 1 : 0.5) * (hasOtherKinds ? 1.1 : 0.8);
};

export const lag: PerturbationRule<"lag"> = {
  type: "lag",
  title: "One kind's watch lags behind",
  permitted:
    "Each watch is a stream of its own. Its events are in order, but there is no order between the events of two watches, and events may be late (API concepts, efficient detection of changes; KEP-2340, consistent reads from cache: the server has a watch cache for each resource, and any of them may be behind). A program may see a later change of one kind before an earlier one of another, and may not yet see what it wrote itself.",
  describe: ({ at }) =>
    `${at.actor} sees ${deliveryNoun(at)} and all later events of ${kindText(at)} only when all else is at rest`,
  propose(run) {
    const lastWrite = new Map(run.writes.map((write) => [`${write.point.actor}|${write.step}`, write.handled]));
    const kinds = new Map<string, Set<string>>();
    for (const { point } of run.deliveries) {
      const seen = kinds.get(point.actor) ?? new Set();
      kinds.set(point.actor, seen.add(`${point.group}|${point.kind}`));
    }
    return run.deliveries
      .filter((delivery) => delivery.fresh)
      .map((delivery) => {
        const last = lastWrite.get(`${delivery.point.actor}|${delivery.step}`);
        const hasLaterWrites = last !== undefined && isBefore({ delivery }, last);
        return {
          perturbation: { type: "lag", at: delivery.point } as const,
          worth: worthOf(delivery, hasLaterWrites, kinds.get(delivery.point.actor)!.size > 1),
          pairs: pairsOf(delivery),
        };
      });
  },
};
