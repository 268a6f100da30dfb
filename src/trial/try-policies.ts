/**
 * Tries policies on all stored objects and on every write in the history.
 *
 * A stored object is evaluated as the create that would store it; by a policy that does not match creates, as an update without changes.
 * It works in slices of the event loop and keeps only counts and the first findings, however much is stored.
 *
 * @module
 */
import type { Authorizer, Identity } from "../auth/contract.ts";
import type { Entry } from "../cache/index.ts";
import { REPORT_GROUP, REPORT_VERSION } from "../meta/ownership-reports.ts";
import { NO_REQUEST } from "../meta/request-info.ts";
import { ApiError } from "../meta/status.ts";
import type { TrialFinding, TrialReport } from "../meta/trial-report.ts";
import { type Kind, reportedObject } from "../registry/index.ts";
import { EVERYTHING } from "../registry/lookup.ts";
import { managersOf } from "../registry/verbs/history.ts";
import { entryOf } from "../registry/versions/codec.ts";
import { makeReady, parseEntry } from "../registry/versions/view.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { StoreEvent } from "../storage/contract.ts";
import { BoundedCache } from "../util/bounded-cache.ts";
import { errorText } from "../util/cut-text.ts";
import type { Slice } from "../util/loop.ts";
import type { Triable, TrialParts } from "./contract.ts";
import type { TrialDocuments } from "./documents.ts";
import { InFlight } from "./in-flight.ts";
import { PolicyTrial } from "./policy-trial.ts";
import type { TriedWrite } from "./request.ts";
import { type JudgedWrite, Tally } from "./tally.ts";
import { WebhookTrial } from "./webhook-trial.ts";
import { changesOf, isCompacted } from "./writes.ts";

/** The options of a trial. */
export interface TryOptions {
  /** The user of the trial: objects that this user may not list are left out. */
  readonly identity: Identity;
  /** How many findings are reported in detail. */
  readonly limit: number;
  /** Ends the trial. */
  readonly signal?: AbortSignal;
}

/** The maximum number of writes of the history that are evaluated. */
const MAX_WRITES = 200_000;

/** Bytes of former versions that are kept for the next update of the same object. */
const MAX_FORMER_BYTES = 16 << 20;

/** Tries policies; see the head of this file. */
export async function tryPolicies(
  parts: TrialParts,
  documents: TrialDocuments,
  options: TryOptions,
): Promise<TrialReport> {
  const trial = new Trial(parts, documents, options);
  await trial.tryObjects();
  const history = await trial.tryHistory();
  return trial.report(history);
}

/** A member of the trial, with its counts. */
interface Member {
  readonly trial: Triable;
  readonly tally: Tally;
}

/** A policy that matches the objects of a kind, and the operation as which it evaluates them. */
interface Concerned extends Member {
  readonly operation: "CREATE" | "UPDATE";
}

/** The properties of one write. */
interface Known {
  readonly kind: Kind;
  readonly object: ApiObject;
  readonly of: JudgedWrite["of"];
  readonly managers: () => readonly string[];
}

class Trial {
  readonly #parts: TrialParts;
  readonly #options: TryOptions;
  readonly #members: readonly Member[];
  /** The members that match writes of a kind, by operation and subresource. */
  readonly #about = new Map<Kind, Map<string, readonly Member[]>>();
  readonly #findings: TrialFinding[] = [];
  readonly #skipped: { readonly resource: string; readonly why: string }[] = [];
  readonly #slice: Slice;
  /** Evaluations that wait: for webhooks, conversions, worker threads. */
  readonly #waiting = new InFlight();
  #further = 0;

  constructor(parts: TrialParts, { policies, webhooks, others }: TrialDocuments, options: TryOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#slice = parts.api.clock.loop.slice();
    const { identity } = options;
    const settings = { identity, others };
    const trials: readonly Triable[] = [
      ...policies.map((tried) => new PolicyTrial(parts, tried, settings)),
      ...webhooks.map((document) => new WebhookTrial(parts, document, settings)),
    ];
    this.#members = trials.map((trial) => ({ trial, tally: new Tally(trial.subject) }));
  }

