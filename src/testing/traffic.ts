/**
 * The records of requests.
 *
 * Requests for objects are recorded in the order of their arrival, discovery and other documents are not. A record exists once its
 * request arrives, and is completed while it is handled.
 *
 * @module
 */
import type { Kind } from "../client/index.ts";
import type { StatusReason } from "../meta/status.ts";

/** The verb of a request. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";

/**
 * The sender of a request: the test itself (`client()`, `apply()`), a built-in controller, or any other client, which is the
 * subject of the test.
 */
export type Origin = "subject" | "test" | "builtin";

/** Matches requests by all of the given members. */
export interface RequestMatch {
  /** `writes` is everything but get, list and watch. */
  readonly verb?: Verb | readonly Verb[] | "writes";
  readonly kind?: Pick<Kind, "group" | "kind">;
  /** Any by default; empty for the object itself. */
  readonly subresource?: string;
  readonly name?: string | RegExp;
  readonly namespace?: string;
  readonly user?: string;
  readonly fieldManager?: string;
  /** `subject` by default. */
  readonly origin?: Origin | "any";
  /** The number of matching requests to skip. */
  readonly skip?: number;
  readonly where?: (request: RequestRecord) => boolean;
}

/** A recorded request. */
export interface RequestRecord {
  readonly verb: Verb;
  /** The kind; the name in the path for a resource that is not served. */
  readonly kind: string;
  readonly group: string;
  readonly namespace?: string;
  /** The name in the path; for a create, in the body. */
  readonly name?: string;
  readonly subresource?: string;
  /** The body of the request. */
  readonly body?: unknown;
  readonly dryRun: boolean;
  readonly user: string;
  readonly userAgent: string;
  readonly fieldManager?: string;
  readonly origin: Origin;
  /** The time of the cluster. */
  readonly at: string;
  /** Undefined before the response. */
  readonly code?: number;
  readonly reason?: StatusReason;
  /** Whether the request has changed an object. */
  readonly changed: boolean;
  /** The applied fault. */
  readonly fault?: string;
  /** The number of events of a watch. */
  readonly events?: number;
}

/** The record of a request that is being handled. */
export type OpenRecord = { -readonly [M in keyof RequestRecord]: RequestRecord[M] };

/** A recording, until it is disposed of. */
export interface Recording extends Disposable {
  readonly requests: readonly RequestRecord[];
}

const READS: readonly Verb[] = ["get", "list", "watch"];
/** The verbs of writes. */
export const WRITES: readonly Verb[] = ["create", "update", "patch", "apply", "delete", "deletecollection"];

/** The members of a match, which may come over HTTP. */
const MEMBERS: ReadonlySet<string> = new Set<keyof RequestMatch>([
  "verb",
  "kind",
  "subresource",
  "name",
  "namespace",
  "user",
  "fieldManager",
  "origin",
  "skip",
  "where",
]);
const ORIGINS: readonly RequestMatch["origin"][] = ["subject", "test", "builtin", "any"];

/** Returns the match. @throws RangeError for unknown members and values */
export function checkedMatch(match: RequestMatch): RequestMatch {
  const { verb = "writes", kind, origin = "subject" } = match;
  const unknown = Object.keys(match).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined)
    throw new RangeError(`expected a match to have ${[...MEMBERS].join(", ")}, got ${unknown}`);
  const verbs: readonly string[] = [...READS, ...WRITES, "writes"];
  const noVerb = [verb].flat().find((one) => !verbs.includes(one));
  if (noVerb !== undefined) throw new RangeError(`expected verb to be one of ${verbs.join(", ")}, got ${noVerb}`);
  if (kind !== undefined && (typeof kind.kind !== "string" || typeof kind.group !== "string")) {
    throw new RangeError(`expected kind to have a kind and a group, got ${JSON.stringify(kind)}`);
  }
  if (!ORIGINS.includes(origin))
    throw new RangeError(`expected origin to be one of ${ORIGINS.join(", ")}, got ${origin}`);
  return match;
}

/** Whether a request matches, without `skip`. */
export function matches(match: RequestMatch, request: RequestRecord): boolean {
  const { verb, kind, name, origin = "subject", where } = match;
  return (
    (origin === "any" || origin === request.origin) &&
    (verb === undefined || fitsVerb(verb, request.verb)) &&
    (kind === undefined || (kind.kind === request.kind && kind.group === request.group)) &&
    (name === undefined ||
      (name instanceof RegExp ? name[Symbol.search](request.name ?? "") >= 0 : name === request.name)) &&
    (match.subresource === undefined || match.subresource === (request.subresource ?? "")) &&
    (match.namespace === undefined || match.namespace === request.namespace) &&
    (match.user === undefined || match.user === request.user) &&
    (match.fieldManager === undefined || match.fieldManager === request.fieldManager) &&
    (where === undefined || where(request))
  );
}

/** Whether a verb matches. */
export function fitsVerb(wanted: NonNullable<RequestMatch["verb"]>, verb: Verb): boolean {
  if (wanted === "writes") return !READS.includes(verb);
  return typeof wanted === "string" ? wanted === verb : wanted.includes(verb);
}

/** Describes a match: `verb create, kind Secret`. */
export const describeMatch = (match: RequestMatch): string =>
  Object.entries(match)
    .map(([member, value]) => `${member} ${(value as Partial<Kind> | null)?.kind ?? String(value)}`)
    .join(", ");

const MAX_RECORDS = 10_000;

/** The last 10 000 records of a cluster, and its recordings. */
export class Traffic {
  #records: RequestRecord[] = [];
  readonly #recordings = new Set<{ readonly match: RequestMatch; readonly all: RequestRecord[] }>();

  /** Adds the record of a request that has arrived. */
  add(record: RequestRecord): void {
    this.#records.push(record);
    // Halved at once, so that adding a record does not copy all others.
    if (this.#records.length > 2 * MAX_RECORDS) this.#records = this.#records.slice(-MAX_RECORDS);
    for (const { all } of this.#recordings) all.push(record);
  }

  /** Returns the matching records. */
  requests(match: RequestMatch = {}): readonly RequestRecord[] {
    return select(this.#records.slice(-MAX_RECORDS), checkedMatch(match));
  }

  /** Starts a recording. */
  record(match: RequestMatch = {}): Recording {
    const recording = { match: checkedMatch(match), all: [] };
    this.#recordings.add(recording);
    return {
      // Matched late: the name of a request may be in its body.
      get requests() {
        return select(recording.all, match);
      },
      [Symbol.dispose]: () => void this.#recordings.delete(recording),
    };
  }

  /** Removes all records; recordings stay. */
  clear(): void {
    this.#records = [];
  }
}

const select = (records: readonly RequestRecord[], match: RequestMatch): readonly RequestRecord[] =>
  records.filter((record) => matches(match, record)).slice(match.skip ?? 0);
