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
