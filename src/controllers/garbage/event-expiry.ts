/**
 * Removes Events some time after their last write (EV-3, DEC-30).
 *
 * The time of the last write is the newest time in managedFields, or the creation. Each Event is looked at when it is due,
 * never by going through all of them; only their metadata is kept.
 *
 * @module
 */
import { type ApiObject, attempt, metadataOf } from "../../client/index.ts";
import { CoreEvent } from "../../client/kinds/index.ts";
import { type Controller, defineController, sharedInformer } from "../../runtime/index.ts";

/** The controller named `event-expiry`; Events live `ttlMillis` after their last write. */
export const eventExpiry = (ttlMillis: number): Controller => {
  const kind = metadataOf(CoreEvent);
  return defineController({
    name: "keelson-event-expiry",
    for: sharedInformer(kind, { keep: keepAll }),
    async reconcile({ object, client, clock }) {
      const left = lastWrite(object) + ttlMillis - clock.now();
      if (left > 0) return { requeueAfter: left };
      const { resourceVersion } = object.metadata;
      // Whoever wrote it meanwhile gave it more time, which memory will tell.
      await attempt(client.resource(kind).delete(object, { resourceVersion }), "NotFound", "Conflict");
      return undefined;
    },
  });
};

/** Built-in controllers keep nothing of managedFields, unless they say so. */
const keepAll = (event: ApiObject): ApiObject => event;

/** Milliseconds since the epoch of the last write that is known. */
function lastWrite({ metadata }: ApiObject): number {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map((entry) => entry.time)];
  return Math.max(0, ...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
}
