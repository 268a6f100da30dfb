/**
 * Removes Events some time after their last write (EV-3, DEC-30).
 *
 * The time of the last write is the newest time in managedFields, or the creation. Each Event is looked at when it is due,
 * never by going through all of them.
 *
 * @module
 */
import { type ApiObject, Informer, isStatus } from "../client/index.ts";
import { CoreEvent } from "../client/kinds/index.ts";
import { WorkQueue } from "../util/work-queue.ts";
import type { Controller, ControllerContext, RunningController } from "./controller.ts";

/** The controller named `event-expiry`; Events live `ttlMillis` after their last write. */
export const eventExpiry = (ttlMillis: number): Controller => ({
  name: "event-expiry",
  async start({ client, clock, random, log }: ControllerContext): Promise<RunningController> {
    const events = client.resource(CoreEvent);
    const queue = new WorkQueue({
      clock,
      random,
      async work(key): Promise<number | void> {
        const [namespace = "", name = ""] = key.split("/");
        const event = informer.get(namespace, name);
        if (!event) return undefined;
        const left = lastWrite(event) + ttlMillis - clock.now();
        if (left > 0) return left;
        await events.delete(event, { resourceVersion: event.metadata.resourceVersion });
        return undefined;
      },
      failed(key, error) {
        if (!isStatus(error, "NotFound", "Conflict"))
          log.warn("an Event could not be removed", { key, error: String(error) });
      },
    });
    const schedule = (event: ApiObject): void => {
      const key = `${event.metadata.namespace ?? ""}/${event.metadata.name ?? ""}`;
      queue.addAfter(key, Math.max(0, lastWrite(event) + ttlMillis - clock.now()));
    };
    const informer = new Informer<CoreEvent>(events, {
      clock,
      random,
      handlers: { added: schedule, changed: schedule },
    });
    await informer.start();
    return {
      async stop() {
        await Promise.all([queue.close(), informer.stop()]);
      },
    };
  },
});

/** Milliseconds since the epoch of the last write that is known. */
function lastWrite({ metadata }: ApiObject): number {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map((entry) => entry.time)];
  return Math.max(0, ...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
}
