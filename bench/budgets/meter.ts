/**
 * Tells the program that has started this one what CPU it has used, in microseconds, whenever it is asked. It is loaded before
 * the program that is measured, and keeps it from nothing.
 *
 * @module
 */
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.channel?.unref();
}
