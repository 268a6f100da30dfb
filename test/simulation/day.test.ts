import { describe, expect, test } from "vitest";
import { amount } from "../../src/util/testing/amount.ts";
import { beginDay, everything, playHours } from "./day.ts";

/** The hours of the usual run; the long one plays the whole day. */
const HOURS = amount("DAY_HOURS", 24, 24);

describe("a day of a cluster", { timeout: 120_000 }, () => {
  test("played again with the same seed, it is the same byte for byte; and so is its second half in a fork", async () => {
    await using one = await beginDay();
    await playHours(one, 0, HOURS / 2);
    await using fork = one.fork();
    await using two = await beginDay();
    await playHours(two, 0, HOURS / 2);
    const noon = everything(one);
    expect(everything(two)).toEqual(noon);
    await playHours(one, HOURS / 2, HOURS);
    await playHours(two, HOURS / 2, HOURS);
    const evening = everything(one);
    expect(everything(two)).toEqual(evening);
    console.log(Object.keys(evening).length, evening[""]);
    await playHours(fork, HOURS / 2, HOURS);
    expect(everything(fork)).toEqual(evening);
  });
});
