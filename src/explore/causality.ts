/**
 * The causes of writes in a clean run: the deliveries and reads of the program before them.
 * A delivery is a cause of a write when it reached the same start of the program after the program had finished its last group of writes.
 * Sieve (OSDI 2022) does the same: an order in time, limited to facts that the program can still know. A group consists of writes that
 * follow one another without events from others between them: most often one reconcile.
 *
 * @module
 */
import type { DeliveryPoint, RequestPoint } from "./contract/plan.ts";
import type { StoredObject } from "./contract/state.ts";
import type { ChangeEntry, DeliveryEntry, RequestEntry, Trace } from "./contract/trace.ts";
import { NormalNames } from "./names.ts";
import { deliveryKey, PointCounter, requestKey } from "./points.ts";

/** A write of a program that changed something, or a call that makes a driver do so. */
export interface Write {
  readonly request: RequestEntry;
  readonly point: RequestPoint;
  /** When it was handled. */
  readonly handled: Handled;
  /** Equal for writes that do the same: verb, object and changed members. */
  readonly shape: string;
  readonly step: number;
  /** Its place among the writes of its group, from 0. */
  readonly place: number;
  /** The number of writes in its group. */
  readonly groupSize: number;
  readonly causes: readonly Cause[];
  /** Whether its shape has not come before. */
  readonly isFirst: boolean;
  /** Whether its shape, or one of its causes for this shape, has not come before. */
  readonly fresh: boolean;
  readonly removesFinalizer: boolean;
  /** Whether the user deletes, in the next step, an object that it writes or that caused it. */
  readonly isDeletedNext: boolean;
}

/** A get or list of a program with a response. */
export interface Read {
  readonly request: RequestEntry;
  readonly point: RequestPoint;
  readonly step: number;
  /** Whether such a read has not come before. */
  readonly fresh: boolean;
}

/** A delivery with its change. */
export interface Delivery {
  readonly entry: DeliveryEntry;
  readonly point: DeliveryPoint;
  readonly step: number;
  /** Whether the program itself made the change that was delivered. */
  readonly own: boolean;
  /** Whether it adds an object under the name of one that was deleted: a program may take it for that one. */
  readonly again: boolean;
  /** Equal for deliveries of the same change: object and changed members; an object that is made again is another one. */
  readonly shape: string;
  /** Whether its shape has not come before. */
  readonly fresh: boolean;
  /** Writes that it is a cause of. */
  readonly led: readonly Write[];
  /** The deliveries of the same object to the same program before and after it. */
  previous?: Delivery;
  next?: Delivery;
}

/** The facts that a program had learned when it wrote. */
export interface Cause {
  /** Equal for the same news: object and changed members. */
  readonly shape: string;
  readonly delivery?: Delivery;
  readonly read?: Read;
}

/** A clean run in the words of causes. */
export interface CleanRun {
  readonly trace: Trace;
  readonly writes: readonly Write[];
  readonly reads: readonly Read[];
  readonly deliveries: readonly Delivery[];
  /** Programs that take part in a leader election. */
  readonly elected: ReadonlySet<string>;
  /** The programs that sent requests. */
  readonly programs: readonly string[];
}

/** A pair of a write and one of its causes, as coverage counts them. */
export const causePair = (write: Write, cause: Cause): string => `${cause.shape} -> ${write.shape}`;

const MAX_CAUSES = 30;
const MAX_MEMBERS = 20;
const MEMBER_DEPTH = 5;
/** A pause of the clock in ms after which a program begins something new. */
const GROUP_PAUSE = 1000;

const IGNORED_MEMBERS = new Set(["resourceVersion", "managedFields", "generation"]);
const READING_CALL = /^(?:Group)?(?:Controller|Node)?(?:Get|List)|^Probe$|^Validate/;

const isProgram = (actor: string): boolean => actor !== "user" && actor !== "cluster";

/** Whether a write is no point of a plan: an Event, or a record of a leader election. */
const isAside = ({ object }: RequestEntry, changes: readonly ChangeEntry[]): boolean =>
  object.kind === "Event" ||
  (object.kind === "Lease" && object.group === "coordination.k8s.io") ||
  changes.some(({ after }) => after.metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined);

