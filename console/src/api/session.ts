/**
 * The session of the page.
 *
 * @module
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { CONSOLE_SESSION_PATH, type ConsoleSession } from "../../../src/meta/console-session.ts";
import { ApiFailure, request, send, sessionOpened } from "./http.ts";
import { loadKinds } from "./discovery.ts";
import { forgetRights } from "./rights.ts";

const info = signal<ConsoleSession | undefined>(undefined);

/** Who is signed in; undefined before that is known, and without a session. */
export const sessionInfo: ReadonlySignal<ConsoleSession | undefined> = info;

/** Reads who is signed in; a failure leaves what was known. */
export async function loadSession(): Promise<void> {
  try {
    info.value = await request<ConsoleSession>(CONSOLE_SESSION_PATH);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
  }
}

/**
 * Begins a session with a token.
 *
 * @throws {ApiFailure} 401 for a token that the server does not know.
 */
export async function signIn(token: string): Promise<void> {
  await send(CONSOLE_SESSION_PATH, { method: "POST", headers: { authorization: `Bearer ${token}` } });
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
  await send(CONSOLE_SESSION_PATH, { method: "DELETE" });
  location.assign("/console/sign-in");
}
