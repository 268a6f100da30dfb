/**
 * The steps of every write: lock, judge, store, respond.
 * A verb judges: it reads what is stored and returns a {@link Plan}, the writes and the result once they are stored. Judging changes
 * nothing but {@link Reservation}s, such as an address or a share of a quota. Reservations are kept when the writes are stored, and
 * released when they are not.
 *
 *     lock -> judge -> confirm reservations -> store, all or none -> keep reservations -> result
 *               ^                                |
 *               +--- another server was faster --+
 *
 * @module
 */
import { closed } from "../../cache/index.ts";
import type { WriteContext } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import { StoreError } from "../../storage/contract.ts";
import { type Hold, whileHeld } from "../../util/keyed-lock.ts";
import { type SpanAttributes, inSpan } from "../../util/span.ts";
import { inOrder } from "../../util/when-done.ts";
import type { Caller, Target } from "../contract.ts";
import { lockError, storeError } from "../kind/errors.ts";
import { type Kind, servedNow } from "../kind/kind.ts";
import { withLocks } from "./object-locks.ts";
import { PlannedLookup, type PlannedWrite } from "./planned.ts";
import { waitForRevision, waitUntilFresh } from "../kind/freshness.ts";

/** The decision of a verb. */
export interface Plan<Result> {
  /** They are stored all or none. The list is empty where nothing changes, as in a dry run. */
  readonly writes: readonly PlannedWrite[];
  /** Why the store would refuse them; then they are not sent to the store. */
  readonly refusal?: StoreError;
  /** Returns the result once they are stored, given the revision of the first; 0 where there are none. */
  result(revision: number): Result;
  /** Returns the writes that follow them, given the revision of the first, before the result is returned. */
  readonly followUp?: ((revision: number) => Plan<Result>) | undefined;
}

/** A resource that a write holds alone until it is known whether it is stored. */
export interface Reservation {
  /** Runs right before the writes; nothing is written when it rejects. */
  confirm?(): Promise<void> | undefined;
  /** The writes are stored: releases what they no longer need. */
  keep?(): Promise<void> | undefined;
  /** The writes are not stored: releases everything. */
  release?(): Promise<void> | undefined;
  /** The attempt has ended in any way, also where it is unknown whether the writes are stored. */
  end?(): void;
}

/** The context in which a verb judges. */
export interface Judging {
  /** The lock of the object: other writers wait until it is released. */
  readonly hold: Hold;
  /** Reads stored objects; writes that were judged before in the same transaction appear as stored. */
  readonly lookup: Lookup;
  /** The same object for all writes that are judged together; undefined for a write that is judged alone. */
  readonly transaction?: object | undefined;
  /** Adds a reservation that the write holds from now on. */
  reserve(reservation: Reservation): void;
}

/** Continues with the result of some work, at once where it is complete; work that waits ends when the lock is lost. */
export const whenHeld = <T, R>(
  { hold }: Pick<Judging, "hold">,
  work: T | Promise<T>,
  next: (result: T) => R | Promise<R>,
): R | Promise<R> => (work instanceof Promise ? whileHeld(hold, work).then(next) : next(work));

/** A write as a verb submits it. */
export interface Proposal<Result> {
  readonly kind: Kind;
  readonly target: Target;
  readonly caller: Caller;
  readonly ctx: WriteContext;
  /** The key in the store whose writers wait for each other; undefined for a new object. */
  readonly lock: string | undefined;
  /** Decides by the stored state. Throws an `ApiError` to refuse. */
  judge(attempt: Judging): Plan<Result> | Promise<Plan<Result>>;
  /** Whether to judge again after this refusal of the store: another server was faster. */
  judgesAgain?(refused: StoreError): boolean;
}

type Proposals<Result> = readonly [Proposal<Result>, ...Proposal<Result>[]];

/** The number of attempts that other servers may win before the request fails. */
const MAX_TRIES = 12;

/** Carries out a write. Rejects with an `ApiError`. */
export async function commit<Result>(proposal: Proposal<Result>): Promise<Result> {
  const { kind, lock } = proposal;
  const { locks } = kind.shared;
  const work = (hold: Hold): Promise<readonly Result[]> => carryOut([proposal], hold);
  try {
    const [result] = await (lock === undefined ? locks.alone(work) : locks.run(lock, work));
    return result!;
  } catch (error) {
    throw lockError(error);
  }
}

/**
 * Carries out several writes as one: each is judged as if those before it were stored already, and they are stored all or none. Returns the
 * results in their order. Rejects with the `ApiError` of the first that is refused.
 *
 * @param proposals one at least, each of another object
 */
export function commitTogether<Result>(proposals: Proposals<Result>): Promise<readonly Result[]> {
  const keys = proposals.map(({ lock }) => lock).filter((lock) => lock !== undefined);
  return withLocks(proposals[0].kind.shared.locks, keys, (hold) => carryOut(proposals, hold));
}

/** Judges and stores again until no other server is faster. */
async function carryOut<Result>(proposals: Proposals<Result>, hold: Hold): Promise<readonly Result[]> {
  const warnings = proposals.map(({ ctx }) => ctx.warnings.length);
  for (let tries = 1; ; tries++) {
    const attempt = new Attempt(proposals, hold);
    try {
      return await attempt.run();
    } catch (error) {
      const { proposal, name } = attempt.refused(error);
      if (tries === MAX_TRIES || !isOvertaken(error, proposal)) throw storeError(proposal.kind, name, error);
      proposals.forEach(({ ctx }, i) => (ctx.warnings.length = warnings[i] ?? 0));
      const { revision } = error;
      await (revision === undefined ? waitUntilFresh(proposal.kind) : waitForRevision(proposal.kind, revision));
    } finally {
      attempt.end();
    }
  }
}

