/**
 * Judges documents as one: each sees what those before it would have made, and nothing is stored, or all is.
 *
 * The documents are really applied, in a fork of the cluster over a store whose writes stay in memory ({@link OverlayStore}): through
 * authorization, ownership, every step of admission and the rules of their kinds, and definitions among them are served there. So
 * what a plan reports is what happens. To store the result, the writes of the fork are made as one transaction of the store; where
 * another writer has changed one of its objects meanwhile, all is judged again.
 *
 *     fork -> order -> apply each -> delete what is pruned -> findings -> report
 *               ^                                         \-> transaction -> report
 *               +--- another writer was faster ---------------+
 *
 * It runs no controller: what follows from an object later, such as the Pods of a Deployment, is not part of a plan.
 *
 * @module
 */
import {
  PLAN_VERSION,
  type PlanFinding,
  type PlanReport,
  type PlanRequest,
  type PlannedDocument,
} from "../meta/plan-report.ts";
import { type ObjectRef, type Status, conflict, hasReason, internalError, tooLarge } from "../meta/status.ts";
import { failureOf, storeError } from "../registry/index.ts";
import { asValue } from "../schema/api-object.ts";
import { StoreError, type Write } from "../storage/contract.ts";
import type { Slice } from "../util/loop.ts";
import { Semaphore } from "../util/semaphore.ts";
import { type SetParent, memberOf, parentDocument, parentOf } from "./apply-set.ts";
import type { PlanCaller, PlanFork, PlanParts, WriteRecord } from "./contract.ts";
import { findingsIn } from "./findings.ts";
import { DocumentJudge, type Judged, entryOf } from "./judge.ts";
import { orderOf } from "./order.ts";
import { type Pruned, contentAfter, contentBefore, prunedBySelector, prunedOfSet } from "./prune.ts";
import { servedEverywhere } from "./served.ts";
import { type ResourceTarget, infoOf, listInfo, storeKeyOf } from "./target.ts";

/** How many plans a server makes at a time; others wait. */
const MAX_RUNNING = 4;

/** How often another writer may be faster before the request fails. */
const MAX_TRIES = 12;

/** See the head of this file. */
export class Planner {
  readonly #parts: PlanParts;
  readonly #running = new Semaphore(MAX_RUNNING);
  readonly #holders = new Set<Holder>();

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  /** Plans or applies documents. Rejects with an `ApiError` where the request as a whole fails, and when the client is gone. */
  run(request: PlanRequest, caller: PlanCaller): Promise<PlanReport> {
    return this.#running.run(() => this.#run(request, caller), caller.signal);
  }

  /** Tries again where another writer was faster; then other writers of this server wait. */
  async #run(request: PlanRequest, caller: PlanCaller): Promise<PlanReport> {
    let keys: ReadonlySet<string> = new Set();
    for (let tries = 1; ; tries++) {
      const attempt = { request, caller, isLast: tries === MAX_TRIES };
      const result = await (keys.size === 0 ? this.#try(attempt) : this.#tryAlone(attempt, keys));
      if ("report" in result) return result.report;
      keys = new Set([...keys, ...result.keys]);
    }
  }

