import { expect, test } from "vitest";
import { Activity } from "../../util/activity.ts";
import { ManualClock } from "../../util/clock.ts";
import { InjectExchange } from "./inject.ts";

test("a stream that begins after its caller has left has ended, and nothing waits for a reader", async () => {
  const activity = new Activity(new ManualClock());
  const caller = new AbortController();
  const exchange = new InjectExchange({ url: "/api/v1/pods?watch=true", signal: caller.signal }, activity);
  caller.abort("left");
  await expect(exchange.response).rejects.toBe("left");
  const stream = exchange.stream(200, {});
  const ended = new Promise<void>((resolve) => {
    stream.onClose = resolve;
  });
  expect(stream.write(Buffer.from("{}\n"))).toBe(false);
  await ended;
  expect(activity.list()).toEqual([]);
});