const isOvertaken = <Result>(error: unknown, proposal: Proposal<Result>): error is StoreError =>
  error instanceof StoreError && (proposal.judgesAgain?.(error) ?? false);

/** The name of the object of a key in the store. */
const nameIn = ({ stored, namespaced }: Kind, key: string): string =>
  key.slice(namespaced ? key.indexOf("/", stored.prefix.length) + 1 : stored.prefix.length);

class Attempt<Result> implements Judging {
  readonly hold: Hold;
  readonly #proposals: Proposals<Result>;
  readonly #plans: Plan<Result>[] = [];
  /** Shows the writes of the plans so far to those that follow; undefined for a write alone, and before the first plan. */
  #planned: PlannedLookup | undefined = undefined;
  #reservations: Reservation[] = [];
  readonly #endings: Reservation[] = [];

  constructor(proposals: Proposals<Result>, hold: Hold) {
    this.#proposals = proposals;
    this.hold = hold;
  }

  get lookup(): Lookup {
    return this.#planned ?? this.#proposals[0].kind.shared.lookup;
  }

  get transaction(): object | undefined {
    return this.#proposals.length > 1 ? this : undefined;
  }

  reserve(reservation: Reservation): void {
    this.#reservations.push(reservation);
    if (reservation.end) this.#endings.push(reservation);
  }

  /** Judges, stores and returns the result; reservations are kept where the writes are stored, and released where they are not. */
  async run(): Promise<readonly Result[]> {
    let revisions: readonly number[] | undefined;
    try {
      for (const proposal of this.#proposals) {
        const judged = proposal.judge(this);
        this.#add(judged instanceof Promise ? await judged : judged);
      }
      const writes = this.#writes;
      const refusal = this.#plans.find((plan) => plan.refusal)?.refusal;
      if (writes.length > 0 || refusal) {
        const confirmed = inOrder(this.#reservations, (one) => one.confirm?.());
        if (confirmed) await confirmed;
        if (refusal) throw refusal;
        revisions = await store(writes, this.#proposals[0].caller);
        if (this.#plans.length > 1 || this.#plans[0]?.followUp) revisions = await this.#followUp(revisions);
      }
    } catch (error) {
      // The reservations of writes that may be stored are kept.
      if (!(error instanceof StoreError) || error.code !== "unknown") await this.#release();
      throw error;
    }
    const ended = revisions ? inOrder(this.#reservations, (one) => one.keep?.()) : this.#release();
    if (ended) await ended;
    return this.#plans.map((plan, i) => plan.result(revisions?.[i] ?? 0));
  }

  /** Notifies the reservations that the attempt has ended. */
  end(): void {
    for (const one of this.#endings) one.end?.();
  }

  /** The write that an error is about, and the name of its object. */
  refused(error: unknown): { readonly proposal: Proposal<Result>; readonly name: string } {
    const key = error instanceof StoreError ? error.key : undefined;
    const at = this.#plans.findIndex(({ writes }) => writes.some(({ write }) => write.key === key));
    // Otherwise the one that was judged last.
    const proposal = this.#proposals[at < 0 ? this.#plans.length : at] ?? this.#proposals.at(-1) ?? this.#proposals[0];
    const { kind, target } = proposal;
    return { proposal, name: key?.startsWith(kind.stored.prefix) ? nameIn(kind, key) : target.name };
  }

  #add(plan: Plan<Result>): void {
    this.#plans.push(plan);
    if (this.#proposals.length === 1) return;
    this.#planned ??= new PlannedLookup(this.#proposals[0].kind.shared.lookup);
    this.#planned.add(plan.writes);
  }

  get #writes(): readonly PlannedWrite[] {
    const [first] = this.#plans;
    return first && this.#plans.length === 1 ? first.writes : this.#plans.flatMap(({ writes }) => writes);
  }

  /** Stores the writes that follow; resolves to the first revision of each plan. */
  async #followUp(all: readonly number[]): Promise<readonly number[]> {
    const revisions: number[] = [];
    let next = 0;
    for (const [i, plan] of this.#plans.entries()) {
      let revision = all[next] ?? 0;
      next += plan.writes.length;
      for (let last = plan; last.followUp;) {
        last = this.#plans[i] = last.followUp(revision);
        [revision = 0] = await store(last.writes, this.#proposals[0].caller);
      }
      revisions.push(revision);
    }
    return revisions;
  }

  /** Releases everything, the last first. The repair of pools releases what cannot be released now. */
  #release(): Promise<void> | undefined {
    const reservations = this.#reservations.toReversed();
    this.#reservations = [];
    return inOrder(reservations, (one) => one.release?.()?.catch(() => undefined));
  }
}

/**
 * Stores writes, all or none; resolves to their revisions. Rejects with StoreError. The kind of a write that has waited may have changed:
 * the write is stored as long as its version is known.
 *
 * @throws CacheError `closed` where the kind is not known any more
 */
function store(writes: readonly PlannedWrite[], caller: Caller): Promise<readonly number[]> {
  for (const { kind } of writes) {
    const { stored } = kind;
    if (!servedNow(stored)?.versions.has(stored.storageVersion)) throw closed(stored.prefix);
  }
  const [first, second] = writes;
  if (!first) return Promise.resolve([]);
  const { shared, ref } = first.kind;
  const attributes = (): SpanAttributes => ({ key: first.write.key, resource: ref.plural, writes: writes.length });
  const done = inSpan(caller.span, "Write to store", attributes, () =>
    second
      ? shared.store.transact(writes.map((one) => one.write))
      : shared.store.write(first.write).then((revision) => [revision]),
  );
  caller.storing?.(done);
  return done;
}
