/**
 * Events about what controllers do, for people (`kubectl describe`).
 *
 * Recording never throws and never waits. What happens again is counted in a series, not recorded anew; who records too much
 * is cut short: 25 events of one source about one object, then one more every five minutes. Where the server takes nothing
 * a thousand wait, and what comes then is dropped.
 *
 * @module
 */
import { type ApiObject, type Client, type Kind, attempt } from "../client/index.ts";
import { CoreEvent, type Event } from "../client/kinds/index.ts";
import { formatMicroTime, formatTime } from "../meta/time.ts";
import type { Activity } from "../util/activity.ts";
import { BoundedCache, textBytes } from "../util/bounded-cache.ts";
import type { Clock, Random } from "../util/clock.ts";
import { cutText } from "../util/cut-text.ts";
import { withoutTrailing } from "../util/scan.ts";

/** What a recorder needs. */
export interface RecorderOptions {
  readonly client: Client;
  readonly form: EventForm;
  readonly clock: Clock;
  readonly random: Random;
  readonly activity?: Pick<Activity, "begin"> | undefined;
  /** Hears why an event could not be written. */
  readonly failed: (error: unknown) => void;
}

/** An event that is to be recorded. */
export interface NewEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
  readonly regarding: ApiObject;
  readonly related?: ApiObject | undefined;
  /** Who records it: the name of the controller. */
  readonly source: string;
  /** Which of several of that name. */
  readonly instance: string;
  /** The part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
  /** The machine that it happened on, where that matters. */
  readonly host?: string | undefined;
}

/** How events are written. */
export interface EventForm {
  readonly kind: Kind<ApiObject, "Namespaced">;
  /** An event that happens for the first time, beside its metadata. */
  readonly first: (event: NewEvent, time: { readonly micro: string; readonly plain: string }) => object;
  /** What changes when it happens again. */
  readonly again: (count: number, time: { readonly micro: string; readonly plain: string }) => object;
}

/** Events of the group for events, in series. */
export const seriesForm = (kind: Kind<Event, "Namespaced">): EventForm => ({
  kind,
  first: ({ type, reason, note, regarding, fieldPath, related, source, instance }, { micro }) => ({
    eventTime: micro,
    type,
    reason,
    note,
    action: reason,
    regarding: referenceTo(regarding, fieldPath),
    ...(related ? { related: referenceTo(related) } : {}),
    reportingController: source,
    reportingInstance: instance,
  }),
  again: (count, { micro }) => ({ series: { count, lastObservedTime: micro } }),
});

/** Events of the core group, counted: the form of the controllers of Kubernetes, by which people search. */
export const countedForm: EventForm = {
  kind: CoreEvent,
  first: ({ type, reason, note, regarding, fieldPath, related, source, host }, { plain }) => ({
    type,
    reason,
    message: note,
    involvedObject: referenceTo(regarding, fieldPath),
    ...(related ? { related: referenceTo(related) } : {}),
    source: { component: source, ...(host === undefined ? {} : { host }) },
    reportingComponent: source,
    ...(host === undefined ? {} : { reportingInstance: host }),
    count: 1,
    firstTimestamp: plain,
    lastTimestamp: plain,
  }),
  again: (count, { plain }) => ({ count, lastTimestamp: plain }),
};

interface Series {
  readonly metadata: { readonly namespace: string; readonly name: string };
  count: number;
  at: number;
}

/** Events in a row, and how long until one more is free. */
const BURST_EVENTS = 25;
const REFILL_MS = 300_000;
/** What happens again within this time is the same series. */
const SERIES_MS = 360_000;
/** What is remembered of series, and of who has recorded how much; those go first of whom nothing was heard for longest. */
const MAX_REMEMBERED = { entries: 4096, bytes: 8 << 20 };
/** Events that wait for those before them. */
const MAX_WAITING = 1000;
/** An event that is not answered by then is given up. */
const RESPONSE_TIMEOUT_MS = 30_000;
const MAX_NOTE_BYTES = 1024;
/** Of the name of the object, in that of the event. */
const MAX_NAME_LENGTH = 200;

