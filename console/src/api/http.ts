/**
 * Requests to the server that serves the page, with the session cookie.
 *
 * @module
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { CONSOLE_HEADER, CONSOLE_SESSION_PATH } from "../../../src/meta/console-session.ts";
import type { Status } from "../../../src/meta/status.ts";

/** A request that has failed: the server's Status, or one that says that there was no response. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  /** The HTTP code; 0 if there was no response. */
  readonly code: number;
  readonly status: Status;

  constructor(code: number, status: Status) {
    super(status.message ?? `the server responded with ${code}`);
    this.code = code;
    this.status = status;
  }
}

/** Parameters of a URL; what is undefined, false or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a request has beside its path. */
export interface RequestOptions {
  /** `GET` if absent. */
  readonly method?: string;
  readonly query?: Query;
  /** A text is sent as it is, another value as JSON. */
  readonly body?: unknown;
  /** The `content-type` of the body; `application/json` if absent. */
  readonly type?: string;
  /** `application/json` if absent. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The browser keeps the response, and asks with its ETag whether it has changed; nothing is kept if absent. */
  readonly revalidate?: boolean;
}

/** A patch of these types is a body with this `content-type`. */
export const PATCH = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const sessionState = signal<"open" | "lost">("open");

/** Whether the session has ended, by the last response; a sign-in resets it with {@link sessionOpened}. */
export const session: ReadonlySignal<"open" | "lost"> = sessionState;

const openedSessions = signal(0);

/** How many sessions have begun in this page: what was refused to the one before is asked for again. */
export const sessionsOpened: ReadonlySignal<number> = openedSessions;

/** Says that there is a session again. */
export function sessionOpened(): void {
  sessionState.value = "open";
  openedSessions.value++;
}

/** The minimum interval between checks of the session after refusals. */
const CHECK_MS = 5000;
const check = { last: -CHECK_MS };

/** Asks whether there is a session still. */
export async function checkSession(): Promise<void> {
  if (performance.now() - check.last < CHECK_MS) return;
  check.last = performance.now();
  // `send` takes note of a 401; what else fails says nothing of the session.
  await send(CONSOLE_SESSION_PATH).then(
    (response) => response.body?.cancel(),
    () => undefined,
  );
}

/** The text after `?`, with the `?`; empty without parameters. */
export function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== false && value !== "") parameters.set(name, String(value));
  const text = parameters.toString();
  return text && `?${text}`;
}

/**
 * Sends a request and returns the response of any code, with an unread body.
 *
 * @throws {ApiFailure} without a response.
 */
export async function exchange(path: string, options: RequestOptions = {}): Promise<Response> {
  const {
    method = "GET",
    query,
    body,
    type = "application/json",
    accept = "application/json",
    headers,
    signal: abort,
    revalidate = false,
  } = options;
  let response: Response;
  try {
    response = await fetch(path + queryText(query), {
      method,
      headers: {
        accept,
        [CONSOLE_HEADER]: "1",
        ...(body === undefined ? {} : { "content-type": type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(abort ? { signal: abort } : {}),
      credentials: "same-origin",
      cache: revalidate ? "no-cache" : "no-store",
      redirect: "error",
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    throw new ApiFailure(0, failure(0, "the server does not respond: check that it runs, and the network"));
  }
  if (response.status === 401) sessionState.value = "lost";
  // Without a session the server responds to an anonymous user, who may not do this.
  if (response.status === 403) void checkSession();
  return response;
}

/**
 * Sends a request and returns the response, with an unread body.
 *
 * @throws {ApiFailure} without a response, and for every code that is not 2xx.
 */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const response = await exchange(path, options);
  if (response.ok) return response;
  throw new ApiFailure(response.status, await statusOf(response));
}

/**
 * Sends a request and returns the JSON of the response.
 *
 * @throws {ApiFailure} as {@link send}.
 */
export async function request<T = unknown>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new ApiFailure(
      response.status,
      failure(response.status, `expected JSON of ${path}, found ${text.slice(0, 80)}`),
    );
  }
}

/**
 * Sends a request and returns the text of the response with its warnings.
 *
 * @throws {ApiFailure} as {@link send}.
 */
export async function requestText(
  path: string,
  options: RequestOptions = {},
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const response = await send(path, options);
  return { text: await response.text(), warnings: warningsOf(response) };
}

/** The texts of the `Warning` headers of a response. */
export function warningsOf(response: Response): string[] {
  const header = response.headers.get("warning") ?? "";
  return Array.from(header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g), ([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}

/** The Status of a failure that the page itself has noticed. */
export function failure(code: number, message: string): Status {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code };
}

async function statusOf(response: Response): Promise<Status> {
  const text = await response.text().catch(() => "");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "kind" in value && value.kind === "Status")
      return value as Status;
  } catch {
    // A text of something between: the code and its beginning have to do.
  }
  return failure(response.status, text.slice(0, 500) || `the server responded with ${response.status}`);
}
