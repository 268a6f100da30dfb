/**
 * The session of the page.
 *
 * @module
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { ApiFailure, request, send, sessionOpened } from "./http.ts";
import { loadKinds } from "./discovery.ts";
import { forgetRights } from "./rights.ts";

const PATH = "/console/session";

/** What the server says of the session; other members than the user may be absent. */
export interface SessionInfo {
  readonly user: string;
  readonly groups: readonly string[];
  /** RFC 3339; when it ends without use. */
  readonly expires?: string;
  readonly version?: string;
}

const info = signal<SessionInfo | undefined>(undefined);

/** Who is signed in; undefined before that is known, and without a session. */
export const sessionInfo: ReadonlySignal<SessionInfo | undefined> = info;

/** Reads who is signed in; a failure leaves what was known. */
export async function loadSession(): Promise<void> {
  try {
    info.value = sessionOf(await request(PATH));
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
  }
}

/** Reads the document of the session. */
export function sessionOf(document: unknown): SessionInfo {
  const member = (of: unknown, name: string): unknown =>
    typeof of === "object" && of !== null ? Object.getOwnPropertyDescriptor(of, name)?.value : undefined;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const user = member(document, "user");
  const groups = member(user, "groups") ?? member(document, "groups");
  const [expires, version] = [text(member(document, "expires")), text(member(document, "version"))];
  return {
    user: text(user) ?? text(member(user, "name")) ?? text(member(user, "username")) ?? "",
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
    ...(expires ? { expires } : {}),
    ...(version ? { version } : {}),
  };
}

/**
 * Begins a session with a token.
 *
 * @throws {ApiFailure} 401 for a token that the server does not know.
 */
export async function signIn(token: string): Promise<void> {
  await send(PATH, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  await begin();
}

/** Reads what another user may see: the kinds, and who it is. */
export async function begin(): Promise<void> {
  forgetRights();
  sessionOpened();
  await Promise.all([loadKinds(), loadSession()]);
}

/** Ends the session, and leaves the page: nothing of the cluster stays in it. */
export async function signOut(): Promise<void> {
  await send(PATH, { method: "DELETE" });
  location.assign("/console/sign-in");
}
