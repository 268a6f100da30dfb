/**
 * Opens several parts of which the later ones need the earlier ones. When one cannot be opened, those before it are closed, the
 * last one first, and its error is the one that is reported.
 *
 *     openParts(async (opened) => {
 *       const store = opened.adopt(await openStore(), (one) => one.close());
 *       const cluster = opened.use(await createCluster({ store, … }));
 *       return { cluster, close: () => opened.disposeAsync() };
 *     }, report)
 *
 * The result comes with the duty to dispose of the stack.
 *
 * @module
 */

/** Takes the errors of parts that could not be closed. */
export type CloseFailed = (error: unknown) => void;

/** Opens parts that take time; see the head of this file. */
export async function openParts<T>(
  open: (opened: AsyncDisposableStack) => Promise<T>,
  closeFailed: CloseFailed,
): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(opened);
  } catch (error) {
    await opened.disposeAsync().catch(closeFailed);
    throw error;
  }
}

/** Opens parts that are there at once; where one is not, those before it are closed a little later. */
export function openPartsNow<T>(open: (opened: AsyncDisposableStack) => T, closeFailed: CloseFailed): T {
  const opened = new AsyncDisposableStack();
  try {
    return open(opened);
  } catch (error) {
    opened.disposeAsync().catch(closeFailed);
    throw error;
  }
}

/**
 * Waits until all of the work has ended, and rejects with the error of the first in the list that failed: nothing goes on with
 * parts that are closed because of it.
 */
export async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}
