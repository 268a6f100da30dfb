import { durationText } from "../../util/duration.ts";
import type { PerturbationRule } from "./rule.ts";

const HOUR = 3_600_000;
const TIMES = [HOUR, 30 * 24 * HOUR] as const;

export const clockJump: PerturbationRule<"clock-jump"> = {
  type: "clock-jump",
  title: "The clock jumps",
  permitted:
    "A machine may be suspended, and its clock be set by NTP. The clocks of two machines differ; client-go's leader election measures durations by the local clock for that reason.",
  describe: ({ step, byMillis }) => `the clock jumps by ${durationText(byMillis)} after step ${step + 1}`,
  propose: (_run, { usual }) =>
    usual.flatMap((step) =>
      TIMES.map((byMillis, i) => ({
        perturbation: { type: "clock-jump", step, byMillis } as const,
        worth: 12 - 4 * i,
      })),
    ),
};
