/** Runs steps at once. */
export function allSteps<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs steps, and lets the page do something else after each 12 ms. */
export async function inSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (let started = performance.now(); ;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - started < 12) continue;
    await new Promise((resolve) => setTimeout(resolve));
    started = performance.now();
  }
}