  /** Judges and stores while other writers of some keys wait. */
  async #tryAlone(attempt: Try, keys: ReadonlySet<string>): Promise<TryResult> {
    return this.#parts.hold([...keys], async ({ signal }) => {
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
  async #try({ request, caller, isLast, signal, holder }: Try): Promise<TryResult> {
    await using fork = await this.#parts.fork();
    const attempt = new Attempt(this.#parts, fork, request, caller);
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
      const status = error instanceof StoreError ? refusalOf(error) : undefined;
      if (status && (isLast || status.code !== CONFLICT)) return { report: await attempt.report("refused", status) };
      const failure = error instanceof StoreError ? storeError({ ref: PLAN }, "", error) : error;
      attempt.over(status ?? failureOf(failure).status);
      if (status) return { keys };
      throw failure;
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
interface Try {
  readonly request: PlanRequest;
  readonly caller: PlanCaller;
  readonly isLast: boolean;
  /** Aborted when other writers do not wait any more. */
  readonly signal?: AbortSignal;
  /** Itself, where other writers wait. */
  readonly holder?: Holder;
}

/** The result of an attempt. */
type TryResult = { readonly report: PlanReport } | { readonly keys: readonly string[] };

/** What errors of the store call the documents. */
const PLAN: ObjectRef = { group: "keelson.dev", plural: "plans", kind: "Plan" };

/** The code of what is judged again. */
const CONFLICT = 409;

const isOvertaken = ({ code }: StoreError): boolean => code === "conflict" || code === "exists" || code === "notFound";

/** Why the store does not take the documents together; undefined where it has failed. */
function refusalOf(error: StoreError): Status | undefined {
  if (isOvertaken(error)) {
    const why = `other writers have changed ${error.key ?? "one of its objects"} ${MAX_TRIES} times meanwhile; try again`;
    return conflict(PLAN, "", why).status;
  }
  if (error.code !== "tooLarge") return undefined;
  return tooLarge(`the documents do not fit into one transaction of the store: ${error.message}`, "transaction").status;
}

/** The revisions of what was stored, by key. */
type Revisions = ReadonlyMap<string, number>;

/** What a plan has found. */
interface Outcome {
  readonly judged: readonly Judged[];
  /** Of the first document that is refused. */
  readonly refusal: Status | undefined;
}

/** The documents of one request in one fork. */
class Attempt {
  readonly #parts: PlanParts;
  readonly #fork: PlanFork;
  readonly #request: PlanRequest;
  readonly #caller: PlanCaller;
  readonly #slice: Slice;
  readonly #judge: DocumentJudge;
  readonly #documents: Judged[] = [];
  readonly #pruned: Judged[] = [];
  /** Of all documents, in the order of {@link Attempt.#all}. */
  readonly #records: (WriteRecord | undefined)[] = [];
  #findings: readonly PlanFinding[] = [];

  constructor(parts: PlanParts, fork: PlanFork, request: PlanRequest, caller: PlanCaller) {
    this.#parts = parts;
    this.#fork = fork;
    this.#request = request;
    this.#caller = caller;
    this.#slice = parts.clock.loop.slice();
    this.#judge = new DocumentJudge({ parts, fork, request, caller, slice: this.#slice });
  }

  /**
   * Records the write of each document for audit, before anything is stored. Rejects with 500 where a record cannot be kept: nothing
   * is done of which there must be a record and is none.
   */
  async record(): Promise<void> {
    const { record } = this.#caller;
    if (!record || this.#records.length > 0) return;
    for (const { at, document } of this.#all) {
      const kept = at && record(infoOf(at, document === undefined ? "DELETE" : "PATCH"));
      this.#records.push(kept);
      if (!kept) continue;
      if (document !== undefined) kept.read("patch", document);
      if (!(await kept.received())) throw internalError(new Error("the audit event of a document could not be kept"));
    }
  }

  /** The writes are over, with a Status where nothing is stored; their records end. */
  over(status: Status | undefined): void {
    const records = this.#records.splice(0);
    this.#all.forEach(({ planned }, i) => {
      const code = planned.status?.code ?? status?.code ?? (planned.result === "created" ? 201 : 200);
      records[i]?.done(code, planned.status ?? status);
    });
  }

  /** Applies the documents in the fork and deletes what they leave out. */
  async judge(): Promise<Outcome> {
    const { prune } = this.#request;
    const parent = prune && "set" in prune ? parentOf(prune, this.#namespace) : undefined;
    await this.#applyAll(parent);
    if (prune && !this.#refusal) {
      if (parent) await this.#pruneSet(parent);
      else if ("selector" in prune) await this.#remove(await prunedBySelector(this.#pruneParts, prune.selector));
    }
    if (!this.#refusal) this.#findings = await this.#find();
    return { judged: this.#all, refusal: this.#refusal };
  }

  /** The report of documents that are not stored. */
  async report(
    outcome: "planned" | "refused",
    status = outcome === "refused" ? this.#refusal : undefined,
  ): Promise<PlanReport> {
    return this.#reportOf(outcome, this.#fork.revision, (one) => this.#reported(one, undefined), status);
  }

  /** The report of documents that were stored by these writes. */
  async committed(writes: readonly Write[], revisions: readonly number[]): Promise<PlanReport> {
    const stored = new Map(writes.map(({ key }, i) => [key, revisions[i]!]));
    const last = revisions.at(-1) ?? this.#fork.revision;
    return this.#reportOf("committed", last, (one) => this.#reported(one, stored));
  }

  get #namespace(): string {
    return this.#request.namespace ?? "default";
  }

  get #all(): readonly Judged[] {
    return [...this.#documents, ...this.#pruned];
  }

  get #refusal(): Status | undefined {
    return this.#all.find(({ planned }) => planned.result === "refused")?.planned.status;
  }

  get #pruneParts() {
    const { fieldManager: manager } = this.#request;
    return { parts: this.#parts, fork: this.#fork, caller: this.#caller, manager, judged: this.#documents };
  }

  async #applyAll(parent: SetParent | undefined): Promise<void> {
    const { documents } = this.#request;
    const members = parent ? documents.map((document) => memberOf(document, parent)) : documents;
    for (const one of orderOf(members, this.#namespace)) {
      this.#documents.push(await this.#judge.apply(members[one.position]!, one));
      if (this.#slice.isOver) await this.#pause();
    }
  }

  /** The next slice of the event loop, where this one is over; rejects where the client is gone. */
  async #pause(): Promise<void> {
    this.#caller.signal.throwIfAborted();
    const pause = this.#slice.pause();
    if (pause) await pause;
  }

  async #pruneSet(parent: SetParent): Promise<void> {
    const before = await contentBefore(this.#fork, parent);
    const after = contentAfter(this.#documents);
    await this.#remove(await prunedOfSet(this.#pruneParts, parent, before));
    const at = { position: undefined, moved: undefined };
    this.#documents.push(await this.#judge.apply(parentDocument(parent, after), at));
  }

  /** Deletes objects, the last first. */
  async #remove(pruned: readonly Pruned[]): Promise<void> {
    for (const { at, entry } of pruned.toReversed()) {
      this.#pruned.push(await this.#judge.remove(at, entry));
      await this.#pause();
    }
  }

  #find(): Promise<readonly PlanFinding[]> {
    const changed = this.#all.filter(({ planned }) => planned.result !== "unchanged");
    const namespaces = new Set(changed.flatMap(({ at }) => at?.target.namespace || []));
    const { lookup: after, before } = this.#fork;
    const { dialect, clock } = this.#parts;
    const mayList = (resource: string, namespace: string) => this.#mayList(resource, namespace);
    return findingsIn({ before, after, dialect, now: clock.now(), mayList }, [...namespaces]);
  }

  async #mayList(resource: string, namespace: string): Promise<boolean> {
    const definition = this.#fork.kinds.stored(resource)?.definition;
    if (!definition) return false;
    try {
      await this.#parts.permit(this.#fork.authorizer(), this.#caller.identity, listInfo(definition, namespace));
      return true;
    } catch (error) {
      if (hasReason(error, "Forbidden")) return false;
      throw error;
    }
  }

