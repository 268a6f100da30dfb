/**
 * Who meets which fault.
 *
 * Each request is matched once, and one fault at most acts: those that wait for their `next` first, the oldest first;
 * else one of `sometimes`, else one of `always`, the newest first.
 *
 * @module
 */
import { type SeededRandom, seededRandom } from "../util/clock.ts";
import { type Fault, type WatchFault, isWatchFault } from "./fault.ts";
import {
  type OpenRecord,
  type RequestMatch,
  type RequestRecord,
  type Verb,
  WRITES,
  checkedMatch,
  fitsVerb,
  matches,
  wordsOf,
} from "./traffic.ts";

/** A fault that was asked for; disposing it takes it back. */
export interface FaultHandle extends Disposable {
  /** As the fault is called. */
  readonly name: string;
  /** For people: the fault, and whom it is for. */
  readonly what: string;
  /** How many requests have met it. */
  readonly hits: number;
  /** The first request that met it; pending until then. */
  readonly met: Promise<RequestRecord>;
}

/** The faults of a cluster. */
export interface Faults {
  /** For the next request that fits, or the next few. */
  next(match: RequestMatch, fault: Fault, times?: number): FaultHandle;
  /** For each request that fits. */
  always(match: RequestMatch, fault: Fault): FaultHandle;
  /** For a part of the requests that fit, by a chance that the seed of the cluster repeats. */
  sometimes(match: RequestMatch, probability: number, fault: Fault): FaultHandle;
  /** For the watches that are open now; how many those are. @throws Error when there is none */
  open(match: RequestMatch, fault: WatchFault): number;
  /** What was asked for with `next` and nothing has met. */
  pending(): readonly FaultHandle[];
  /** Takes all back. */
  clear(): void;
}

/** A watch that is open, as its faults reach it. */
export interface OpenWatch {
  readonly record: OpenRecord;
  play(fault: WatchFault): void;
}

type Rule = "next" | "sometimes" | "always";

/** When a request is matched: before it is handled, or when it writes; who only reads never comes to a store that refuses. */
type Moment = "request" | "store";

/** The verbs of the requests that can meet a fault, where that is not all. */
const verbsOf = (fault: Fault): readonly Verb[] | undefined =>
  isWatchFault(fault) ? ["watch"] : momentOf(fault) === "store" ? WRITES : undefined;

const momentOf = ({ play }: Fault): Moment => (play.act === "storeRefuses" ? "store" : "request");

/** A fault with all that decides whether a request meets it. */
class Asked implements FaultHandle {
  readonly rule: Rule;
  readonly match: RequestMatch;
  readonly fault: Fault;
  readonly #chance: (() => boolean) | undefined;
  readonly #met = Promise.withResolvers<RequestRecord>();
  readonly #remove: (asked: Asked) => void;
  hits = 0;
  left: number;
  #skip: number;

  constructor(
    asked: Pick<Asked, "rule" | "match" | "fault" | "left"> & { chance?: () => boolean },
    remove: (asked: Asked) => void,
  ) {
    this.rule = asked.rule;
    this.match = asked.match;
    this.fault = asked.fault;
    this.left = asked.left;
    this.#chance = asked.chance;
    this.#skip = asked.match.skip ?? 0;
    this.#remove = remove;
  }

  get name(): string {
    return this.fault.name;
  }

  get what(): string {
    return [this.name, wordsOf(this.match)].filter(Boolean).join(" for ");
  }

  get met(): Promise<RequestRecord> {
    return this.#met.promise;
  }

  /** Whether it would act on a request; one that fits is counted for `skip`, and for chance. */
  fits(request: RequestRecord, moment: Moment): boolean {
    if (this.left <= 0 || momentOf(this.fault) !== moment || !matches(this.match, request)) return false;
    if (verbsOf(this.fault)?.includes(request.verb) === false) return false;
    if (this.#skip > 0) {
      this.#skip--;
      return false;
    }
    return this.#chance?.() ?? true;
  }

  /** Acts on a request. */
  hit(record: OpenRecord): void {
    this.hits++;
    if (--this.left === 0) this.#remove(this);
    record.fault = this.name;
    this.#met.resolve(record);
  }

