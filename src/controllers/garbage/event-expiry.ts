/**
 * Deletes Events some time after their last write (EV-3, DEC-30): the newest time in managedFields, or the creation.
 */
import { type ApiObject, metadataOf } from "../../client/index.ts";
import { CoreEvent } from "../../client/kinds/index.ts";
import { type Controller, defineController, sharedInformer } from "../../runtime/index.ts";
import { deleteObject } from "../../runtime/writes.ts";

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
      // A later write extended its lifetime; memory will show it.
      await deleteObject(client, kind, object, { resourceVersion });
      return undefined;
    },
  });
};

/** Keeps managedFields, which built-in controllers drop by default. */
const keepAll = (event: ApiObject): ApiObject => event;

/** The time of the last known write, in milliseconds since the epoch. */
function lastWrite({ metadata }: ApiObject): number {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map((entry) => entry.time)];
  return Math.max(0, ...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
}
