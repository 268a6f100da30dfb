import { expect, test } from "vitest";
import { turn } from "../clock.ts";
import { longestTurn } from "./turns.ts";

function spin(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  for (let now = { user, system }; now.user + now.system < user + system + ms * 1000;) now = process.threadCpuUsage();
}

test("the longest turn is that of the work that nobody interrupts, not of all of it", async () => {
  const pieces = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      spin(5);
      await turn();
    }
  };
  expect(await longestTurn(() => {}, pieces)).toBeLessThan(25);
  const atOnce = await longestTurn(
    () => {},
    async () => {
      await turn();
      spin(40);
      await Promise.resolve();
      spin(40);
      await turn();
    },
  );
  expect(atOnce).toBeGreaterThan(70);
});

test("what a try is prepared with does not count", async () => {
  expect(await longestTurn(() => spin(60), turn)).toBeLessThan(30);
});
