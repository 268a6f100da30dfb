/**
 * Judges documents as one: each sees the effects of those before it, and all are stored, or none. The documents are really applied, in a
 * fork of the cluster over a store whose writes stay in memory ({@link OverlayStore}): through authorization, ownership, every step of
 * admission and the rules of their kinds, and definitions among them are served there. So a plan reports what really happens. To store the
 * result, the writes of the fork are made as one transaction of the store; where another writer has changed one of its objects meanwhile,
 * all documents are judged again.
 *
 *     fork -> order -> apply each -> delete what is pruned -> findings -> report
 *               ^                                         \-> transaction -> report
 *               +--- another writer was faster ---------------+
 *
 * It runs no controller: later consequences of an object, such as the Pods of a Deployment, are not part of a plan.
 *
 * @module
 */
import type { PlanReport, PlanRequest } from "../meta/plan-report.ts";
import { type ObjectRef, type Status, conflict, tooLarge } from "../meta/status.ts";
import { failureOf, storeError } from "../registry/index.ts";
import { StoreError } from "../storage/contract.ts";
import { Semaphore } from "../util/semaphore.ts";
import { Attempt, type PlanWork } from "./attempt.ts";
import type { PlanCaller, PlanParts } from "./contract.ts";
import { WriteRecords } from "./records.ts";
import { servedEverywhere } from "./served.ts";

/** The maximum number of concurrent plans of a server; others wait. */
const MAX_RUNNING = 4;

/** How often another writer may be faster before the request fails. */
const MAX_TRIES = 12;

/** Plans and applies documents. */
export class Planner {
  readonly #parts: PlanParts;
  readonly #running = new Semaphore(MAX_RUNNING);
  readonly #holders = new Set<Holder>();

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  /** Plans or applies documents. Rejects with an `ApiError` where the request as a whole fails, and when the client has left. */
  run(request: PlanRequest, caller: PlanCaller): Promise<PlanReport> {
    return this.#running.run(() => this.#run(request, caller), caller.signal);
  }

  async #run(request: PlanRequest, caller: PlanCaller): Promise<PlanReport> {
    const records = new WriteRecords(caller);
    try {
      return await this.#runUntilStored({ request, caller, records });
    } catch (error) {
      records.end([], failureOf(error).status);
      throw error;
    }
  }

  /** Tries again where another writer was faster; then other writers of this server wait. */
  async #runUntilStored(work: PlanWork): Promise<PlanReport> {
    let keys: ReadonlySet<string> = new Set();
    for (let tries = 1; ; tries++) {
      const attempt = { ...work, isLast: tries === MAX_TRIES };
      const result = await (keys.size === 0 ? this.#try(attempt) : this.#tryAlone(attempt, keys));
      if ("report" in result) return result.report;
      keys = new Set([...keys, ...result.keys]);
    }
  }

  /** Judges and stores while other writers of some keys wait. */
  async #tryAlone(attempt: Try, keys: ReadonlySet<string>): Promise<TryResult> {
    return this.#parts.hold([...keys], async ({ signal }) => {
      // It may have lost one lock while it waited for another.
      signal.throwIfAborted();
      const done = Promise.withResolvers<void>();
      const holder = { keys, done: done.promise };
      this.#holders.add(holder);
      try {
        return await this.#try({ ...attempt, signal, holder });
      } finally {
        this.#holders.delete(holder);
        done.resolve();
      }
    });
  }

  /** Judges once, and stores; the keys of its writes where another writer was faster. */
  async #try({ isLast, signal, holder, ...work }: Try): Promise<TryResult> {
    const { request, caller } = work;
    await using fork = await this.#parts.fork();
    const attempt = new Attempt(this.#parts, fork, work);
    const { refusal, judged } = await attempt.judge();
    if (!request.commit || refusal) {
      await attempt.record();
      return { report: await attempt.report(request.commit ? "refused" : "planned") };
    }
    const writes = fork.store.writes();
    const keys = writes.map(({ key }) => key);
    if (!holder && !isLast && (await this.#waitForHolders(keys))) return { keys };
    await attempt.record();
    try {
      caller.signal.throwIfAborted();
      signal?.throwIfAborted();
      const revisions = await this.#parts.store.transact(writes);
      attempt.over(undefined);
      await servedEverywhere(this.#parts, fork.kinds, judged);
      return { report: await attempt.committed(writes, revisions) };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (isOvertaken(error) && !isLast) return { keys };
      const status = refusalOf(error, attempt.nameOf(error.key));
      if (!status) throw storeError({ ref: PLAN }, "", error);
      return { report: await attempt.report("refused", status) };
    }
  }

  /** Waits for attempts that hold some of the keys; resolves to whether there were any. */
  async #waitForHolders(keys: readonly string[]): Promise<boolean> {
    const holders = [...this.#holders].filter((one) => keys.some((key) => one.keys.has(key)));
    await Promise.all(holders.map(({ done }) => done));
    return holders.length > 0;
  }
}

/** An attempt for which other writers of some keys wait. */
interface Holder {
  readonly keys: ReadonlySet<string>;
  /** Resolves when it has ended. */
  readonly done: Promise<void>;
}

/** One attempt. */
interface Try extends PlanWork {
  readonly isLast: boolean;
  /** Aborted when other writers do not wait any more. */
  readonly signal?: AbortSignal;
  /** Itself, where other writers wait. */
  readonly holder?: Holder;
}

/** The result of an attempt. */
type TryResult = { readonly report: PlanReport } | { readonly keys: readonly string[] };

/** The names of the documents in errors of the store. */
const PLAN: ObjectRef = { group: "keelson.dev", plural: "plans", kind: "Plan" };

const isOvertaken = ({ code }: StoreError): boolean => code === "conflict" || code === "exists" || code === "notFound";

/**
 * Why the store cannot store the documents together; undefined where it has failed.
 *
 * @param name what the store names
 */
function refusalOf(error: StoreError, name = "an object that they change"): Status | undefined {
  if (isOvertaken(error)) {
    const why = `the documents were judged ${MAX_TRIES} times, and others were faster each time, last with ${name}; try again`;
    return conflict(PLAN, "", why).status;
  }
  if (error.code !== "tooLarge") return undefined;
  return tooLarge(`the documents do not fit into one transaction of the store: ${error.message}`, "transaction").status;
}
