/**
 * A reading that many share: who asks while one is under way waits for the next one, which all have who asked meanwhile. So nobody is
 * given what was read before he asked, and a hundred who ask at the same time cost two readings.
 *
 * @module
 */

/** See the head of this file. A reading that fails fails for all who share it, and for nobody else. */
export function sharedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let under: Promise<void> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const reading = read();
    const over = (): void => {
      if (under === ended) under = undefined;
    };
    const ended: Promise<void> = reading.then(over, over);
    under = ended;
    return reading;
  };
  return () => {
    if (!under) return begin();
    next ??= under.then(begin);
    return next;
  };
}
