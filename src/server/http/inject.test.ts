import { expect, test } from "vitest";
import { Activity } from "../../util/activity.ts";
import { ManualClock } from "../../util/clock.ts";
import { InjectExchange } from "./inject.ts";

test("a stream that begins when the caller has left is closed, and nobody waits for its reader", async () => {
  const activity = new Activity(new ManualClock());
  const caller = new AbortController();
  const exchange = new InjectExchange({ url: "/watch", signal: caller.signal }, activity);
  caller.abort("gone");
  await expect(exchange.answer).rejects.toBe("gone");
  const stream = exchange.stream(200, {});
  let isClosed = false;
  stream.onClose = () => (isClosed = true);
  expect(stream.write(Buffer.from("{}\n"))).toBe(false);
  await Promise.resolve();
  expect([isClosed, activity.list()]).toEqual([true, []]);
});
