/**
 * Searches of an audit log.
 *
 * @module
 */

/** The conditions of a search; an undefined condition matches every event. */
export interface AuditSearch {
  /** The user, or the user who was impersonated. */
  readonly user?: string | undefined;
  readonly object?: ObjectFilter | undefined;
  readonly verb?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** The condition on the object of an event. */
export interface ObjectFilter {
  /** Undefined for any. */
  readonly namespace?: string | undefined;
  /** The plural or the kind in lower case, with `.GROUP` where the group is known. */
  readonly kind: string;
  /** Undefined for any. */
  readonly name?: string | undefined;
}

/** An event of a log, with the fields that a search reads. */
export interface LoggedEvent {
  readonly stage: string;
  readonly verb: string;
  readonly user?: { readonly username?: string };
  readonly impersonatedUser?: { readonly username?: string };
  readonly requestURI?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp: string;
}

/** Parses the event of a line; undefined where the line is not an event. */
export function parseEvent(line: string): LoggedEvent | undefined {
  try {
    const event = JSON.parse(line) as LoggedEvent | null;
    return typeof event?.stageTimestamp === "string" ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an event matches a search. */
export function matchesSearch(event: LoggedEvent, { user, object, verb, since, until }: AuditSearch): boolean {
  if (verb !== undefined && event.verb !== verb) return false;
  if (user !== undefined && event.user?.username !== user && event.impersonatedUser?.username !== user) return false;
  if (object && !matchesObject(event, object)) return false;
  if (since === undefined && until === undefined) return true;
  const at = Date.parse(event.stageTimestamp);
  return at >= (since ?? -Infinity) && at <= (until ?? Infinity);
}

function matchesObject({ objectRef }: LoggedEvent, { namespace, kind, name }: ObjectFilter): boolean {
  if (!objectRef) return false;
  if (namespace !== undefined && (objectRef.namespace ?? "") !== namespace) return false;
  if (name !== undefined && objectRef.name !== name) return false;
  const { resource = "", apiGroup = "" } = objectRef;
  const dot = kind.indexOf(".");
  if (dot >= 0 && kind.slice(dot + 1) !== apiGroup) return false;
  return pluralsOf(dot >= 0 ? kind.slice(0, dot) : kind).includes(resource);
}

/** The possible plurals of a kind; a search has no server to ask for the real one. */
const pluralsOf = (kind: string): string[] => [kind, `${kind}s`, `${kind}es`, `${kind.replace(/y$/, "")}ies`];
