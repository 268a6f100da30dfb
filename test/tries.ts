/**
 * What a test needs that is tried once more.
 *
 * @module
 */
import { afterAll, beforeAll, beforeEach } from "vitest";

/** How long a preparation may take on a machine that is busy, in milliseconds. */
const TIMEOUT_MS = 90_000;

/**
 * Prepares what the tests of a suite share, and prepares it anew before a test is tried once more: objects that the first try has
 * made would be in its way. What is returned is disposed of before the next preparation, and at the end.
 */
export function beforeTries(prepare: () => Promise<AsyncDisposable | void>): void {
  let prepared: AsyncDisposable | void;
  const dispose = async (): Promise<void> => {
    await prepared?.[Symbol.asyncDispose]();
    prepared = undefined;
  };
  const prepareAnew = async (): Promise<void> => {
    await dispose();
    prepared = await prepare();
  };
  beforeAll(prepareAnew, TIMEOUT_MS);
  beforeEach(async ({ task: { result } }) => {
    if ((result?.retryCount ?? 0) + (result?.repeatCount ?? 0) > 0) await prepareAnew();
  }, TIMEOUT_MS);
  afterAll(dispose);
}
