import { describe, expect, test } from "vitest";
import { allEnded, openParts, openPartsNow } from "./open-parts.ts";

/** Parts that record when they are closed. */
function recorder() {
  const closed: string[] = [];
  const part = (name: string, failure?: Error) => ({
    async [Symbol.asyncDispose]() {
      await Promise.resolve();
      closed.push(name);
      if (failure) throw failure;
    },
  });
  return { closed, part };
}

const unexpected = (error: unknown): never => {
  throw error;
};

describe("openParts", () => {
  test("leaves all parts open on success", async () => {
    const { closed, part } = recorder();
    const opened = await openParts(async (stack) => {
      stack.use(part("first"));
      return stack;
    }, unexpected);
    expect(closed).toEqual([]);
    await opened.disposeAsync();
    expect(closed).toEqual(["first"]);
  });

  test("closes the last part first when a later one fails, and only then rejects", async () => {
    const { closed, part } = recorder();
    const opening = openParts(async (stack) => {
      stack.use(part("first"));
      stack.use(part("second"));
      await Promise.resolve();
      throw new Error("the third");
    }, unexpected);
    await expect(opening).rejects.toThrow("the third");
    expect(closed).toEqual(["second", "first"]);
  });

  test("rejects with the first error, and closes the other parts where one cannot be closed", async () => {
    const { closed, part } = recorder();
    const failures: unknown[] = [];
    const stuck = new Error("stuck");
    const opening = openParts(
      async (stack) => {
        stack.use(part("first"));
        stack.use(part("second", stuck));
        throw new Error("the third");
      },
      (error) => void failures.push(error),
    );
    await expect(opening).rejects.toThrow("the third");
    expect(closed).toEqual(["second", "first"]);
    expect(failures).toEqual([stuck]);
  });
});

test("allEnded rejects with the first failure when all work has ended", async () => {
  const slow = Promise.withResolvers<void>();
  let isOver = false;
  const failure = allEnded([Promise.resolve(), Promise.reject(new Error("early")), slow.promise]).catch(
    (error: unknown) => {
      isOver = true;
      return error;
    },
  );
  await new Promise<void>((resolve) => void setImmediate(resolve));
  expect(isOver).toBe(false);
  slow.resolve();
  expect(await failure).toEqual(new Error("early"));
});

describe("openPartsNow", () => {
  test("returns at once", () => {
    expect(openPartsNow(() => 1, unexpected)).toBe(1);
  });

  test("closes the opened parts when a later part fails", async () => {
    const { closed, part } = recorder();
    const failed = Promise.withResolvers<unknown>();
    expect(() =>
      openPartsNow((stack) => {
        stack.use(part("first", new Error("stuck")));
        throw new Error("the second");
      }, failed.resolve),
    ).toThrow("the second");
    expect(await failed.promise).toEqual(new Error("stuck"));
    expect(closed).toEqual(["first"]);
  });
});