/** Returns the paths of members that differ, with list items as `[]`, sorted. */
export const changedMembers = (before: StoredObject, after: StoredObject): readonly string[] => {
  const found = new Set<string>();
  const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  const visit = (a: unknown, b: unknown, path: string, depth: number): void => {
    if (a === b || found.size >= MAX_MEMBERS) return;
    if (!isObject(a) || !isObject(b) || depth === MEMBER_DEPTH || Array.isArray(a) !== Array.isArray(b)) {
      found.add(path);
      return;
    }
    const isList = Array.isArray(a);
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      if (!(path === ".metadata" && IGNORED_MEMBERS.has(key)))
        visit(a[key], b[key], isList ? `${path}[]` : `${path}.${key}`, depth + 1);
  };
  visit(before, after, "", 0);
  return [...found].sort();
};

const membersOf = ({ change, before, after }: ChangeEntry): string =>
  change === "updated" && before ? changedMembers(before, after).join(",") : change;

/** The changes that a request made: of its revision, or by its actor and of its object since its last request. */
class OpenChanges {
  readonly #open = new Map<string, ChangeEntry[]>();

  add(change: ChangeEntry): void {
    const open = this.#open.get(change.actor);
    if (open) open.push(change);
    else this.#open.set(change.actor, [change]);
  }

  take({ actor, object, verb, revision }: RequestEntry): readonly ChangeEntry[] {
    const open = this.#open.get(actor) ?? [];
    const isOf = (change: ChangeEntry): boolean =>
      change.object.group === object.group &&
      change.object.kind === object.kind &&
      (object.namespace === undefined || change.object.namespace === object.namespace) &&
      (object.name === undefined || change.object.name === object.name);
    const exact = verb === "deletecollection" ? [] : open.filter((c) => c.revision === revision && isOf(c));
    const taken = new Set(exact.length > 0 ? exact : open.filter(isOf));
    this.#open.set(
      actor,
      open.filter((c) => !taken.has(c)),
    );
    return [...taken];
  }
}

/** The known facts of one start of a program while its trace is read. */
interface Progress {
  life: number;
  /** The facts that it learned since its last group of writes. */
  news: Cause[];
  group: Write[];
  /** Whether news from others came since the last write. */
  disturbed: boolean;
  last: Handled & { readonly at: number };
}

/** A moment at which a write was handled: the revision where it changed an object, and the position of its response. */
export interface Handled {
  readonly revision: number | undefined;
  readonly seq: number;
}

/**
 * Whether a fact came before a write was handled. The delivery of a change may precede the change in a trace, and the response to its
 * writer.
 */
export const isBefore = ({ delivery, read }: Pick<Cause, "delivery" | "read">, { revision, seq }: Handled): boolean =>
  delivery && revision !== undefined
    ? delivery.entry.revision < revision
    : (delivery?.entry ?? read!.request).seq < seq;

type Building<T> = { -readonly [K in keyof T]: T[K] };

class Analysis {
  readonly #names: NormalNames;
  readonly #counter: PointCounter;
  readonly #changes = new OpenChanges();
  readonly #programs = new Map<string, Progress>();
  /** The change of each revision of an object, by uid and revision. */
  readonly #byRevision = new Map<string, ChangeEntry>();
  readonly #lastDelivery = new Map<string, Delivery>();
  readonly #seen = new Set<string>();
  /** The objects that the user deletes, with the place of their step among all. */
  readonly #deletions = new Map<string, number>();
  #step = -1;
  /** The place of the step. */
  #place = -1;
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly deliveries: Delivery[] = [];
  readonly elected = new Set<string>();
  readonly actors = new Set<string>();

  constructor(trace: Trace) {
    this.#names = NormalNames.of(trace);
    this.#counter = new PointCounter(this.#names);
    let place = -1;
    for (const entry of trace) {
      if (entry.type === "step" && entry.phase === "begun") place++;
      if (entry.type !== "change") continue;
      this.#byRevision.set(`${entry.uid} ${entry.revision}`, entry);
      const isEnding = entry.change === "deleted" || entry.after.metadata.deletionTimestamp !== undefined;
      if (entry.actor === "user" && isEnding) this.#deletions.set(entry.uid, place);
    }
    for (const entry of trace)
      if (entry.type === "step" && entry.phase === "begun") {
        this.#step = entry.step;
        this.#place++;
      } else if (entry.type === "change") this.#changes.add(entry);
      else if (entry.type === "delivery") this.#delivery(entry);
      else if (entry.type === "request") this.#request(entry);
      else if (entry.type === "life" && entry.event === "leading") this.elected.add(entry.actor);
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #progress(actor: string, life: number): Progress {
    const known = this.#programs.get(actor);
    if (known?.life === life) return known;
    const progress: Progress = { life, news: [], group: [], disturbed: false, last: { revision: 0, seq: 0, at: 0 } };
    this.#programs.set(actor, progress);
    return progress;
  }

