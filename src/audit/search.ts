/**
 * Which events of a log somebody asks for.
 *
 * @module
 */

/** What is asked; what is undefined is not asked for. */
export interface AuditSearch {
  /** The sender, or in whose name it was sent. */
  readonly user?: string | undefined;
  readonly object?: SearchedObject | undefined;
  readonly verb?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** An object, by the parts that are known. */
export interface SearchedObject {
  /** Undefined for any. */
  readonly namespace?: string | undefined;
  /** The plural or the kind, in lower case; its group behind a dot where that is told. */
  readonly kind: string;
  /** Undefined for any. */
  readonly name?: string | undefined;
}

/** An event as it was read, as far as a search looks at it. */
export interface FoundEvent {
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

/** The event of a line; undefined where the line is none. */
export function readEvent(line: string): FoundEvent | undefined {
  try {
    const event = JSON.parse(line) as Partial<FoundEvent> | null;
    return typeof event?.stageTimestamp === "string" ? (event as FoundEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an event is what is asked for. */
export function isFound(event: FoundEvent, { user, object, verb, since, until }: AuditSearch): boolean {
  if (verb !== undefined && event.verb !== verb) return false;
  if (user !== undefined && event.user?.username !== user && event.impersonatedUser?.username !== user) return false;
  if (object && !isOf(event, object)) return false;
  if (since === undefined && until === undefined) return true;
  const at = Date.parse(event.stageTimestamp);
  return at >= (since ?? -Infinity) && at <= (until ?? Infinity);
}

function isOf({ objectRef }: FoundEvent, { namespace, kind, name }: SearchedObject): boolean {
  if (!objectRef) return false;
  if (namespace !== undefined && (objectRef.namespace ?? "") !== namespace) return false;
  if (name !== undefined && objectRef.name !== name) return false;
  const { resource = "", apiGroup = "" } = objectRef;
  const dot = kind.indexOf(".");
  if (dot >= 0 && kind.slice(dot + 1) !== apiGroup) return false;
  return pluralsOf(dot >= 0 ? kind.slice(0, dot) : kind).includes(resource);
}

/** What the plural of a kind may be; no server is asked. */
const pluralsOf = (kind: string): string[] => [kind, `${kind}s`, `${kind}es`, `${kind.replace(/y$/, "")}ies`];
