/**
 * Records Events (`kubectl describe`).
 *
 * Recording never throws and never waits. Repeated Events are counted in a series. Of the core group, Events of one reason about
 * an object are combined from the tenth text on. Each source may record 25 Events about an object, then one every five minutes. At
 * most a thousand Events wait for the server, as in client-go; later ones are dropped, which is reported once until none waits.
 */
import { hash } from "node:crypto";
import { type ApiObject, type Client, type Kind, attempt } from "../client/index.ts";
import { CoreEvent, type Event } from "../client/kinds/index.ts";
import { formatMicroTime, formatTime } from "../meta/time.ts";
import { type Activity, ActivityCount, runCounted } from "../util/activity.ts";
import { BoundedCache, textBytes } from "../util/bounded-cache.ts";
import type { Clock } from "../util/clock.ts";
import { cutText } from "../util/cut-text.ts";
import { withoutTrailing } from "../util/scan.ts";

/** The parts of a recorder. */
export interface RecorderOptions {
  readonly client: Client;
  readonly form: EventForm;
  readonly clock: Clock;
  readonly activity?: Pick<Activity, "begin"> | undefined;
  /** Called where an Event could not be written. */
  readonly failed: (error: unknown) => void;
}

/** An Event to record. */
export interface NewEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
  readonly regarding: ApiObject;
  readonly related?: ApiObject | undefined;
  /** The controller. */
  readonly source: string;
  /** The instance of the source. */
  readonly instance: string;
  /** The field of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
  /** The node, where it matters. */
  readonly host?: string | undefined;
  /** Whether it represents several similar ones; such an Event names no controller. */
  readonly isCombined?: boolean;
}

/** The API group and form of Events. */
export interface EventForm {
  readonly kind: Kind<ApiObject, "Namespaced">;
  /** The first Event of a series, without metadata. */
  readonly first: (event: NewEvent, time: { readonly micro: string; readonly plain: string }) => object;
  /** The patch for a repeated Event; a combined one has another text each time. */
  readonly again: (
    count: number,
    time: { readonly micro: string; readonly plain: string },
    combined: string | undefined,
  ) => object;
  /** Whether Events that differ only in their text are combined when there are many. */
  readonly combines: boolean;
}

/** Events of events.k8s.io, in series. */
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
  combines: false,
});

/** Events of the core group with counts, as the controllers of Kubernetes record them. */
export const countedForm: EventForm = {
  kind: CoreEvent,
  first: ({ type, reason, note, regarding, fieldPath, related, source, host, isCombined }, { plain }) => ({
    type,
    reason,
    message: note,
    involvedObject: referenceTo(regarding, fieldPath),
    ...(related ? { related: referenceTo(related) } : {}),
    source: { component: source, ...(host === undefined ? {} : { host }) },
    ...(isCombined ? {} : { reportingComponent: source }),
    ...(isCombined || host === undefined ? {} : { reportingInstance: host }),
    count: 1,
    firstTimestamp: plain,
    lastTimestamp: plain,
  }),
  again: (count, { plain }, combined) => ({
    count,
    lastTimestamp: plain,
    ...(combined === undefined ? {} : { message: combined }),
  }),
  combines: true,
};

interface Series {
  readonly metadata: { readonly namespace: string; readonly name: string };
  count: number;
  at: number;
}

/** The burst of Events per source and object, and the refill time. */
const BURST_EVENTS = 25;
const REFILL_MS = 300_000;
/** The maximum time between two Events of a series. */
const SERIES_MS = 360_000;
/** The number of texts from which on Events are similar, and the time without one after which they are forgotten. */
const SIMILAR_EVENTS = 10;
const SIMILAR_MS = 600_000;
/** The bounds of the remembered series and budgets; the oldest are dropped. */
const MAX_REMEMBERED = { entries: 4096, bytes: 8 << 20 };
const MAX_WAITING = 1000;
/** The timeout of a request. */
const RESPONSE_TIMEOUT_MS = 30_000;
const MAX_NOTE_BYTES = 1024;
/** The length of the object's name in that of its Event. */
const MAX_NAME_LENGTH = 200;

const SUFFIX_DIGITS = 8;

