import type { Delivery } from "../causality.ts";
import type { Candidate, PerturbationRule } from "./rule.ts";
import { pairsOf } from "./weights.ts";
import { deliveryNoun } from "./words.ts";
import { kindText } from "../names.ts";

/** Gaps that hide the whole life of an object, or a state on which the program acted. */
const worthOf = ({ entry, led }: Delivery, next: Delivery | undefined): number => {
  const isReplaced = next !== undefined && next.entry.uid !== entry.uid;
  const isDeleted = entry.change === "DELETED" || next?.entry.change === "DELETED";
  return (next ? 20 : 8) + (isReplaced ? 30 : 0) + (isDeleted ? 15 : 0) + (led.length > 0 ? 20 : 0);
};

export const gap: PerturbationRule<"gap"> = {
  type: "gap",
  title: "States between are never seen",
  permitted:
    "The server keeps the events of a watch only for a while. A watch that is behind ends with 410 Gone, and the client has to list again (API concepts, 410 Gone responses): it sees the state of that moment, and never the intermediate states. An object that was deleted and created again with the same name looks like a change.",
  describe: ({ at, untilStep }) =>
    `the watches of ${at.actor} for ${kindText(at)} stand still from ${deliveryNoun(at)} until ${
      untilStep === undefined ? "all else" : `step ${untilStep + 1}`
    } is at rest, then end with 410: it lists again and never sees the states between`,
  propose(run) {
    return run.deliveries.flatMap((delivery): readonly Candidate[] => {
      const { next, step } = delivery;
      if (!delivery.fresh && next?.entry.change !== "DELETED") return [];
      const hide = (untilStep: number | undefined, worth: number): Candidate => ({
        perturbation: { type: "gap", at: delivery.point, ...(untilStep !== undefined && { untilStep }) },
        worth,
        pairs: pairsOf(delivery),
      });
      const worth = worthOf(delivery, next);
      if (!next) return [hide(undefined, worth)];
      const [nextStep, afterStep] = [next.step, next.next?.step];
      return [
        hide(nextStep > step ? nextStep : undefined, worth),
        // A deletion in the gap, and the events after it.
        ...(afterStep !== undefined && afterStep > nextStep && next.entry.change === "DELETED"
          ? [hide(afterStep, worth + 10)]
          : []),
      ];
    });
  },
};
