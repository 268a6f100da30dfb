import { durationText } from "../../util/duration.ts";
import type { PerturbationRule } from "./rule.ts";

const HOUR = 3_600_000;
const TIMES = [HOUR, 30 * 24 * HOUR] as const;

export const clockJump: PerturbationRule<"clock-jump"> = {
  type: "clock-jump",
  title: "The clock jumps",
  permitted:
    "A machine may be suspended, and its clock may be set by NTP. The clocks of two machines differ: for that reason leader election measures durations by the local clock alone (client-go, package leaderelection).",
  describe: ({ step, byMillis }) => `the clock jumps by ${durationText(byMillis)} after step ${step + 1}`,
  propose: (_run, { usual }) =>
    usual.flatMap((step) =>
      TIMES.map((byMillis, i) => ({
        perturbation: { type: "clock-jump", step, byMillis } as const,
        worth: 12 - 4 * i,
      })),
    ),
};
