import { type CleanRun, type Delivery, isBefore } from "../causality.ts";
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
const killsAfter = (run: CleanRun, delivery: Delivery): readonly RequestPoint[] => {
  const { entry, step } = delivery;
  const later = run.writes.filter(
    ({ point, handled }) => point.actor === entry.actor && isBefore({ delivery }, handled),
  );
  const first = later[0] ?? run.reads.find(({ request }) => request.actor === entry.actor && request.seq > entry.seq);
  const nextStep = later.find((write) => write.step > step);
  return [...new Set([first, nextStep].flatMap((found) => found?.point ?? []))];
};

export const staleRestart: PerturbationRule<"stale-restart"> = {
  type: "stale-restart",
  title: "A restart lists from an older state",
  permitted:
    "For a list with `resourceVersion=0`, a server whose cache is behind may return any older state. So a program may go back in time when it restarts and connects to another server (API concepts, resource versions; kubernetes/kubernetes#59848). Informers of client-go start with such a list up to version 0.34. From 0.35 on they start with a watch that requests the latest state (KEP-3157, watch list), unless `WatchListClient` is off or the server refuses it. A list without a `resourceVersion` is never older than what is stored.",
  describe: ({ at, behind }) =>
    `${at.actor} is killed after it ${did(at)}, and when it starts again it first sees the state from before ${deliveryNoun(behind)}`,
  propose: (run) =>
    run.deliveries
      .filter((delivery) => delivery.fresh)
      .flatMap((delivery) =>
        killsAfter(run, delivery).map((at, i): Candidate => ({
          perturbation: { type: "stale-restart", at, behind: delivery.point },
          worth: worthOf(delivery) * (i === 0 ? 1 : 0.8),
          pairs: pairsOf(delivery),
        })),
      ),
};
