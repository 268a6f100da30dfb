/**
 * The session of the page.
 *
 * @module
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { CONSOLE_SESSION_PATH, type ConsoleSession } from "../../../src/meta/console-session.ts";
import { ApiFailure, request, send, session, sessionOpened } from "./http.ts";
import { loadKinds } from "./discovery.ts";
import { forgetReadable } from "./readable.ts";
import { forgetRights } from "./rights.ts";
import { browserTimers, type Timers } from "./timers.ts";

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

/** A session is renewed by being read: so often while the page is seen, and when it comes back, but not more often than the second. */
const RENEW_MS = 10 * 60_000;
const COME_BACK_MS = 60_000;

/** What the renewal of a session needs of its surroundings. */
export interface RenewalParts {
  readonly timers: Pick<Timers, "after">;
  /** Whether the page is visible. */
  readonly isVisible: () => boolean;
  /** Calls back whenever the page is shown or hidden. */
  readonly onVisibility: (call: () => void) => void;
  /** Reads the session. */
  readonly renew: () => Promise<void>;
}

const ofBrowser: RenewalParts = {
  timers: browserTimers,
  isVisible: () => document.visibilityState === "visible",
  onVisibility: (call) => document.addEventListener("visibilitychange", call),
  renew: () => (session.peek() === "open" ? loadSession() : Promise.resolve()),
};

/** Renews the session of the page while the page is visible; call it once. */
export function keepSession({ timers, isVisible, onVisibility, renew }: RenewalParts = ofBrowser): void {
  // Renewed a moment ago: a page that comes and goes does not ask each time.
  let isFresh = true;
  let stop: (() => void) | undefined;
  const wait = (): void => {
    stop?.();
    isFresh = true;
    const first = timers.after(COME_BACK_MS, () => {
      isFresh = false;
    });
    const next = timers.after(RENEW_MS, () => {
      if (isVisible()) again();
    });
    stop = () => (first(), next());
  };
  const again = (): void => {
    wait();
    void renew();
  };
  onVisibility(() => {
    if (isVisible() && !isFresh) again();
  });
  wait();
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
  forgetReadable();
  sessionOpened();
  await Promise.all([loadKinds(), loadSession()]);
}

/** Ends the session, and leaves the page: nothing of the cluster stays in it. */
export async function signOut(): Promise<void> {
  await send(CONSOLE_SESSION_PATH, { method: "DELETE" });
  location.assign("/console/sign-in");
}