  [Symbol.dispose](): void {
    this.left = 0;
    this.#remove(this);
  }
}

/** The faults of a cluster, and who asks them. */
export class FaultBook implements Faults {
  readonly #random: SeededRandom;
  /** In the order in which they are asked. */
  readonly #rules: Readonly<Record<Rule, Asked[]>> = { next: [], sometimes: [], always: [] };
  readonly #watches = new Set<OpenWatch>();

  /** @param random where the chances of `sometimes` come from; each handle continues from there on its own */
  constructor(random: SeededRandom) {
    this.#random = random;
  }

  next(match: RequestMatch, fault: Fault, times = 1): FaultHandle {
    if (!Number.isInteger(times) || times < 1) throw new RangeError(`expected times to be 1 or more, got ${times}`);
    return this.#ask({ rule: "next", match, fault, left: times });
  }

  always(match: RequestMatch, fault: Fault): FaultHandle {
    return this.#ask({ rule: "always", match, fault, left: Infinity });
  }

  sometimes(match: RequestMatch, probability: number, fault: Fault): FaultHandle {
    if (!(probability >= 0 && probability <= 1)) {
      throw new RangeError(`expected a probability from 0 to 1, got ${probability}`);
    }
    // Each handle has a stream of its own: what one meets does not move the others.
    const chance = seededRandom(this.#random.next() * 2 ** 32);
    return this.#ask({ rule: "sometimes", match, fault, left: Infinity, chance: () => chance.next() < probability });
  }

  open(match: RequestMatch, fault: WatchFault): number {
    const checked = checkedMatch(match);
    const found = [...this.#watches].filter(({ record }) => matches(checked, record)).slice(match.skip ?? 0);
    if (found.length === 0) {
      const open = [...this.#watches].filter(({ record }) => matches({ origin: match.origin ?? "subject" }, record));
      const names = open.map(({ record }) => `${record.kind} of ${record.userAgent}`).join(", ");
      throw new Error(`expected an open watch for ${fault.name}, there is ${names || "none at all"}`);
    }
    for (const watch of found) {
      watch.record.fault = fault.name;
      watch.play(fault);
    }
    return found.length;
  }

  pending(): readonly FaultHandle[] {
    return this.#rules.next.filter(({ hits }) => hits === 0);
  }

  clear(): void {
    for (const rule of Object.values(this.#rules)) rule.length = 0;
  }

  /** Plays a fault to every watch that is open, whoever has it. */
  playAll(fault: WatchFault): void {
    for (const watch of this.#watches) watch.play(fault);
  }

  /** The fault that a request meets at a moment, marked as met. */
  meet(record: OpenRecord, moment: Moment): Fault | undefined {
    for (const rule of Object.values(this.#rules)) {
      // A hit takes the asked one out of its rule.
      const asked = rule.find((one) => one.fits(record, moment));
      if (!asked) continue;
      asked.hit(record);
      return asked.fault;
    }
    return undefined;
  }

  /** Whether anything could act on a request. */
  get idle(): boolean {
    return Object.values(this.#rules).every((rule) => rule.length === 0);
  }

  /** A watch has begun; the function that is given back says that it is over. */
  watchOpened(watch: OpenWatch): () => void {
    this.#watches.add(watch);
    return () => void this.#watches.delete(watch);
  }

  #ask(asked: ConstructorParameters<typeof Asked>[0]): FaultHandle {
    const { fault } = asked;
    const match = checkedMatch(asked.match);
    const verbs = verbsOf(fault);
    if (match.verb !== undefined && verbs && !verbs.some((verb) => fitsVerb(match.verb!, verb))) {
      throw new RangeError(`expected ${fault.name} for ${verbs.join(", ")}, got ${String(match.verb)}`);
    }
    const rule = this.#rules[asked.rule];
    const handle = new Asked(asked, (gone) => {
      const at = rule.indexOf(gone);
      if (at >= 0) rule.splice(at, 1);
    });
    if (asked.rule === "next") rule.push(handle);
    else rule.unshift(handle);
    return handle;
  }
}
