/** Does some work; what it throws, or rejects with later, is reported and goes no further. */
export function attempt(work: () => void | Promise<void>, onFault: (error: unknown) => void): void | Promise<void> {
  try {
    const wait = work();
    if (wait instanceof Promise) return wait.catch(onFault);
  } catch (error) {
    onFault(error);
  }
}
