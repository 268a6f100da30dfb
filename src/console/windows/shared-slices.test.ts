import { expect, test } from "vitest";
import { EventLoop } from "../../util/loop.ts";
import { SharedSlices } from "./shared-slices.ts";

/** Slices on a clock that stands still until a job moves it. */
function slicesOf() {
  let now = 0;
  let passes = 0;
  const later = (work: () => void): void =>
    void setImmediate(() => {
      passes++;
      work();
    });
  const slices = new SharedSlices(new EventLoop({ later, steady: () => now }));
  return { slices, take: (millis: number) => (now += millis), passes: () => passes };
}

test("jobs run one after the other; one that has not ended is the last one then", async () => {
  const { slices } = slicesOf();
  const ran: string[] = [];
  let left = 3;
  slices.add(() => {
    ran.push("long");
    return --left === 0;
  });
  slices.add(() => {
    ran.push("short");
    return true;
  });
  expect(ran).toEqual([]);
  await slices.next();
  ran.push("called");
  while (left > 0) await slices.next();
  expect(ran).toEqual(["long", "short", "called", "long", "long"]);
});

test("all of them share a slice: when it is over, the next one waits for another pass", async () => {
  const { slices, take, passes } = slicesOf();
  const passOf: number[] = [];
  const work = async (): Promise<void> => {
    await slices.next();
    passOf.push(passes());
    take(6);
  };
  await Promise.all(Array.from({ length: 6 }, work));
  const [first = 0] = passOf;
  expect(passOf.map((pass) => pass - first)).toEqual([0, 0, 1, 1, 2, 2]);
});
