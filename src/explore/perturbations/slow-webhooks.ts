import { durationText } from "../../util/duration.ts";
import type { PerturbationRule } from "./rule.ts";

export const slowWebhooks: PerturbationRule<"slow-webhooks"> = {
  type: "slow-webhooks",
  title: "Webhooks are slow",
  permitted:
    "A webhook may take up to its `timeoutSeconds` (10 s by default, 30 s at most) for each write (dynamic admission control, timeouts). The Leases of leader election are not slowed, because then there would be no leader.",
  describe: ({ actor, byMillis }) => `webhooks take ${durationText(byMillis)} for each write of ${actor}`,
  propose: (run) =>
    [...new Set(run.writes.filter(({ point }) => point.protocol === "api").map(({ point }) => point.actor))].flatMap(
      (actor) => [
        { perturbation: { type: "slow-webhooks", actor, byMillis: 9000 } as const, worth: 15 },
        { perturbation: { type: "slow-webhooks", actor, byMillis: 29_000 } as const, worth: 8 },
      ],
    ),
};