/** Writes Events one after the other, in the order of recording. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #series = new BoundedCache<Series>({
    ...MAX_REMEMBERED,
    weigh: ({ metadata }) => 100 + textBytes(metadata.namespace) + textBytes(metadata.name),
  });
  readonly #budgets = new BoundedCache<{ readonly left: number; readonly at: number }>(MAX_REMEMBERED);
  /** The texts of similar Events. */
  readonly #similar = new BoundedCache<{ readonly notes: Set<string>; at: number }>({
    ...MAX_REMEMBERED,
    weigh: () => 100 + SIMILAR_EVENTS * MAX_NOTE_BYTES,
  });
  /** The time of the last Event in milliseconds, and how many had it: later ones get more microseconds. */
  #moment = { at: 0, count: 0 };
  #last: Promise<void> = Promise.resolve();
  /** Aborts the running request. */
  #late = new AbortController();
  #waiting = 0;
  /** Whether dropped Events were reported since the last time that none waited. */
  #isDropping = false;
  #stopped = false;
  /** Counts the Events that wait. */
  #count: ActivityCount | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Records an Event within the budget of its source. */
  record(newEvent: NewEvent): void {
    if (this.#stopped || !this.#mayRecord(newEvent) || this.#isFull()) return;
    const { note, regarding, related } = newEvent;
    // Objects are reduced, as the Event may wait for long.
    const event = {
      ...newEvent,
      note: cutText(note, MAX_NOTE_BYTES),
      regarding: named(regarding),
      related: related && named(related),
    };
    const { activity } = this.#options;
    // One for all: those behind one that waits for the clock wait for it, too.
    const count = (this.#count ??= activity && new ActivityCount(() => activity.begin(`event ${event.reason}`)));
    this.#waiting++;
    this.#last = this.#last
      .then(() => runCounted(count, () => this.#write(event)))
      .catch(this.#options.failed)
      .finally(() => {
        this.#waiting--;
        if (this.#waiting > 0) return;
        this.#isDropping = false;
        count?.end();
        this.#count = undefined;
      });
  }

  #isFull(): boolean {
    const isFull = this.#waiting >= MAX_WAITING;
    if (isFull && !this.#isDropping) {
      this.#options.failed(new Error(`events are dropped: ${this.#waiting} wait to be written`));
    }
    this.#isDropping ||= isFull;
    return isFull;
  }

  /** Takes no more Events; resolves when all are written or have failed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#last;
  }

  #mayRecord({ source, regarding }: NewEvent): boolean {
    const now = this.#options.clock.steady();
    const key = `${source} ${regarding.metadata.uid}`;
    const { left, at } = this.#budgets.get(key) ?? { left: BURST_EVENTS, at: now };
    const refilled = Math.min(BURST_EVENTS, left + (now - at) / REFILL_MS);
    // Keeps the fraction.
    this.#budgets.set(key, { left: refilled >= 1 ? refilled - 1 : refilled, at: now });
    return refilled >= 1;
  }

  async #write(event: NewEvent): Promise<void> {
    // Shared by many Events, since they are written one after the other.
    const late = this.#late;
    const onTimeout = (): void => {
      this.#late = new AbortController();
      late.abort(new Error(`event ${event.reason} got no response within ${RESPONSE_TIMEOUT_MS} ms`));
    };
    const timer = this.#options.clock.after(RESPONSE_TIMEOUT_MS, onTimeout, { owner: "events" });
    try {
      await this.#send(event, late);
    } finally {
      timer.cancel();
    }
  }

  /** Returns an Event that represents several where there were many with its reason about its object, else the Event itself. */
  #combined(event: NewEvent): NewEvent {
    if (!this.#options.form.combines) return event;
    const { type, reason, note, regarding, source, host } = event;
    const now = this.#options.clock.steady();
    const key = JSON.stringify([type, reason, regarding.metadata.uid, source, host]);
    const known = this.#similar.get(key);
    const { notes } = known && now - known.at <= SIMILAR_MS ? known : { notes: new Set<string>() };
    this.#similar.set(key, { notes: notes.add(note), at: now });
    if (notes.size < SIMILAR_EVENTS) return event;
    const [oldest = ""] = notes;
    notes.delete(oldest);
    return { ...event, note: cutText(`(combined from similar events): ${note}`, MAX_NOTE_BYTES), isCombined: true };
  }

  async #send(single: NewEvent, { signal }: Pick<AbortController, "signal">): Promise<void> {
    const { client, form, clock } = this.#options;
    const event = this.#combined(single);
    const { type, reason, note, regarding, fieldPath, related, source, isCombined } = event;
    const of = isCombined ? [] : [note, fieldPath, related?.metadata.uid];
    const key = JSON.stringify([type, reason, regarding.metadata.uid, source, ...of]);
    const known = this.#series.get(key);
    const events = client.resource(form.kind);
    if (known && clock.steady() - known.at < SERIES_MS) {
      known.count++;
      known.at = clock.steady();
      const time = { micro: formatMicroTime(clock.now()), plain: formatTime(clock.now()) };
      const again = form.again(known.count, time, isCombined ? note : undefined);
      if ((await attempt(events.patch(known.metadata, again, { signal }), "NotFound")).ok) return;
    }
    const time = this.#time();
    const metadata = namesOf(event, suffixOf(key, clock.now()));
    // The same Event of the same time exists already if the record of its write was lost, as in a controller that was killed.
    await attempt(events.create({ metadata, ...form.first(event, time) }, { signal }), "AlreadyExists");
    this.#series.set(key, { metadata, count: 1, at: clock.steady() });
  }

  /** Returns the time of an Event; in the same millisecond each is a microsecond later. */
  #time(): { readonly micro: string; readonly plain: string } {
    const at = this.#options.clock.now();
    this.#moment = { at, count: at === this.#moment.at ? this.#moment.count + 1 : 0 };
    const { count } = this.#moment;
    return { micro: formatMicroTime(at + Math.floor(count / 1000), count), plain: formatTime(at) };
  }
}

function namesOf({ regarding }: NewEvent, suffix: string): { readonly namespace: string; readonly name: string } {
  const { name, namespace = "default" } = regarding.metadata;
  return { namespace, name: `${subdomainOf(name) || "object"}.${suffix}` };
}

/**
 * Names are derived from the time and the content of Events, so that a repeated run has the same names. They begin with the
 * time, so that a list of Events of one object is in the order of time.
 */
const suffixOf = (text: string, at: number): string =>
  `${at.toString(16)}${hash("sha256", text).slice(0, SUFFIX_DIGITS)}`;

/** Returns the start of an Event name: names of some kinds have other characters. */
function subdomainOf(name: string): string {
  const known = name
    .slice(0, MAX_NAME_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, "-")
    .replaceAll(/[.-]+/g, (run) => (run.includes(".") ? "." : run));
  return withoutTrailing(known.replace(/^[.-]+/, ""), ".-");
}

/** Reduces an object to what a reference contains. */
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
