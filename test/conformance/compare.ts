/**
 * When an answer counts as equal to the recorded one.
 *
 * Errors are compared by status, reason and the (reason, field) of each cause: the wording of messages is each server's
 * own. Where the recorded server fails with a 5xx on bad input, any 4xx is right.
 *
 * @module
 */

/** What was recorded of one step. */
export interface Answer {
  readonly status?: number;
  readonly headers?: unknown;
  readonly causes?: readonly string[];
  readonly body?: unknown;
  readonly [part: string]: unknown;
}

/** Where an answer differs from the recorded one, a line each; none when they are equal. */
export function compareAnswers(expected: Answer | undefined, got: Answer): string[] {
  const [was, is] = [expected?.status ?? 0, got.status ?? 0];
  if (was >= 500 && is >= 400 && is < 500) return [];
  return differences(essence(expected), essence(got), "");
}

/** Whether a body is the Status of a failure. */
export const isFailure = (body: unknown): body is FailureStatus => {
  const status = body as Partial<FailureStatus> | null | undefined;
  return status?.kind === "Status" && status.status === "Failure";
};

interface FailureStatus {
  readonly kind: "Status";
  readonly status: "Failure";
  readonly reason?: string;
  readonly details?: { causes?: { reason?: string; field?: string; message?: string }[] };
}

const once = (list: readonly string[]): string[] => [...new Set(list)].toSorted();

function essence(answer: Answer | undefined): unknown {
  if (answer && isFailure(answer.body)) {
    const causes = (answer.body.details?.causes ?? []).map((c) => `${c.reason} ${c.field}`);
    return {
      status: answer.status,
      headers: answer.headers,
      says: answer["says"],
      reason: answer.body.reason,
      causes: once(causes),
    };
  }
  return answer?.causes ? { ...answer, causes: once(answer.causes) } : answer;
}

function differences(a: unknown, b: unknown, path: string): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (path === "causes" && Array.isArray(a) && Array.isArray(b)) {
    const missing = a.filter((cause) => !b.includes(cause)).map((cause) => `causes: expected ${shorten(cause)} too`);
    return [...missing, ...b.filter((cause) => !a.includes(cause)).map((cause) => `causes: got ${shorten(cause)} too`)];
  }
  if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].flatMap((key) => differences(a[key], b[key], path === "" ? key : `${path}.${key}`));
  }
  return [`${path}: expected ${shorten(a)} got ${shorten(b)}`];
}

const isContainer = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null;
const shorten = (x: unknown): string => (JSON.stringify(x) ?? "nothing").slice(0, 200);