  /** Evaluates all stored objects that the caller may list. */
  async tryObjects(): Promise<void> {
    for (const stored of this.#parts.kinds.allStored()) {
      for (const [kind, concerned] of this.#concernedOf(stored)) await this.#tryKind(kind, concerned);
    }
    await this.#waiting.end();
  }

  /** Evaluates the writes of the history; resolves to what was read. */
  async tryHistory(): Promise<TrialReport["history"]> {
    const { store, kinds } = this.#parts;
    const { compactedRevision: since } = await store.stats();
    const until = store.revision;
    const listed = new Set<Kind>();
    for (const kind of kinds.allStored()) if (await this.#mayList(kind)) listed.add(kind);
    const history = new HistoryTrial(this.#parts, since, listed, (write, known) => this.#judgeWrite(write, known));
    const stopped = await this.#tryChanges(history, { since, until });
    await this.#waiting.end();
    return {
      since: String(since),
      until: String(until),
      withoutBefore: history.withoutBefore,
      ...(stopped === undefined ? {} : { stopped }),
    };
  }

  /** Evaluates changes; resolves to the reason where not all of them were evaluated. */
  async #tryChanges(
    history: HistoryTrial,
    range: { readonly since: number; readonly until: number },
  ): Promise<string | undefined> {
    try {
      for await (const events of changesOf(this.#parts.store, range)) {
        for (const event of events) {
          if (history.judged >= MAX_WRITES) return `the first ${MAX_WRITES} writes were judged`;
          await history.judge(event);
          await this.#pause();
        }
      }
      return undefined;
    } catch (error) {
      if (!isCompacted(error)) throw error;
      return "the history was compacted meanwhile";
    }
  }

  report(history: TrialReport["history"]): TrialReport {
    return {
      kind: "PolicyTrial",
      apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`,
      policies: this.#members.map(({ tally }) => tally.report),
      findings: this.#findings,
      furtherFindings: this.#further,
      skipped: this.#skipped,
      history,
    };
  }

  /** The policies that match a resource, by the matched version; the storage version comes first. */
  #concernedOf(stored: Kind): ReadonlyMap<Kind, readonly Concerned[]> {
    const served = [...stored.stored.versions.values()].filter(({ definition }) => definition.served !== false);
    const versions = new Set([stored, ...served]);
    const found = new Map<Kind, Concerned[]>();
    for (const member of this.#members) {
      for (const kind of versions) {
        const operation = OPERATIONS.find((one) => member.trial.isAbout(kind, one));
        if (!operation) continue;
        const concerned = found.get(kind);
        if (concerned) concerned.push({ ...member, operation });
        else found.set(kind, [{ ...member, operation }]);
        break;
      }
    }
    return found;
  }

  async #tryKind(kind: Kind, concerned: readonly Concerned[]): Promise<void> {
    const resource = nameOf(kind);
    if (!(await this.#mayList(kind))) {
      const why = `user ${JSON.stringify(this.#options.identity.user)} may not list them`;
      this.#skipped.push({ resource, why });
      return;
    }
    try {
      let part = await kind.cache.snapshot().parts(EVERYTHING);
      for (;;) {
        await this.#tryEntries(kind, part.entries, concerned);
        if (!part.next) return;
        part = await part.next();
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#skipped.push({ resource, why: errorText(error) });
    }
  }

  async #tryEntries(kind: Kind, entries: readonly Entry[], concerned: readonly Concerned[]): Promise<void> {
    const views = makeReady(kind, entries);
    if (views) await views;
    for (const entry of entries) {
      if (entry.unreadable) continue;
      const object = parseEntry(kind, entry);
      const known: Known = { kind, object, of: "object", managers: () => allManagers(object) };
      for (const { operation, ...member } of concerned) {
        const old = operation === "UPDATE" ? object : undefined;
        const wait = this.#waiting.add(this.#judge(member, { kind, operation, object, old }, known));
        if (wait) await wait;
      }
      const pause = this.#slice.pause();
      if (pause) await this.#pausedFor(pause);
    }
  }

  async #judgeWrite(write: TriedWrite, known: Known): Promise<void> {
    for (const member of this.#membersFor(write)) {
      const wait = this.#waiting.add(this.#judge(member, write, known));
      if (wait) await wait;
    }
  }

  /** The members that match such writes; computed once for each sort of writes. */
  #membersFor({ kind, operation, subresource = "" }: TriedWrite): readonly Member[] {
    let found = this.#about.get(kind);
    if (!found) this.#about.set(kind, (found = new Map<string, readonly Member[]>()));
    const key = `${operation}/${subresource}`;
    let members = found.get(key);
    if (!members) {
      members = this.#members.filter(({ trial }) => trial.isAbout(kind, operation, subresource));
      found.set(key, members);
    }
    return members;
  }

  /** Evaluates one write with one policy, and counts its decisions. */
  #judge({ trial, tally }: Member, write: TriedWrite, known: Known): void | Promise<void> {
    const { clock } = this.#parts.api;
    const began = clock.steady();
    const judged = trial.judge(write);
    const count = (rules: Awaited<typeof judged>): void => {
      if (rules) tally.add(judgedOf(write, known), rules, clock.steady() - began, (finding) => this.#found(finding));
    };
    return judged instanceof Promise ? judged.then(count) : count(judged);
  }

  #found(finding: () => TrialFinding): void {
    if (this.#findings.length < this.#options.limit) this.#findings.push(finding());
    else this.#further++;
  }

  /** Whether the caller may list all objects of a resource. */
  async #mayList({ definition, namespaced }: Kind): Promise<boolean> {
    const { authorizer }: { authorizer: Pick<Authorizer, "authorize"> } = this.#parts;
    const { group, version, plural } = definition;
    const info = { ...NO_REQUEST, isResource: true, verb: "list", group, version, resource: plural, namespaced };
    const decision = await authorizer.authorize(this.#options.identity, info);
    return decision.allowed && decision.error === undefined;
  }

  #pause(): Promise<void> | undefined {
    const pause = this.#slice.pause();
    return pause && this.#pausedFor(pause);
  }

  async #pausedFor(pause: Promise<void>): Promise<void> {
    await pause;
    this.#options.signal?.throwIfAborted();
  }
}

const OPERATIONS = ["CREATE", "UPDATE"] as const;

const judgedOf = ({ operation }: TriedWrite, { kind, object, of, managers }: Known): JudgedWrite => ({
  of,
  operation,
  resource: nameOf(kind),
  managers,
  object: () => reportedObject(kind, object),
});

const nameOf = ({ ref: { group, plural } }: Kind): string => (group === "" ? plural : `${plural}.${group}`);

const allManagers = ({ metadata }: ApiObject): readonly string[] => [
  ...new Set((metadata.managedFields ?? []).map(({ manager = "" }) => manager)),
];

/** Evaluates the changes of the history one after the other. */
class HistoryTrial {
  readonly #parts: TrialParts;
  readonly #since: number;
  readonly #judge: (write: TriedWrite, known: Known) => Promise<void>;
  readonly #kinds: ReadonlyMap<string, Kind>;
  /** The last versions of objects, by key. */
  readonly #former = new BoundedCache<StoreEvent>({
    entries: 100_000,
    bytes: MAX_FORMER_BYTES,
    weigh: ({ value }) => value.length,
  });
  judged = 0;
  withoutBefore = 0;

  constructor(
    parts: TrialParts,
    since: number,
    kinds: ReadonlySet<Kind>,
    judge: (write: TriedWrite, known: Known) => Promise<void>,
  ) {
    this.#parts = parts;
    this.#since = since;
    this.#judge = judge;
    this.#kinds = new Map([...kinds].map((kind) => [kind.stored.prefix, kind]));
  }

  /** Evaluates a create or an update of a kind that the caller may list. */
  async judge(event: StoreEvent): Promise<void> {
    const kind = this.#kinds.get(prefixOf(event.key));
    if (!kind || event.type !== "put") return;
    const before = this.#former.get(event.key);
    this.#former.set(event.key, event);
    if (event.previousRevision === 0) return this.#judgeCreate(kind, event);
    const old = await this.#before(kind, event, before);
    if (!old) return void this.withoutBefore++;
    await this.#judgeUpdate(kind, event, old);
  }

  async #judgeCreate(kind: Kind, event: StoreEvent): Promise<void> {
    const object = await objectOf(kind, event);
    if (!object) return;
    this.judged++;
    const known: Known = { kind, object, of: "write", managers: () => namesOf(managersOf(object, undefined)) };
    await this.#judge({ kind, operation: "CREATE", object, old: undefined }, known);
  }

  async #judgeUpdate(kind: Kind, event: StoreEvent, old: ApiObject): Promise<void> {
    const object = await objectOf(kind, event);
    if (!object) return;
    this.judged++;
    const managers = managersOf(object, old);
    const [first = ""] = managers.map(({ subresource }) => subresource);
    const isOfSubresource = managers.every(({ subresource }) => subresource === first);
    const known: Known = { kind, object, of: "write", managers: () => namesOf(managers) };
    await this.#judge({ kind, operation: "UPDATE", object, old, subresource: isOfSubresource ? first : "" }, known);
  }

  /** The object before a change; undefined where that is not kept. */
  async #before(kind: Kind, event: StoreEvent, former: StoreEvent | undefined): Promise<ApiObject | undefined> {
    if (former?.revision === event.previousRevision) return objectOf(kind, former);
    // Nothing has changed the key between that version and the change.
    const revision = Math.max(event.previousRevision, this.#since);
    try {
      const { records } = await this.#parts.store.range(event.key, { limit: 1, revision });
      const found = records.find(({ key }) => key === event.key);
      return found && (await objectOf(kind, found));
    } catch (error) {
      if (isCompacted(error)) return undefined;
      throw error;
    }
  }
}

/** The prefix of a resource in a key: `/apps/deployments/`. */
const prefixOf = (key: string): string => key.slice(0, key.indexOf("/", key.indexOf("/", 1) + 1) + 1);

const namesOf = (managers: readonly { readonly manager: string }[]): readonly string[] => [
  ...new Set(managers.map(({ manager }) => manager)),
];

/** The object of a record; undefined for one that cannot be read. */
async function objectOf(
  kind: Kind,
  { key, value, revision }: Pick<StoreEvent, "key" | "value" | "revision">,
): Promise<ApiObject | undefined> {
  const entry = entryOf(key.slice(kind.stored.prefix.length), value, revision);
  if (entry.unreadable) return undefined;
  await makeReady(kind, [entry]);
  return parseEntry(kind, entry);
}
