/** The errors of responses. */
import type { ApplyConflictReport } from "../meta/ownership-reports.ts";
import { parseExactText } from "../value/exact-text.ts";
import type { PlanReport } from "../meta/plan-report.ts";
import type { Status, StatusReason } from "../meta/status.ts";

/** A request: its method and its path without query. */
export interface RequestLine {
  readonly method: string;
  readonly path: string;
}

interface ErrorContext {
  readonly request?: RequestLine | undefined;
  readonly conflict?: ApplyConflictReport | undefined;
  readonly plan?: PlanReport | undefined;
  /** A hint at the end of the message. */
  readonly hint?: string;
}

/** A failed request, with the Status of the response. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;
  /** The request. */
  readonly request: RequestLine | undefined;
  /** The conflicts of an apply with the option `explain`. */
  readonly conflict: ApplyConflictReport | undefined;
  /** The outcome of each document, where documents were applied as one. */
  readonly plan: PlanReport | undefined;

  constructor(status: Status, { request, conflict, plan, hint }: ErrorContext = {}) {
    super(messageOf(status, request, hint));
    this.status = status;
    this.request = request;
    this.conflict = conflict;
    this.plan = plan;
  }

  /** Whether the Status has one of these reasons. */
  is(...reasons: StatusReason[]): boolean {
    return this.status.reason !== undefined && reasons.includes(this.status.reason);
  }
}

function messageOf({ message, code }: Status, asked: RequestLine | undefined, hint: string | undefined): string {
  const where = asked === undefined ? "" : ` (${asked.method} ${asked.path})`;
  return `${message ?? `the server responded with ${code}`}${where}${hint === undefined ? "" : `: ${hint}`}`;
}

/** Whether `error` is a {@link StatusError} with one of these reasons. */
export const isStatus = (error: unknown, ...reasons: StatusReason[]): error is StatusError =>
  error instanceof StatusError && error.is(...reasons);

/** The result of {@link attempt}. */
export type Attempt<V, R extends StatusReason> =
  | { readonly ok: true; readonly value: V }
  | { readonly ok: false; readonly reason: R; readonly error: StatusError };

/**
 * Returns errors with the named reasons as values, and throws all others.
 *
 *     const found = await attempt(client.resource(Pod).get(key), "NotFound");
 *     if (!found.ok) return;
 */
export async function attempt<V, const R extends StatusReason>(
  work: Promise<V>,
  ...reasons: R[]
): Promise<Attempt<V, R>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (!isStatus(error, ...reasons)) throw error;
    return { ok: false, reason: error.status.reason as R, error };
  }
}

/** Repeats work whose write meets a conflict, five times by default. The work must read the object again each time. */
export async function retryOnConflict<V>(work: () => Promise<V>, attempts = 5): Promise<V> {
  for (let left = attempts; ; left--) {
    const done = left > 1 ? await attempt(work(), "Conflict") : { ok: true as const, value: await work() };
    if (done.ok) return done.value;
  }
}

/** The reasons of codes without a Status. */
const REASONS: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** Sixteen digits: an integer with fewer is a double. */
const LONG_NUMBER = /\d{16}/;

/** Returns the error of a response; without a Status it builds one. */
export function failureOf(code: number, text: string, request: RequestLine): StatusError {
  const made = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code } as const;
  try {
    const parsed = JSON.parse(text) as Status | ApplyConflictReport | PlanReport;
    if (parsed.kind === "Status") return new StatusError(parsed, { request });
    if (parsed.kind === "ApplyConflict") {
      const { message, reason } = parsed;
      // Its values are sent again when a field is shared, so no integer may lose a digit. The space is a request for that.
      const conflict = LONG_NUMBER.test(text) ? (parseExactText(`${text} `) as unknown as ApplyConflictReport) : parsed;
      return new StatusError({ ...made, message, reason }, { request, conflict });
    }
    if (parsed.kind === "Plan" && parsed.status) return new StatusError(parsed.status, { request, plan: parsed });
  } catch {
    // Not JSON: a response of a proxy, or text.
  }
  const reason = REASONS[code];
  return new StatusError({ ...made, message: text.slice(0, 500), ...(reason ? { reason } : {}) }, { request });
}
