import { expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { type BatchOptions, Batches } from "./batches.ts";
import { AuditEvent } from "./event.ts";

const event = (auditID: string): AuditEvent =>
  new AuditEvent(
    {
      level: "Metadata",
      auditID,
      requestURI: "/",
      verb: "get",
      user: undefined,
      sourceIPs: [],
      userAgent: "",
      received: 0,
    },
    { stage: "ResponseComplete", at: 0 },
  );

/** Batches with the events that they sent and dropped; `answer` is the promise of the receiver. */
function batches(options: Partial<BatchOptions>, answer: () => Promise<void> = () => Promise.resolve()) {
  const clock = new ManualClock();
  const sent: string[][] = [];
  const state = { dropped: 0 };
  const made = new Batches({
    clock,
    options: { bufferSize: 10, maxSize: 3, maxWaitMillis: 1000, ...options },
    send: (events) => {
      sent.push(events.map(({ head }) => head.auditID));
      return answer();
    },
    onDropped: (events) => (state.dropped += events),
  });
  const write = (...ids: string[]): void => ids.forEach((id) => made.write(event(id)));
  const advance = (ms: number): Promise<void> => clock.advanceSettled(ms, () => Promise.resolve());
  return { clock, sent, state, made, write, advance };
}

test("AUDIT-25: a batch is sent when it is full, or when its first event has waited for the longest time", async () => {
  const { sent, write, advance } = batches({});
  write("a", "b");
  expect(sent).toEqual([]);
  write("c", "d");
  expect(sent).toEqual([["a", "b", "c"]]);
  await advance(1000);
  expect(sent).toEqual([["a", "b", "c"], ["d"]]);
});

test("AUDIT-25: batches are throttled: a burst at once, then some a second", async () => {
  const { sent, write, advance } = batches({ maxSize: 1, throttle: { qps: 2, burst: 2 } });
  write("a", "b", "c", "d");
  expect(sent).toEqual([["a"], ["b"]]);
  await advance(500);
  expect(sent).toHaveLength(3);
  await advance(500);
  expect(sent).toHaveLength(4);
});

test("AUDIT-25: events beyond the buffer are dropped and counted, however slow the receiver is", () => {
  const { sent, state, write } = batches({ maxSize: 1, bufferSize: 2 }, () => new Promise(() => {}));
  write("a", "b", "c", "d", "e", "f", "g", "h");
  expect(sent).toEqual([["a"], ["b"], ["c"], ["d"]]);
  expect(state.dropped).toBe(2);
});

test("AUDIT-25: a flush sends all waiting events without throttling, and later events are dropped", async () => {
  const { sent, state, made, write } = batches({ throttle: { qps: 1, burst: 1 } });
  write("a", "b", "c", "d", "e", "f", "g");
  await made.flush();
  expect(sent).toEqual([["a", "b", "c"], ["d", "e", "f"], ["g"]]);
  write("h");
  expect(state.dropped).toBe(1);
});

test("AUDIT-25: events in flight count against the buffer until they are sent", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { sent, state, write } = batches({ maxSize: 1 }, () => promise);
  const large = "x".repeat(20 << 20);
  write(large, large, large, large);
  expect([sent.length, state.dropped]).toEqual([3, 1]);
  resolve();
  await promise;
  await Promise.resolve();
  write(large);
  expect([sent.length, state.dropped]).toEqual([4, 1]);
});
