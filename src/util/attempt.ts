/** Runs work and passes an error, thrown at once or later, to `onFault`; the caller never sees it. */
export function attempt(work: () => void | Promise<void>, onFault: (error: unknown) => void): void | Promise<void> {
  try {
    const wait = work();
    if (wait instanceof Promise) return wait.catch(onFault);
  } catch (error) {
    onFault(error);
  }
}
