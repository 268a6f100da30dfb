import { expect, test } from "vitest";
import { baggageOf, remoteSpan, traceparent } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

const read = (headers: Readonly<Record<string, string | readonly string[]>>) =>
  remoteSpan((name) => [headers[name] ?? []].flat());

test("a parent is read as it is written", () => {
  for (const isSampled of [true, false]) {
    const sent = traceparent(TRACE, SPAN, isSampled);
    expect(read({ traceparent: sent })).toEqual({ traceId: TRACE, spanId: SPAN, isSampled, state: "" });
  }
});

test.each([
  ["no header", []],
  ["an empty one", ""],
  ["two of them", [traceparent(TRACE, SPAN, true), traceparent(TRACE, SPAN, true)]],
  ["a trace of zeros", traceparent("0".repeat(32), SPAN, true)],
  ["a span of zeros", traceparent(TRACE, "0".repeat(16), true)],
  ["digits that are too few", `00-${TRACE}-${SPAN.slice(1)}-01`],
  ["digits in upper case", traceparent(TRACE, SPAN, true).toUpperCase()],
  ["more than version 00 has", `${traceparent(TRACE, SPAN, true)}-00`],
  ["version ff", `ff-${TRACE}-${SPAN}-01`],
  ["a later version without a dash before its more", `01-${TRACE}-${SPAN}-01more`],
  ["a megabyte", `01-${TRACE}-${SPAN}-01-${"x".repeat(1 << 20)}`],
])("%s is no parent", (_, sent) => {
  expect(read({ traceparent: sent })).toBeUndefined();
});

test("a later version is read as far as it is known", () => {
  expect(read({ traceparent: `01-${TRACE}-${SPAN}-03-more` })).toMatchObject({ spanId: SPAN, isSampled: true });
});

const parent = traceparent(TRACE, SPAN, true);

test.each([
  ["members in one line and in several", ["a=1 , b@c=x y", "d=2"], "a=1,b@c=x y,d=2"],
  ["a key twice", "a=1,a=2", ""],
  ["no value", "a=", ""],
  ["a key in upper case", "A=1", ""],
  ["a control character", "a=\u0007", ""],
  ["33 members", Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(), ""],
  ["a member of 600 characters", `a=${"x".repeat(600)}`, ""],
  ["100 KB", `a=${"x".repeat(100_000)}`, ""],
])("the state with %s", (_, tracestate, state) => {
  expect(read({ traceparent: parent, tracestate })?.state).toBe(state);
});

test.each([
  ["user=kim,x=%20;p=1", "user=kim,x=%20;p=1"],
  ["x".repeat(8193), ""],
  ["a=ü", ""],
  [Array.from({ length: 65 }, (_, i) => `k${i}=1`).join(), ""],
])("the baggage %#", (sent, passed) => {
  expect(baggageOf(() => [sent])).toBe(passed);
});
