/**
 * The stacks of a page are compared with Node's own.
 *
 * @module
 */
import { expect, test } from "vitest";
import { PageAsyncDisposableStack, PageDisposableStack } from "./disposables.ts";

const failing = (message: string) => (): never => {
  throw new Error(message);
};

test.each([
  ["the page", PageDisposableStack],
  ["Node", DisposableStack],
] as const)("a stack of %s disposes the last first, once, and hands over what is moved", (_, Stack) => {
  const done: string[] = [];
  const stack = new Stack();
  const used = stack.use({ [Symbol.dispose]: () => void done.push("used") });
  expect(typeof used[Symbol.dispose]).toBe("function");
  expect(stack.use(undefined)).toBeUndefined();
  expect(stack.adopt("a", (value) => void done.push(value))).toBe("a");
  stack.defer(() => void done.push("deferred"));
  const moved = stack.move();
  expect(stack.disposed).toBe(true);
  expect(() => stack.defer(() => {})).toThrow(ReferenceError);
  stack.dispose();
  expect(done).toEqual([]);
  moved[Symbol.dispose]();
  moved.dispose();
  expect(done).toEqual(["deferred", "a", "used"]);
});

test.each([
  ["the page", PageDisposableStack],
  ["Node", DisposableStack],
] as const)("all work of a stack of %s runs where some fails, and no error is lost", (_, Stack) => {
  const done: string[] = [];
  const stack = new Stack();
  stack.defer(failing("second"));
  stack.defer(() => void done.push("between"));
  stack.defer(failing("first"));
  let thrown: unknown;
  try {
    stack.dispose();
  } catch (error) {
    thrown = error;
  }
  expect(done).toEqual(["between"]);
  expect(thrown).toMatchObject({ error: { message: "second" }, suppressed: { message: "first" } });
});

test.each([
  ["the page", PageAsyncDisposableStack],
  ["Node", AsyncDisposableStack],
] as const)("an asynchronous stack of %s waits for each", async (_, Stack) => {
  const done: string[] = [];
  const later = (text: string) => async (): Promise<void> => {
    await Promise.resolve();
    done.push(text);
  };
  const stack = new Stack();
  stack.use({ [Symbol.asyncDispose]: later("asynchronous") });
  stack.use({ [Symbol.dispose]: () => void done.push("synchronous") });
  stack.defer(later("deferred"));
  const moved = stack.move();
  await stack[Symbol.asyncDispose]();
  await moved.disposeAsync();
  expect(done).toEqual(["deferred", "synchronous", "asynchronous"]);
  const failed = new Stack();
  failed.defer(failing("only"));
  await expect(failed.disposeAsync()).rejects.toThrow("only");
});
