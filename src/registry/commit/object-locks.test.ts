import { describe, expect, test } from "vitest";
import type { AdmissionRequest } from "../../admission/contract.ts";
import type { ApiError } from "../../meta/status.ts";
import { ManualClock } from "../../util/clock.ts";
import { nextPass } from "../../util/testing/pass.ts";
import { CALLER, WRITE, bodyOf, named, registryOf, widget } from "../testing/registry.ts";
import { objectLocks, withLock, withLocks } from "./object-locks.ts";

/** A write that never ends unless it loses its lock. */
const hanging = ({ signal }: { signal: AbortSignal }): Promise<string> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

const body = (by: string): ReturnType<typeof bodyOf> =>
  bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { by } });

describe("locks of writers", () => {
  test("a write that others hold up for too long is 504 and may be sent again", async () => {
    const clock = new ManualClock();
    const locks = objectLocks(clock);
    const stuck = (): Promise<string> => new Promise(() => {});
    for (let i = 0; i < 3; i++) {
      void withLock(locks, "a", stuck);
      clock.advance(2000);
    }
    const late = withLock(locks, "a", () => Promise.resolve("late"));
    const other = withLock(locks, "b", () => Promise.resolve("other"));
    expect(await other).toBe("other");
    clock.advance(60_000);
    await expect(late).rejects.toMatchObject({
      code: 504,
      reason: "Timeout",
      status: { details: { retryAfterSeconds: 1 } },
    });
  });

  test("a write that loses its lock is 504 and not to be sent again: it may have been done", async () => {
    const clock = new ManualClock();
    const locks = objectLocks(clock);
    const held = withLock(locks, "a", hanging);
    clock.advance(29_999);
    const next = withLock(locks, "a", () => Promise.resolve("next"));
    clock.advance(1);
    await expect(held).rejects.toMatchObject({ code: 504, reason: "Timeout" });
    await expect(held).rejects.not.toHaveProperty("status.details.retryAfterSeconds");
    expect(await next).toBe("next");
  });

  test("where a thousand wait for one object the next is 429", async () => {
    const locks = objectLocks(new ManualClock());
    for (let i = 0; i <= 1000; i++) void withLock(locks, "a", hanging);
    await expect(withLock(locks, "a", hanging)).rejects.toMatchObject({ code: 429, reason: "TooManyRequests" });
  });

  test("one write may take thousands of locks, and releases all of them", async () => {
    const locks = objectLocks(new ManualClock());
    const keys = Array.from({ length: 5000 }, (_, i) => String(i));
    const sizes = await withLocks(locks, keys, () => Promise.resolve(locks.size));
    await nextPass();
    expect([sizes, locks.size]).toEqual([5000, 0]);
  });

  test("of several locks none is kept where one of them is not to be had", async () => {
    const locks = objectLocks(new ManualClock());
    for (let i = 0; i <= 1000; i++) void withLock(locks, "b", hanging);
    const none = withLocks(locks, ["a", "b", "c"], () => Promise.resolve("all"));
    await expect(none).rejects.toMatchObject({ code: 429, reason: "TooManyRequests" });
    await nextPass();
    expect(locks.size).toBe(1);
  });

  test("a write with several locks is notified where it loses one of them", async () => {
    const clock = new ManualClock();
    const locks = objectLocks(clock);
    const held = withLocks(locks, ["a", "b"], hanging);
    await nextPass();
    clock.advance(30_000);
    await expect(held).rejects.toMatchObject({ code: 504, reason: "Timeout" });
    await nextPass();
    expect(locks.size).toBe(0);
  });

  test("a write that has lost one lock while it waited for another is notified when it begins", async () => {
    const clock = new ManualClock();
    const locks = objectLocks(clock);
    const other = Promise.withResolvers<void>();
    void withLock(locks, "b", () => other.promise);
    let begun: boolean | undefined;
    const held = withLocks(locks, ["a", "b"], ({ signal }) => {
      begun = signal.aborted;
      return Promise.resolve();
    });
    await nextPass();
    void withLock(locks, "a", () => Promise.resolve());
    clock.advance(30_000);
    other.resolve();
    await held.catch(() => undefined);
    expect(begun).toBe(true);
  });

  test("what a write fails with reaches its caller as it is", async () => {
    const error = new Error("of the write");
    await expect(withLock(objectLocks(new ManualClock()), "a", () => Promise.reject(error))).rejects.toBe(error);
  });

  test("creates that wait are bounded, too, and do not wait for each other: one of a name is stored", async () => {
    const clock = new ManualClock();
    const hook = {
      name: "Hook",
      mutate: ({ hold, identity }: AdmissionRequest): Promise<void> =>
        identity.user === "stuck" ? hanging(hold).then(() => {}) : new Promise((resolve) => void setImmediate(resolve)),
    };
    const { kinds } = await registryOf([widget("v1")], { clock, steps: [hook] });
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    const stuck = widgets.create(named(""), body("stuck"), WRITE, { ...CALLER, user: "stuck" });
    const many = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => widgets.create(named(""), body(String(i)), WRITE, CALLER)),
    );
    const refused = many.flatMap((one) => (one.status === "rejected" ? (one.reason as ApiError).reason : []));
    expect(refused).toEqual(Array.from({ length: 49 }, () => "AlreadyExists"));
    clock.advance(30_000);
    await expect(stuck).rejects.toMatchObject({ code: 504, reason: "Timeout" });
  });

  test.for(["update", "delete"] as const)(
    "an admission step that asks in vain ends with the lock of its %s",
    async (verb) => {
      const clock = new ManualClock();
      const asked = Promise.withResolvers<void>();
      const hook = {
        name: "Hook",
        validate({ hold, identity }: AdmissionRequest): void | Promise<void> {
          if (identity.user !== "slow") return;
          asked.resolve();
          return hanging(hold).then(() => {});
        },
      };
      const { kinds } = await registryOf([widget("v1")], { clock, steps: [hook] });
      const widgets = kinds.find("example.com", "v1", "widgets")!;
      await widgets.create(named(""), body("a"), WRITE, CALLER);
      const slow = { ...CALLER, user: "slow" };
      const late =
        verb === "update"
          ? widgets.update(named("a"), body("b"), WRITE, slow)
          : widgets.delete(named("a"), { dryRun: false }, slow);
      await asked.promise;
      const next = widgets.update(named("a"), body("c"), WRITE, CALLER);
      clock.advance(30_000);
      await expect(late).rejects.toMatchObject({ code: 504, reason: "Timeout" });
      expect((await next).object).toMatchObject({ spec: { by: "c" } });
    },
  );
});