/** Writes events one after the other, in the order in which they were recorded. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #series = new BoundedCache<Series>({
    ...MAX_REMEMBERED,
    weigh: ({ metadata }) => 100 + textBytes(metadata.namespace) + textBytes(metadata.name),
  });
  readonly #budgets = new BoundedCache<{ readonly left: number; readonly at: number }>(MAX_REMEMBERED);
  /** The millisecond of the last event, and how many have been made in it: their times say which was first. */
  #moment = { at: 0, count: 0 };
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Whether it was told that events are dropped. */
  #isDropping = false;
  #stopped = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Records an event, unless its source says too much about its object. */
  record(newEvent: NewEvent): void {
    if (this.#stopped || !this.#mayRecord(newEvent) || this.#isFull()) return;
    const { note, regarding, related } = newEvent;
    // It may have to wait for long: the objects are not kept for it.
    const event = {
      ...newEvent,
      note: cutText(note, MAX_NOTE_BYTES),
      regarding: named(regarding),
      related: related && named(related),
    };
    const end = this.#options.activity?.begin(`event ${event.reason}`);
    this.#waiting++;
    this.#last = this.#last
      .then(() => this.#write(event))
      .catch(this.#options.failed)
      .finally(() => {
        this.#waiting--;
        end?.();
      });
  }

  #isFull(): boolean {
    const isFull = this.#waiting >= MAX_WAITING;
    if (isFull && !this.#isDropping) {
      this.#options.failed(new Error(`events are dropped: ${this.#waiting} wait to be written`));
    }
    this.#isDropping = isFull;
    return isFull;
  }

  /** Resolves when all that was recorded is written, or could not be; nothing more is taken. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#last;
  }

  #mayRecord({ source, regarding }: NewEvent): boolean {
    const now = this.#options.clock.steady();
    const key = `${source} ${regarding.metadata.uid}`;
    const { left, at } = this.#budgets.get(key) ?? { left: BURST_EVENTS, at: now };
    const refilled = Math.min(BURST_EVENTS, left + (now - at) / REFILL_MS);
    // A part of one more is kept, too.
    this.#budgets.set(key, { left: refilled >= 1 ? refilled - 1 : refilled, at: now });
    return refilled >= 1;
  }

  async #write(event: NewEvent): Promise<void> {
    const late = new AbortController();
    const onTimeout = (): void =>
      late.abort(new Error(`event ${event.reason} was not answered within ${RESPONSE_TIMEOUT_MS} ms`));
    const timer = this.#options.clock.after(RESPONSE_TIMEOUT_MS, onTimeout, { owner: "events" });
    try {
      await this.#send(event, late);
    } finally {
      timer.cancel();
    }
  }

  async #send(event: NewEvent, { signal }: Pick<AbortController, "signal">): Promise<void> {
    const { client, form, clock } = this.#options;
    const { type, reason, note, regarding, fieldPath, related, source } = event;
    const key = JSON.stringify([type, reason, note, regarding.metadata.uid, fieldPath, related?.metadata.uid, source]);
    const known = this.#series.get(key);
    const events = client.resource(form.kind);
    if (known && clock.steady() - known.at < SERIES_MS) {
      known.count++;
      known.at = clock.steady();
      const again = form.again(known.count, { micro: formatMicroTime(clock.now()), plain: formatTime(clock.now()) });
      if ((await attempt(events.patch(known.metadata, again, { signal }), "NotFound")).ok) return;
    }
    const first = { metadata: this.#namesOf(event), ...form.first(event, this.#time()) };
    const { metadata } = await events.create(first, { signal });
    const place = { namespace: metadata.namespace!, name: metadata.name };
    this.#series.set(key, { metadata: place, count: 1, at: clock.steady() });
  }

  #namesOf({ regarding }: NewEvent): { readonly namespace: string; readonly name: string } {
    const { name, namespace = "default" } = regarding.metadata;
    const suffix = this.#options.random.uuid().replaceAll("-", "").slice(0, 16);
    return { namespace, name: `${subdomainOf(name) || "object"}.${suffix}` };
  }

  /** The time of an event: of those of one millisecond each is a microsecond later. */
  #time(): { readonly micro: string; readonly plain: string } {
    const at = this.#options.clock.now();
    this.#moment = { at, count: at === this.#moment.at ? this.#moment.count + 1 : 0 };
    const { count } = this.#moment;
    return { micro: formatMicroTime(at + Math.floor(count / 1000), count), plain: formatTime(at) };
  }
}

/** A name as that of an event may begin: names of some kinds have more characters. */
function subdomainOf(name: string): string {
  const known = name
    .slice(0, MAX_NAME_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, "-")
    .replaceAll(/[.-]+/g, (run) => (run.includes(".") ? "." : run));
  return withoutTrailing(known.replace(/^[.-]+/, ""), ".-");
}

/** What a reference to an object says of it. */
function named({ apiVersion, kind, metadata }: ApiObject): ApiObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } as ApiObject;
}

function referenceTo({ apiVersion, kind, metadata }: ApiObject, fieldPath?: string): NonNullable<Event["regarding"]> {
  const { name, namespace, uid, resourceVersion } = metadata;
  const place = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
  return { apiVersion, kind, name, uid, resourceVersion, ...place };
}
