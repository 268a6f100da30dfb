/**
 * Which sessions have been signed out before their end, as texts by user: the servers of one store share them, in the data of a
 * ConfigMap.
 *
 * They are bounded in bytes, for a user and together. A user who signs out of more sessions than are remembered is signed out of
 * all that began before. Where all texts together are too long, the users with the longest ones are; only where thousands of users
 * have signed out, all users are. So a session that was signed out never counts again.
 *
 * @module
 */
import { isObject } from "../../value/value.ts";
import type { SealedSession } from "./sealed-session.ts";

/** The sessions by the digest of their user. */
export type SignedOutSessions = Readonly<Record<string, string>>;

/** What is remembered of a user, or of all. Times are milliseconds since the epoch. */
interface SignedOut {
  /** The ends of sessions by their ID. */
  readonly ids: Readonly<Record<string, number>>;
  /** Sessions that began until then are signed out. */
  readonly before: number;
  /** When all of them have ended anyway. */
  readonly until: number;
}

const MAX_SESSIONS = 32;
/** Characters of all texts and their keys, half of what a ConfigMap may have: some three thousand users. */
const MAX_LENGTH = 512 << 10;
/** The maximum length of a stored text of a user; a longer text, which another program has written, would cost each request. */
const MAX_TEXT = 4096;
/** No digest has this form. */
const EVERYBODY = "everybody";
const NONE: SignedOut = { ids: {}, before: -1, until: 0 };

type Known = Pick<SealedSession, "id" | "user" | "begun">;

/** Whether a session has been signed out. */
export const isSignedOut = (sessions: SignedOutSessions, { id, user, begun }: Known): boolean =>
  [user, EVERYBODY].some((key) => {
    const { ids, before } = read(sessions[key]);
    return begun <= before || Object.hasOwn(ids, id);
  });

/** Signs a session out until all cookies of it have ended, at `ends`; forgets those that have ended by `now`. */
export function withSignedOut(
  sessions: SignedOutSessions,
  { id, user, begun, ends }: Pick<SealedSession, "id" | "user" | "begun" | "ends">,
  now: number,
): SignedOutSessions {
  const known = Object.entries(sessions)
    .map(([key, text]) => [key, read(text)] as const)
    .filter(([, { until }]) => until > now);
  const all = new Map(known);
  const { ids, before, until } = all.get(user) ?? NONE;
  const left = Object.entries(ids).filter(([, end]) => end > now);
  const isFull = left.length >= MAX_SESSIONS;
  const own = {
    ids: Object.fromEntries([...left, [id, ends]]),
    before,
    until: Math.max(until, ends),
  };
  all.set(user, isFull ? withoutIds(own, Math.max(begun, now)) : own);
  return bounded(all, now);
}

/** All sessions of a user that began until `now` are signed out, in place of those that are named. */
const withoutIds = ({ before, until }: SignedOut, now: number): SignedOut => ({
  ids: {},
  before: Math.max(before, now),
  until,
});

/** The texts; where they are too long, the longest ones are shortened, and in the end all users have one. */
function bounded(all: ReadonlyMap<string, SignedOut>, now: number): SignedOutSessions {
  const texts = new Map([...all].map(([key, entry]) => [key, JSON.stringify(entry)]));
  let length = 0;
  for (const [key, text] of texts) length += key.length + text.length;
  const named = [...all].filter(([, { ids }]) => Object.keys(ids).length > 0);
  const lengthOf = (key: string): number => texts.get(key)!.length;
  for (const [key, entry] of length > MAX_LENGTH ? named.toSorted(([a], [b]) => lengthOf(b) - lengthOf(a)) : []) {
    const text = JSON.stringify(withoutIds(entry, now));
    length += text.length - lengthOf(key);
    texts.set(key, text);
    if (length <= MAX_LENGTH) break;
  }
  if (length <= MAX_LENGTH) return Object.fromEntries(texts);
  let until = 0;
  for (const entry of all.values()) until = Math.max(until, entry.until);
  return { [EVERYBODY]: JSON.stringify({ ids: {}, before: now, until }) };
}

/** The content of a text; empty if another program has written it. */
function read(text: string | undefined): SignedOut {
  if (text === undefined || text.length > MAX_TEXT) return NONE;
  try {
    const value: unknown = JSON.parse(text);
    const { ids, before, until } = isObject(value) ? value : {};
    const isWhole = isObject(ids) && typeof before === "number" && typeof until === "number";
    return isWhole ? { ids: ids as SignedOut["ids"], before, until } : NONE;
  } catch {
    return NONE;
  }
}
