/**
 * Deletes Events some time after their last write (EV-3, DEC-30): the newest time in managedFields, or the creation.
 *
 * Events that are due at the same time are deleted together: an Event costs no reconcile of its own.
 */
import { type ApiObject, keyOf, keyText, metadataOf, parseKey } from "../../client/index.ts";
import { CoreEvent } from "../../client/kinds/index.ts";
import {
  type Controller,
  type Informer,
  type SourceParts,
  defineKeyController,
  sharedInformer,
} from "../../runtime/index.ts";
import { addTo, removeFrom } from "../../runtime/sets-by-key.ts";
import { deleteObject } from "../../runtime/writes.ts";

const kind = metadataOf(CoreEvent);

/** Keeps the time of the last write as that of the creation, and no managedFields. */
const keepTime = ({ apiVersion, kind: named, metadata }: ApiObject): ApiObject => {
  const { name, namespace, uid, resourceVersion } = metadata;
  const creationTimestamp = new Date(lastWrite(metadata)).toISOString();
  return {
    apiVersion,
    kind: named,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
  } as ApiObject;
};

const events = sharedInformer(kind, { keep: keepTime });

/** Deletes side by side. */
const SIDE_BY_SIDE = 16;

/** The controller named `event-expiry`; Events live `ttlMillis` after their last write. Its keys are times in milliseconds. */
export const eventExpiry = (ttlMillis: number): Controller =>
  defineKeyController({
    name: "keelson-event-expiry",
    uses: [events],
    begin: (parts, add) => new DueEvents(parts, add, ttlMillis),
    async reconcile({ key: due, memory, client, clock }) {
      const left = Number(due) - clock.now();
      if (left > 0) return memory.at(due).length === 0 ? undefined : { requeueAfter: left };
      const gone = memory.at(due).values();
      const worker = async (): Promise<void> => {
        for (const event of gone) {
          const { resourceVersion } = event.metadata;
          // A later write extended its lifetime; memory will show it.
          // oxlint-disable-next-line no-await-in-loop -- several workers side by side
          await deleteObject(client, kind, event, { resourceVersion });
        }
      };
      const done = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, worker));
      const refused = done.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
      if (refused) throw refused.reason;
      return undefined;
    },
  });

/** The keys of Events by the time at which they are due. */
class DueEvents implements Disposable {
  readonly #events: Informer<ApiObject, "Namespaced", never>;
  readonly #due = new Map<string, Set<string>>();
  readonly #ttlMillis: number;
  readonly #subscription: Disposable;

  constructor({ own }: SourceParts, add: (due: string) => void, ttlMillis: number) {
    this.#events = own(events);
    this.#ttlMillis = ttlMillis;
    this.#subscription = this.#events.on((event) => {
      const { object, type } = event;
      const key = keyText(keyOf(object));
      if (type !== "added") removeFrom(this.#due, this.#dueOf(type === "changed" ? event.old : object), key);
      if (type === "deleted") return;
      const due = this.#dueOf(object);
      const isNew = !this.#due.has(due);
      addTo(this.#due, due, key);
      if (isNew) add(due);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  /** The Events that are due at a time. */
  at(due: string): readonly ApiObject[] {
    const found = [...(this.#due.get(due) ?? [])].map((key) => this.#events.get(parseKey<"Namespaced">(key)));
    return found.filter((event) => event !== undefined && this.#dueOf(event) === due) as ApiObject[];
  }

  #dueOf({ metadata }: ApiObject): string {
    return String(Date.parse(metadata.creationTimestamp) + this.#ttlMillis);
  }
}

/** The time of the last known write, in milliseconds since the epoch. */
function lastWrite({ creationTimestamp, managedFields = [] }: ApiObject["metadata"]): number {
  const times = [creationTimestamp, ...managedFields.map((entry) => entry.time)];
  return Math.max(0, ...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
}