  #delivery(entry: DeliveryEntry): void {
    const point = this.#counter.delivery(entry);
    if (!isProgram(entry.actor)) return;
    const change = this.#byRevision.get(`${entry.uid} ${entry.revision}`);
    const own = change?.actor === entry.actor;
    const objectKey = [point.actor, point.group, point.kind, point.namespace ?? "", entry.object.name].join("|");
    const previous = this.#lastDelivery.get(objectKey);
    const again = entry.change === "ADDED" && previous !== undefined && previous.entry.uid !== entry.uid;
    const shape = `${deliveryKey(point)}|${change ? membersOf(change) : ""}${again ? " again" : ""}`;
    const delivery: Building<Delivery> = {
      entry,
      point,
      step: this.#step,
      own,
      again,
      shape,
      fresh: this.#isNew(shape),
      led: [],
    };
    if (previous) {
      delivery.previous = previous;
      previous.next = delivery;
    }
    this.#lastDelivery.set(objectKey, delivery);
    this.deliveries.push(delivery);
    const progress = this.#progress(entry.actor, entry.life);
    progress.disturbed ||= !own;
    progress.news.push({ shape, delivery });
  }

  #request(entry: RequestEntry): void {
    const point = this.#counter.request(entry);
    const { actor, code, protocol, verb } = entry;
    if (!isProgram(actor)) return;
    this.actors.add(actor);
    const changes = this.#changes.take(entry);
    const isCall = protocol === "csi";
    const isOk = isCall ? code === 0 : code !== undefined && code < 400;
    if (entry.object.kind === "Lease" && verb !== "get") this.elected.add(actor);
    if (!isOk || isAside(entry, changes)) return;
    if (isCall ? READING_CALL.test(verb) : verb === "get" || verb === "list") this.#read(entry, point);
    else if (isCall || entry.changed) this.#write(entry, point, changes);
  }

  #read(request: RequestEntry, point: RequestPoint): void {
    const shape = requestKey(point);
    const read: Read = { request, point, step: this.#step, fresh: this.#isNew(shape) };
    this.reads.push(read);
    this.#progress(request.actor, request.life).news.push({ shape, read });
  }

  #write(request: RequestEntry, point: RequestPoint, changes: readonly ChangeEntry[]): void {
    const progress = this.#progress(request.actor, request.life);
    const { group, last } = progress;
    const continues = group.at(-1)?.step === this.#step && !progress.disturbed && request.at - last.at <= GROUP_PAUSE;
    // The facts since the group before: earlier ones have led to its last write.
    if (group.length > 0 && !continues) {
      progress.news = progress.news.filter((cause) => !isBefore(cause, last));
      progress.group = [];
    }
    const revisions = changes.map(({ revision }) => revision);
    const handled = { revision: revisions.length > 0 ? Math.min(...revisions) : undefined, seq: request.seq };
    const shape = `${requestKey(point)}|${[...new Set(changes.map(membersOf))].join(";")}`;
    const known = progress.news.filter((cause) => isBefore(cause, handled)).slice(-MAX_CAUSES);
    const causes = [...new Map(known.map((cause) => [cause.shape, cause])).values()];
    const isFirst = this.#isNew(shape);
    const concerned = [
      ...changes.map(({ uid }) => uid),
      ...causes.flatMap(({ delivery }) => delivery?.entry.uid ?? []),
    ];
    const write: Building<Write> = {
      request,
      point,
      handled,
      shape,
      step: this.#step,
      place: progress.group.length,
      groupSize: 0,
      causes,
      isFirst,
      fresh: causes.reduce((fresh, { shape: cause }) => this.#isNew(`${cause} -> ${shape}`) || fresh, isFirst),
      removesFinalizer: changes.some(
        ({ before, after }) => (before?.metadata.finalizers?.length ?? 0) > (after.metadata.finalizers?.length ?? 0),
      ),
      isDeletedNext: concerned.some((uid) => this.#deletions.get(uid) === this.#place + 1),
    };
    for (const { delivery } of causes) (delivery?.led as Write[] | undefined)?.push(write);
    progress.group.push(write);
    for (const other of progress.group as Building<Write>[]) other.groupSize = progress.group.length;
    progress.disturbed = false;
    progress.last = { ...handled, at: request.at };
    this.writes.push(write);
  }
}

/** Returns the writes of a clean run with their causes. */
export const analyse = (trace: Trace): CleanRun => {
  const { writes, reads, deliveries, elected, actors } = new Analysis(trace);
  return { trace, writes, reads, deliveries, elected, programs: [...actors] };
};
