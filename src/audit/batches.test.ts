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

/** Batches with what was sent and dropped; a receiver that answers at once, or when it is told to. */
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
    dropped: (events) => (state.dropped += events),
  });
  const take = (...ids: string[]): void => ids.forEach((id) => made.take(event(id)));
  const move = (ms: number): Promise<void> => clock.advanceSettled(ms, () => Promise.resolve());
  return { clock, sent, state, made, take, move };
}

test("AUDIT-25: a batch goes when it is full, or when its first event has waited long enough", async () => {
  const { sent, take, move } = batches({});
  take("a", "b");
  expect(sent).toEqual([]);
  take("c", "d");
  expect(sent).toEqual([["a", "b", "c"]]);
  await move(1000);
  expect(sent).toEqual([["a", "b", "c"], ["d"]]);
});

test("AUDIT-25: batches are throttled: a burst at once, then so many a second", async () => {
  const { sent, take, move } = batches({ maxSize: 1, throttle: { qps: 2, burst: 2 } });
  take("a", "b", "c", "d");
  expect(sent).toEqual([["a"], ["b"]]);
  await move(500);
  expect(sent).toHaveLength(3);
  await move(500);
  expect(sent).toHaveLength(4);
});

test("AUDIT-25: what finds no room is dropped and counted, however slow the receiver is", () => {
  const { sent, state, take } = batches({ maxSize: 1, bufferSize: 2 }, () => new Promise(() => {}));
  take("a", "b", "c", "d", "e", "f", "g", "h");
  expect(sent).toEqual([["a"], ["b"], ["c"], ["d"]]);
  expect(state.dropped).toBe(2);
});

test("AUDIT-25: at the end all that waits is sent without a pause, and nothing is taken any more", async () => {
  const { sent, state, made, take } = batches({ throttle: { qps: 1, burst: 1 } });
  take("a", "b", "c", "d", "e", "f", "g");
  await made.flush();
  expect(sent).toEqual([["a", "b", "c"], ["d", "e", "f"], ["g"]]);
  take("h");
  expect(state.dropped).toBe(1);
});

test("AUDIT-25: what is under way takes room as what waits does, until it was sent", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { sent, state, take } = batches({ maxSize: 1 }, () => promise);
  const large = "x".repeat(20 << 20);
  take(large, large, large, large);
  expect([sent.length, state.dropped]).toEqual([3, 1]);
  resolve();
  await promise;
  await Promise.resolve();
  take(large);
  expect([sent.length, state.dropped]).toEqual([4, 1]);
});
