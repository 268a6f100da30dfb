/** Binding against a model, under random schedules; `npm run soak:binding` plays ten thousand. */
import { expect, test } from "vitest";
import { playSchedule } from "./model/schedule.ts";
import { amount } from "../../src/util/testing/amount.ts";

const COUNT = amount("SCHEDULES", 20, 200);
const FIRST = Number(process.env["SEED"]) * 100_000;

test(
  `CTL-BIND-14, 18, 22, 43, CTL-PVCP-2, CTL-PVP-2: ${COUNT} schedules leave nothing that must not be`,
  { timeout: 120_000 + COUNT * 200 },
  async () => {
    for (let i = 0; i < COUNT; i++) expect(await playSchedule(FIRST + i)).toEqual([]);
  },
);
