/**
 * The milliseconds of CPU that this process has used: what a test of a time limit should count, because it hardly
 * depends on what else the machine does.
 *
 * @module
 */

/** Milliseconds of CPU so far, in user and kernel mode, all threads. */
export function cpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The least CPU that `work` needs in five tries, in ms: a floor, or what is compared with it.
 *
 * @param enough no further try is made after one that needed less, in ms
 */
export async function leastCpu(work: () => void | Promise<void>, enough: number = 0): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5 && least >= enough; i++) {
    const before = cpuMillis();
    await work();
    least = Math.min(least, cpuMillis() - before);
  }
  return least;
}
