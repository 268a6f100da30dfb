/**
 * One attempt to judge the documents of a request, in one fork: applies them in their order, deletes objects that they omit, checks their
 * combined effects, and makes the report.
 *
 * @module
 */
import {
  PLAN_VERSION,
  type PlanFinding,
  type PlanReport,
  type PlanRequest,
  type PlannedDocument,
  type PlannedRestart,
} from "../meta/plan-report.ts";
import { type Status, hasReason } from "../meta/status.ts";
import { asValue } from "../schema/api-object.ts";
import type { Write } from "../storage/contract.ts";
import type { Slice } from "../util/loop.ts";
import { type SetParent, asMember, parentDocument, parentOf } from "./apply-set.ts";
import type { PlanCaller, PlanFork, PlanParts } from "./contract.ts";
import { type Compared, findingsIn } from "./findings.ts";
import { DocumentJudge, type Judged, entryOf } from "./judge.ts";
import { orderOf } from "./order.ts";
import { mayRestart, restartsOf } from "./restarts.ts";
import { type Pruned, contentAfter, contentBefore, prunedBySelector, prunedOfSet } from "./prune.ts";
import type { WriteRecords } from "./records.ts";
import { type ResourceTarget, listInfo, storeKeyOf } from "./target.ts";

/** The revisions of the stored objects, by key. */
type Revisions = ReadonlyMap<string, number>;

/** The findings of a plan. */
interface Outcome {
  readonly judged: readonly Judged[];
  /** Of the first document that is refused. */
  readonly refusal: Status | undefined;
}

/** The documents and the user of a plan; the same for all attempts. */
export interface PlanWork {
  readonly request: PlanRequest;
  readonly caller: PlanCaller;
  readonly records: WriteRecords;
}

/** The documents of one request in one fork. */
export class Attempt {
  readonly #parts: PlanParts;
  readonly #fork: PlanFork;
  readonly #request: PlanRequest;
  readonly #caller: PlanCaller;
  readonly #slice: Slice;
  readonly #set: SetParent | undefined;
  readonly #judge: DocumentJudge;
  readonly #documents: Judged[] = [];
  readonly #pruned: Judged[] = [];
  readonly #records: WriteRecords;
  #findings: readonly PlanFinding[] = [];
  #restarts: readonly PlannedRestart[] = [];

  constructor(parts: PlanParts, fork: PlanFork, { request, caller, records }: PlanWork) {
    this.#parts = parts;
    this.#fork = fork;
    this.#records = records;
    this.#request = request;
    this.#caller = caller;
    this.#slice = parts.clock.loop.slice();
    const { prune } = request;
    this.#set = prune && "set" in prune ? parentOf(prune, this.#namespace) : undefined;
    this.#judge = new DocumentJudge({ parts, fork, request, caller, slice: this.#slice, set: this.#set });
  }

  /** Begins the records of the writes, before anything is stored. Rejects with 500 where one cannot be kept. */
  record(): Promise<void> {
    return this.#records.begin(this.#all);
  }

  /** The writes are over, with a Status where nothing is stored. */
  over(status: Status | undefined): void {
    this.#records.end(this.#all, status);
  }

  /** Applies the documents in the fork and deletes objects that they omit. */
  async judge(): Promise<Outcome> {
    const { prune } = this.#request;
    const parent = this.#set;
    await this.#applyAll(parent);
    if (prune && !this.#refusal) {
      if (parent) await this.#pruneSet(parent);
      else if ("selector" in prune) await this.#remove(await prunedBySelector(this.#pruneParts, prune.selector));
    }
    // Before objects are stored, no work may depend on the number of other objects.
    if (!this.#refusal && !this.#request.commit) {
      this.#findings = await this.#find();
      this.#restarts = await this.#findRestarts();
    }
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
    const pause = (): Promise<void> => this.#pause();
    return { parts: this.#parts, fork: this.#fork, caller: this.#caller, manager, judged: this.#documents, pause };
  }

  async #applyAll(parent: SetParent | undefined): Promise<void> {
    const { documents } = this.#request;
    const members = parent ? documents.map((document) => asMember(document, parent)) : documents;
    for (const one of orderOf(members, this.#namespace)) {
      this.#documents.push(await this.#judge.apply(members[one.position]!, one));
      if (this.#slice.isOver) await this.#pause();
    }
  }

  /** The next slice of the event loop, where this one is over; rejects where the client has left. */
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
    return findingsIn(this.#compared, [...namespaces]);
  }

  #findRestarts(): Promise<readonly PlannedRestart[]> {
    const changed = this.#documents.flatMap(({ planned, at }) => {
      if (planned.result !== "changed" || !at) return [];
      const { group, plural } = at.resource.definition;
      const resource = group === "" ? plural : `${plural}.${group}`;
      const { namespace, name } = at.target;
      return mayRestart(resource) ? [{ resource, namespace, name }] : [];
    });
    return restartsOf(this.#compared, changed);
  }

  get #compared(): Compared {
    const { lookup: after, before } = this.#fork;
    const { dialect, clock } = this.#parts;
    const mayList = (resource: string, namespace: string) => this.#mayList(resource, namespace);
    const pause = (): Promise<void> => this.#pause();
    return { before, after, dialect, now: clock.now(), pause, mayList };
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
      restarts: this.#restarts,
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

  /** The result of a document, with the state of its object at the end. */
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

  /** The name of the object of a key, where it is one of the documents. */
  nameOf(key: string | undefined): string | undefined {
    const { object } = this.#all.find(({ at }) => at && this.#keyOf(at) === key)?.planned ?? {};
    return object && [object.kind, [object.namespace, object.name].filter(Boolean).join("/")].join(" ");
  }

  #keyOf(at: ResourceTarget): string {
    return storeKeyOf(this.#fork.kinds, at);
  }
}
