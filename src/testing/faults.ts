/**
 * The faults of a cluster, by the requests that they apply to.
 *
 * At most one fault applies to a request: of the rules `next` the oldest, else of `sometimes` and then of `always` the newest.
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
  describeMatch,
} from "./traffic.ts";

/** A fault of a cluster; disposal removes it. */
export interface FaultHandle extends Disposable {
  /** The name of the fault. */
  readonly name: string;
  /** A description of the fault and its match. */
  readonly what: string;
  /** The number of requests that it was applied to. */
  readonly hits: number;
  /** Resolves to the first request that it was applied to. */
  readonly met: Promise<RequestRecord>;
}

/** The faults of a cluster. */
export interface Faults {
  /** Applies a fault to the next matching request, or to the next `times`. */
  next(match: RequestMatch, fault: Fault, times?: number): FaultHandle;
  /** Applies a fault to each matching request. */
  always(match: RequestMatch, fault: Fault): FaultHandle;
  /** Applies a fault to matching requests with a probability; the seed of the cluster makes it repeatable. */
  sometimes(match: RequestMatch, probability: number, fault: Fault): FaultHandle;
  /** Applies a fault to matching open watches; returns their number. @throws Error if there is none */
  open(match: RequestMatch, fault: WatchFault): number;
  /** Returns the faults of `next` that were not applied to any request. */
  pending(): readonly FaultHandle[];
  /** Removes all faults. */
  clear(): void;
}

/** An open watch. */
export interface OpenWatch {
  readonly record: OpenRecord;
  play(fault: WatchFault): void;
}

type Rule = "next" | "sometimes" | "always";

/** When a request is matched: before it is handled, or with its first write to the store. */
type Moment = "request" | "store";

/** Returns the verbs of a fault; undefined for all. */
const verbsOf = (fault: Fault): readonly Verb[] | undefined =>
  isWatchFault(fault) ? ["watch"] : momentOf(fault) === "store" ? WRITES : undefined;

const momentOf = ({ play }: Fault): Moment => (play.act === "storeRefuses" ? "store" : "request");

/** A fault with its rule and match. */
class FaultRule implements FaultHandle {
  readonly rule: Rule;
  readonly match: RequestMatch;
  readonly fault: Fault;
  readonly #chance: (() => boolean) | undefined;
  readonly #met = Promise.withResolvers<RequestRecord>();
  readonly #remove: (options: FaultRule) => void;
  hits = 0;
  left: number;
  #skip: number;

  constructor(
    options: Pick<FaultRule, "rule" | "match" | "fault" | "left"> & { chance?: () => boolean },
    remove: (options: FaultRule) => void,
  ) {
    this.rule = options.rule;
    this.match = options.match;
    this.fault = options.fault;
    this.left = options.left;
    this.#chance = options.chance;
    this.#skip = options.match.skip ?? 0;
    this.#remove = remove;
  }

  get name(): string {
    return this.fault.name;
  }

  get what(): string {
    return [this.name, describeMatch(this.match)].filter(Boolean).join(" for ");
  }

  get met(): Promise<RequestRecord> {
    return this.#met.promise;
  }

  /** Whether it applies to a request; a matching request counts for `skip` and for the probability. */
  fits(request: RequestRecord, moment: Moment): boolean {
    if (this.left <= 0 || momentOf(this.fault) !== moment || !matches(this.match, request)) return false;
    if (verbsOf(this.fault)?.includes(request.verb) === false) return false;
    if (this.#skip > 0) {
      this.#skip--;
      return false;
    }
    return this.#chance?.() ?? true;
  }

  /** Applies it to a request. */
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

/** The faults of a cluster. */
export class FaultBook implements Faults {
  readonly #random: SeededRandom;
  /** In the order of their priority. */
  readonly #rules: Readonly<Record<Rule, FaultRule[]>> = { next: [], sometimes: [], always: [] };
  readonly #watches = new Set<OpenWatch>();

  /** @param random for `sometimes`; each fault gets a stream of its own */
  constructor(random: SeededRandom) {
    this.#random = random;
  }

  next(match: RequestMatch, fault: Fault, times = 1): FaultHandle {
    if (!Number.isInteger(times) || times < 1) throw new RangeError(`expected times to be 1 or more, got ${times}`);
    return this.#add({ rule: "next", match, fault, left: times });
  }

  always(match: RequestMatch, fault: Fault): FaultHandle {
    return this.#add({ rule: "always", match, fault, left: Infinity });
  }

  sometimes(match: RequestMatch, probability: number, fault: Fault): FaultHandle {
    if (!(probability >= 0 && probability <= 1)) {
      throw new RangeError(`expected a probability from 0 to 1, got ${probability}`);
    }
    // A stream of its own, so that faults do not influence each other.
    const chance = seededRandom(this.#random.next() * 2 ** 32);
    return this.#add({ rule: "sometimes", match, fault, left: Infinity, chance: () => chance.next() < probability });
  }

  open(match: RequestMatch, fault: WatchFault): number {
    const checked = checkedMatch(match);
    const found = [...this.#watches].filter(({ record }) => matches(checked, record)).slice(match.skip ?? 0);
    if (found.length === 0) {
      const open = [...this.#watches].filter(({ record }) => matches({ origin: match.origin ?? "subject" }, record));
      const names = open.map(({ record }) => `${record.kind} of ${record.userAgent}`).join(", ");
      throw new Error(`expected an open watch for ${fault.name}, found ${names || "none"}`);
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

  /** Applies a fault to every open watch. */
  playAll(fault: WatchFault): void {
    for (const watch of this.#watches) watch.play(fault);
  }

  /** Finds the fault for a request, and applies it. */
  meet(record: OpenRecord, moment: Moment): Fault | undefined {
    for (const rule of Object.values(this.#rules)) {
      // A hit may remove the fault from its rule.
      const options = rule.find((one) => one.fits(record, moment));
      if (!options) continue;
      options.hit(record);
      return options.fault;
    }
    return undefined;
  }

  /** Whether there are no faults. */
  get idle(): boolean {
    return Object.values(this.#rules).every((rule) => rule.length === 0);
  }

  /** Adds an open watch; the returned function removes it. */
  watchOpened(watch: OpenWatch): () => void {
    this.#watches.add(watch);
    return () => void this.#watches.delete(watch);
  }

  #add(options: ConstructorParameters<typeof FaultRule>[0]): FaultHandle {
    const { fault } = options;
    const match = checkedMatch(options.match);
    const verbs = verbsOf(fault);
    if (match.verb !== undefined && verbs && !verbs.some((verb) => fitsVerb(match.verb!, verb))) {
      throw new RangeError(`expected ${fault.name} for ${verbs.join(", ")}, got ${String(match.verb)}`);
    }
    const rule = this.#rules[options.rule];
    const handle = new FaultRule(options, (gone) => {
      const at = rule.indexOf(gone);
      if (at >= 0) rule.splice(at, 1);
    });
    if (options.rule === "next") rule.push(handle);
    else rule.unshift(handle);
    return handle;
  }
}
