/**
 * Opens several parts, of which later ones need earlier ones. Where one fails, the earlier ones are closed, the last one first,
 * and its error is reported.
 *
 *     openParts(async (opened) => {
 *       const store = opened.adopt(await openStore(), (one) => one.close());
 *       const cluster = opened.use(await createCluster({ store, … }));
 *       return { cluster, close: () => opened.disposeAsync() };
 *     }, report)
 *
 * The owner of the result disposes of the stack.
 *
 * @module
 */

/** Receives the errors of parts that could not be closed. */
export type CloseFailed = (error: unknown) => void;

/** Opens parts asynchronously; see the head of this file. */
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

/** Opens parts synchronously; where one fails, the earlier ones are closed soon after that. */
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
 * Waits until all work has ended, and rejects with the first error in the order of the list: so no work uses parts that are
 * closed because of that error.
 */
export async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}
