/**
 * The requests that a cluster has met: what was asked, by whom, and what came of it.
 *
 * Requests for objects are recorded, in order of arrival; discovery and other documents are not. A record is there when
 * its request arrives, and is filled in as the request goes its way.
 *
 * @module
 */
import type { Kind } from "../client/index.ts";
import type { StatusReason } from "../meta/status.ts";

/** What is done to objects. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";

/**
 * Whose request it is: the test's own (`client()`, `apply()`), one of the built-in controllers', or anybody else's, who is
 * what the test is about.
 */
export type Origin = "subject" | "test" | "builtin";

/** Chooses requests. All that is given must fit. */
export interface RequestMatch {
  /** `writes` is everything but get, list and watch. */
  readonly verb?: Verb | readonly Verb[] | "writes";
  readonly kind?: Pick<Kind, "group" | "kind">;
  /** Any and none by default; empty for the object itself. */
  readonly subresource?: string;
  readonly name?: string | RegExp;
  readonly namespace?: string;
  readonly user?: string;
  readonly fieldManager?: string;
  /** `subject` by default. */
  readonly origin?: Origin | "any";
  /** Not the first of those that fit. */
  readonly skip?: number;
  readonly where?: (request: RequestRecord) => boolean;
}

/** A request that a cluster has met. */
export interface RequestRecord {
  readonly verb: Verb;
  /** As the path has it where nobody serves it. */
  readonly kind: string;
  readonly group: string;
  readonly namespace?: string;
  /** As the path has it; of a create, as the body does. */
  readonly name?: string;
  readonly subresource?: string;
  /** As it was sent; of a patch, the patch. */
  readonly body?: unknown;
  readonly dryRun: boolean;
  readonly user: string;
  readonly userAgent: string;
  readonly fieldManager?: string;
  readonly origin: Origin;
  /** The time of the cluster. */
  readonly at: string;
  /** Undefined as long as there is no answer. */
  readonly code?: number;
  readonly reason?: StatusReason;
  /** Whether a new version came of it; false also for writes that changed nothing. */
  readonly changed: boolean;
  /** The fault that was played. */
  readonly fault?: string;
  /** How many events a watch was told. */
  readonly events?: number;
}

/** A record while its request is on its way. */
export type OpenRecord = { -readonly [M in keyof RequestRecord]: RequestRecord[M] };

/** What is recorded from some moment on, until it is disposed. */
export interface Recording extends Disposable {
  readonly requests: readonly RequestRecord[];
}

const READS: readonly Verb[] = ["get", "list", "watch"];
/** The verbs that change something. */
export const WRITES: readonly Verb[] = ["create", "update", "patch", "apply", "delete", "deletecollection"];

/** What a match may have; texts come over HTTP, too. */
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

/** The same match. @throws RangeError for one that says what no request has, and so would choose none or all */
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

/** Whether a request is one of those that a match chooses; `skip` is not looked at. */
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

/** Whether a verb is one of those that a match chooses. */
export function fitsVerb(wanted: NonNullable<RequestMatch["verb"]>, verb: Verb): boolean {
  if (wanted === "writes") return !READS.includes(verb);
  return typeof wanted === "string" ? wanted === verb : wanted.includes(verb);
}

/** A match for people: `verb create, kind Secret`. */
export const wordsOf = (match: RequestMatch): string =>
  Object.entries(match)
    .map(([member, value]) => `${member} ${(value as Partial<Kind> | null)?.kind ?? String(value)}`)
    .join(", ");

const KEPT = 10_000;

/** The records of a cluster: the last 10 000, and those of recordings. */
export class Traffic {
  #records: RequestRecord[] = [];
  readonly #recordings = new Set<{ readonly match: RequestMatch; readonly all: RequestRecord[] }>();

  /** Keeps a record; its request has just arrived. */
  add(record: RequestRecord): void {
    this.#records.push(record);
    // Cut by the half, so that a record costs no copy of all others.
    if (this.#records.length > 2 * KEPT) this.#records = this.#records.slice(-KEPT);
    for (const { all } of this.#recordings) all.push(record);
  }

  /** What was met since the beginning. */
  requests(match: RequestMatch = {}): readonly RequestRecord[] {
    return select(this.#records.slice(-KEPT), checkedMatch(match));
  }

  /** What is met from now on. */
  record(match: RequestMatch = {}): Recording {
    const recording = { match: checkedMatch(match), all: [] };
    this.#recordings.add(recording);
    return {
      // Who has matched is known when the request is: a name may stand in the body.
      get requests() {
        return select(recording.all, match);
      },
      [Symbol.dispose]: () => void this.#recordings.delete(recording),
    };
  }

  /** Forgets what was met; recordings stay. */
  clear(): void {
    this.#records = [];
  }
}

const select = (records: readonly RequestRecord[], match: RequestMatch): readonly RequestRecord[] =>
  records.filter((record) => matches(match, record)).slice(match.skip ?? 0);
