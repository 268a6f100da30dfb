import { expect, test } from "vitest";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { SpanContext } from "./span-context.ts";
import { type FinishedSpan, type TracedRequest, Tracer } from "./tracer.ts";

function setUp(ratio: number) {
  const spans: FinishedSpan[] = [];
  let left = 0;
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const context = new SpanContext();
  const tracer = new Tracer({
    clock,
    random: seededRandom(7),
    ratio,
    context,
    sink: { add: (span) => void spans.push(span), dropped: (count) => void (left += count) },
  });
  const { inTrace } = tracer;
  const begin = (more: Partial<TracedRequest> = {}) =>
    tracer.begin({
      name: () => "GET",
      attributes: () => ({}),
      remote: undefined,
      isTrusted: false,
      baggage: "",
      at: clock.steady(),
      ...more,
    });
  return { spans, begin, inTrace, clock, current: context.current, left: () => left };
}

test("a share of traces is recorded, and it is that which another program with the same ratio records", () => {
  const { begin } = setUp(0.25);
  const spans = Array.from({ length: 4000 }, () => begin());
  const recorded = spans.filter(({ isRecorded }) => isRecorded);
  expect(recorded.length).toBeGreaterThan(850);
  expect(recorded.length).toBeLessThan(1150);
  // TraceIdRatioBased of OpenTelemetry: the last 63 bits of the id but for the lowest.
  const bound = BigInt(Math.floor(0.25 * 2 ** 63));
  for (const { traceId } of recorded) expect(BigInt(`0x${traceId.slice(16)}`) >> 1n < bound).toBe(true);
});

test("a trace has a bound in spans, and what is left out is counted", () => {
  const { begin, spans, left } = setUp(1);
  const root = begin();
  for (let i = 0; i < 1500; i++) root.start(`part ${i}`).end();
  root.end();
  expect([spans.length, left()]).toEqual([1000, 501]);
  expect(spans.at(-1)).toMatchObject({ name: "GET", parentId: "" });
  // What is called within one that is left out is a part of the span above it.
  const late = root.start("late");
  expect([late.isRecorded, late.headers]).toEqual([false, root.headers]);
});

test("a part that is left out makes room for another", () => {
  const { begin, spans, left } = setUp(1);
  const root = begin();
  for (let i = 0; i < 1500; i++) root.start(`part ${i}`).leaveOut();
  root.end();
  expect([spans.length, left()]).toEqual([1, 0]);
});

test("events have a bound, and a span ends once", () => {
  const { begin, spans, clock } = setUp(1);
  const root = begin();
  for (let i = 0; i < 200; i++) root.event(`event ${i}`);
  clock.advance(250);
  root.end();
  root.end();
  expect(spans).toHaveLength(1);
  expect([spans[0]!.events.length, spans[0]!.droppedEvents, spans[0]!.end - spans[0]!.start]).toEqual([128, 72, 250]);
});

test("a request that is not traced says so to others, with the ids of its sender where that decides", () => {
  const { begin } = setUp(0);
  const remote = { traceId: "a".repeat(32), spanId: "b".repeat(16), isSampled: false, state: "x=1" };
  const { traceparent, ...rest } = begin({ remote, isTrusted: true, baggage: "k=v" }).headers;
  expect(traceparent).toMatch(/^00-a{32}-(?!b{16})[0-9a-f]{16}-00$/);
  expect(rest).toEqual({ tracestate: "x=1", baggage: "k=v" });
  expect(begin({ remote }).headers["traceparent"]).toMatch(/^00-(?!a{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});

test.each([1, 0])(
  "the current span follows work after await, and ends with the span, at a ratio of %s",
  async (ratio) => {
    const { begin, current } = setUp(ratio);
    const span = begin();
    const seen: unknown[] = [];
    const late = Promise.withResolvers<void>();
    const done = span.run(async () => {
      seen.push(current()?.spanId);
      await Promise.resolve();
      seen.push(current()?.spanId);
      await late.promise;
      seen.push(current()?.spanId);
    });
    expect(current()).toBeUndefined();
    await Promise.resolve();
    span.end();
    late.resolve();
    await done;
    expect(seen).toEqual([span.spanId, span.spanId, undefined]);
  },
);

test("work of no request has a trace of its own, also within a request, and its error is recorded", async () => {
  const { begin, inTrace, current, spans } = setUp(1);
  const request = begin();
  const send = () =>
    inTrace(
      "Send",
      () => ({ count: 2 }),
      async (span) => {
        expect(current()).toBe(span);
        await Promise.resolve();
        current()!.start("Call").end();
        throw new Error("refused");
      },
    );
  await expect(request.run(send)).rejects.toThrow("refused");
  const [call, sent] = spans;
  expect(sent).toMatchObject({ name: "Send", kind: 1, parentId: "", attributes: { count: 2 } });
  expect(sent!.traceId).not.toBe(request.traceId);
  expect(sent!.events.map(({ attributes }) => attributes["exception.message"])).toEqual(["refused"]);
  expect(call).toMatchObject({ name: "Call", traceId: sent!.traceId, parentId: sent!.spanId });
});

test("work of no request that is not recorded gets no span, and a current span for its headers", async () => {
  const { inTrace, current, spans } = setUp(0);
  const seen = await inTrace(
    "Send",
    () => ({}),
    async (span) => [span, current()?.headers["traceparent"]],
  );
  expect(seen).toEqual([undefined, expect.stringMatching(/-00$/)]);
  expect(spans).toEqual([]);
});
