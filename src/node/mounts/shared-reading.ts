/**
 * Shares readings between callers: all callers during a reading wait for the next one. So no caller gets what was read
 * before its call, and a hundred simultaneous callers need two readings.
 *
 * @module
 */

/** See the head of this file. A failed reading fails only for the callers that share it. */
export function sharedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<void> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const reading = read();
    const over = (): void => {
      if (running === ended) running = undefined;
    };
    const ended: Promise<void> = reading.then(over, over);
    running = ended;
    return reading;
  };
  return () => {
    if (!running) return begin();
    next ??= running.then(begin);
    return next;
  };
}
