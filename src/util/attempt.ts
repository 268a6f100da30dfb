/** Does some work; what it throws is reported and goes no further. */
export function attempt(work: () => void, onFault: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    onFault(error);
  }
}
