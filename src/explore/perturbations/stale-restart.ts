import type { CleanRun, Delivery } from "../causality.ts";
import type { RequestPoint } from "../contract/plan.ts";
import type { Candidate, PerturbationRule } from "./rule.ts";
import { pairsOf } from "./weights.ts";
import { deliveryNoun, did } from "./words.ts";

/** Most where an earlier state of the object led to a write: the program may do it again. */
const worthOf = ({ entry, own, led, previous }: Delivery): number => {
  const acted = (previous?.led.length ?? 0) > 0;
  const base = acted ? 45 : own ? 30 : led.length > 0 ? 15 : 5;
  return base + (entry.change === "DELETED" && acted ? 15 : 0);
};

/** Returns the requests of the same program after a delivery, at which a kill is worth trying: the next write and the last one of a step. */
const killsAfter = (run: CleanRun, { entry, step }: Delivery): readonly RequestPoint[] => {
  const later = run.writes.filter(({ request }) => request.actor === entry.actor && request.seq > entry.seq);
  const first = later[0] ?? run.reads.find(({ request }) => request.actor === entry.actor && request.seq > entry.seq);
  const nextStep = later.find((write) => write.step > step);
  return [...new Set([first, nextStep].flatMap((found) => found?.point ?? []))];
};

export const staleRestart: PerturbationRule<"stale-restart"> = {
  type: "stale-restart",
  title: "A restart lists from an older state",
  permitted:
    "A list with `resourceVersion=0`, as informers of client-go send it first, may be answered with any older state by a server whose cache is behind; a program may so go back in time when it starts again at another server (API concepts, semantics of resourceVersion; kubernetes/kubernetes#59848). A list without a resourceVersion is never older than what is stored.",
  describe: ({ at, behind }) =>
    `${at.actor} is killed after it ${did(at)}, and when it starts again it first sees the state from before ${deliveryNoun(behind)}`,
  propose: (run) =>
    run.deliveries
      .filter((delivery) => delivery.fresh)
      .flatMap((delivery) =>
        killsAfter(run, delivery).map(
          (at, i): Candidate => ({
            perturbation: { type: "stale-restart", at, behind: delivery.point },
            worth: worthOf(delivery) * (i === 0 ? 1 : 0.8),
            pairs: pairsOf(delivery),
          }),
        ),
      ),
};
