import { expect, test } from "vitest";
import type { WatchSink } from "../cache/index.ts";
import { ManualClock } from "../util/clock.ts";
import { nextPass } from "../util/testing/pass.ts";
import type { Resource } from "./contract.ts";
import { RetryingWatch } from "./retrying-watch.ts";

/** A following of a resource that says from where it is watched, and whose watches end when a test says so. */
function followed({ refuses = 0 } = {}) {
  const clock = new ManualClock();
  const told: string[] = [];
  let left = refuses;
  let sink!: WatchSink;
  const watch = async (_namespace: string, options: { resourceVersion: string }, to: WatchSink) => {
    told.push(`from ${JSON.stringify(options.resourceVersion)}`);
    await nextPass();
    if (left-- > 0) throw new Error("not now");
    sink = to;
    return { watch: { close: () => told.push("closed") } };
  };
  const following = new RetryingWatch({
    resource: { watch } as unknown as Resource,
    clock,
    deliver: () => told.push("changed"),
    restarted: () => told.push("again"),
    failed: (error) => told.push(String(error)),
  });
  return { clock, told, following, sink: () => sink };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await nextPass();
};

test("a watch that has ended starts again with the stored objects, and its owner is notified", async () => {
  const { clock, told, following, sink } = followed();
  await following.begin(7);
  sink().deliver({} as never);
  sink().ended({ code: "compacted" } as never);
  clock.advance(1000);
  await settle();
  expect(told).toEqual(['from "7"', "changed", 'from ""', "again"]);
});

test("one that cannot begin is tried again", async () => {
  const { clock, told, following } = followed({ refuses: 1 });
  await following.begin();
  clock.advance(1000);
  await settle();
  expect(told).toEqual(['from ""', "Error: not now", 'from ""', "again"]);
});

test("nothing begins once it is closed, and what was about to is closed", async () => {
  const { clock, told, following, sink } = followed();
  const begun = following.begin(7);
  following.close();
  await begun;
  sink().ended({ code: "closed" } as never);
  clock.advance(1000);
  await settle();
  expect(told).toEqual(['from "7"', "closed"]);
  expect(clock.timers()).toEqual([]);
});

test("closing ends the wait for the next attempt", async () => {
  const { clock, told, following } = followed({ refuses: 1 });
  await following.begin();
  following.close();
  expect(clock.timers()).toEqual([]);
  clock.advance(1000);
  await settle();
  expect(told).toEqual(['from ""', "Error: not now"]);
});
