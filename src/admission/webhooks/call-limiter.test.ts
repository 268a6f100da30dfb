import { describe, expect, test } from "vitest";
import { CallLimiter } from "./call-limiter.ts";

const never = new AbortController().signal;

/** A limiter, and the names of the calls that have begun. */
function limited(bounds: { each?: number; all?: number; bytes?: number }) {
  const limiter = new CallLimiter({ each: 2, all: 3, bytes: 100, ...bounds });
  const begun: string[] = [];
  const call = async (key: string, bytes = 1, signal = never): Promise<void> => {
    if (limiter.hasPlace(key, bytes)) limiter.enter(key, bytes);
    else await limiter.wait(key, bytes, signal);
    begun.push(key);
  };
  const pass = () => new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
  return { limiter, begun, call, pass };
}

describe("calls side by side", () => {
  test("one webhook has no more than its places, and others need not wait for it", async () => {
    const { limiter, begun, call, pass } = limited({});
    for (const key of ["slow", "slow", "slow", "fast"]) void call(key);
    await pass();
    expect(begun).toEqual(["slow", "slow", "fast"]);
    limiter.leave("slow", 1);
    await pass();
    expect(begun).toEqual(["slow", "slow", "fast", "slow"]);
    expect(limiter.running).toBe(3);
  });

  test("a free place goes to the webhook with the fewest running calls", async () => {
    const { limiter, begun, call, pass } = limited({ each: 3, all: 3 });
    for (const key of ["slow", "slow", "slow", "slow", "other"]) void call(key);
    limiter.leave("slow", 1);
    await pass();
    expect(begun).toEqual(["slow", "slow", "slow", "other"]);
  });

  test("requests have a bound in bytes together, and one of any size runs", async () => {
    const { limiter, begun, call, pass } = limited({});
    void call("large", 500);
    void call("small", 1);
    await pass();
    expect(begun).toEqual(["large"]);
    limiter.leave("large", 500);
    await pass();
    expect(begun).toEqual(["large", "small"]);
  });

  test("a call that is given up leaves its position in the queue", async () => {
    const { limiter, begun, call, pass } = limited({ each: 1 });
    const late = new AbortController();
    void call("one");
    const waiting = call("one", 1, late.signal);
    void call("one");
    late.abort(new Error("late"));
    await expect(waiting).rejects.toThrow("late");
    await expect(limiter.wait("one", 1, late.signal)).rejects.toThrow("late");
    limiter.leave("one", 1);
    await pass();
    expect(begun).toEqual(["one", "one"]);
    limiter.leave("one", 1);
    expect(limiter.running).toBe(0);
  });
});