  async #reportOf(
    outcome: PlanReport["outcome"],
    revision: number,
    reported: (one: Judged) => PlannedDocument | Promise<PlannedDocument>,
    status?: Status,
  ): Promise<PlanReport> {
    this.over(status);
    return {
      kind: "Plan",
      apiVersion: PLAN_VERSION,
      outcome,
      resourceVersion: String(revision),
      documents: await this.#each(this.#documents, reported),
      pruned: await this.#each(this.#pruned, reported),
      findings: this.#findings,
      ...(status ? { status } : {}),
    };
  }

  async #each(
    judged: readonly Judged[],
    reported: (one: Judged) => PlannedDocument | Promise<PlannedDocument>,
  ): Promise<readonly PlannedDocument[]> {
    const documents: PlannedDocument[] = [];
    for (const one of judged) {
      const document = reported(one);
      documents.push(document instanceof Promise ? await document : document);
      if (this.#slice.isOver) await this.#pause();
    }
    return documents;
  }

  /** The result of a document, with what is known of its object at the end. */
  #reported(one: Judged, stored: Revisions | undefined): PlannedDocument | Promise<PlannedDocument> {
    const { planned, at } = one;
    if (!at || planned.result === "refused" || planned.result === "deleted") return planned;
    const revision = stored?.get(this.#keyOf(at));
    const object = revision === undefined ? planned.object : { ...planned.object!, resourceVersion: String(revision) };
    const reported = { ...planned, ...(object ? { object } : {}) };
    return this.#request.objects ? this.#withValue(reported, at, stored) : reported;
  }

  /** A document with its object at the end; an object that is not stored has no version. */
  async #withValue(
    planned: PlannedDocument,
    at: ResourceTarget,
    stored: Revisions | undefined,
  ): Promise<PlannedDocument> {
    const entry = await entryOf(this.#fork.kinds, at);
    if (!entry) return planned;
    const { metadata, ...rest } = at.resource.object(entry);
    const { resourceVersion: seen, ...others } = metadata;
    const isKept = entry.revision <= this.#fork.revision;
    const resourceVersion = isKept ? seen : stored && planned.object?.resourceVersion;
    const value = { ...rest, metadata: { ...others, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
    return { ...planned, value: asValue(value) };
  }

  #keyOf(at: ResourceTarget): string {
    return storeKeyOf(this.#fork.kinds, at);
  }
}
