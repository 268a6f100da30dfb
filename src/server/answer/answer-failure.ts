/**
 * The answer to a request that failed: the Status of whatever was thrown; nothing of ours but the audit id is told.
 *
 * @module
 */
import type { ApiError } from "../../meta/status.ts";
import { failureOf } from "../../registry/index.ts";
import { errorPlace } from "../../util/error-place.ts";
import type { ServerContext } from "../context.ts";
import type { ServerRequest } from "../request.ts";
import { whoAsks } from "../who-asks.ts";
import { inTurns } from "../../util/steps.ts";
import { type AnswerPieces, contentType, valueInForm } from "./in-form.ts";
import { type Format, explanationFormat, failureFormat } from "./negotiate.ts";

/**
 * Answers with a failure, at once but for a large one: it may tell tens of thousands of causes. One that comes after the answer
 * has begun is logged only.
 */
export function answerFailure(server: ServerContext, request: ServerRequest, error: unknown): void | Promise<void> {
  const failure = failureOf(error);
  if (failure.reason === "InternalError" && !failure.ofObject) logFailure(server, request, failure.cause ?? error);
  if (failure.limit !== undefined) {
    const { limit, code } = failure;
    server.log.warn("a request was refused by a limit", { limit, code, ...whoAsks(request) }, limit);
  }
  request.reason = failure.reason;
  request.status = failure.status;
  request.isPanic = failure.reason === "InternalError" && failure.cause !== undefined;
  if (request.exchange.answered) return undefined;
  request.warn(failure.warnings);
  request.witness?.answer?.value(failure.status);
  const { value, format } = failureAnswer(server, request, failure);
  const headers = request.headers(contentType(format));
  const retry = failure.status.details?.retryAfterSeconds;
  if (retry !== undefined) headers["retry-after"] = String(retry);
  if (failure.code === 401) headers["www-authenticate"] = 'Bearer realm="keelson"';
  const answer = (pieces: AnswerPieces): void => request.respond(failure.code, headers, [...pieces]);
  const pieces = inTurns(valueInForm(value, format), server.clock.loop.slice());
  return pieces instanceof Promise ? pieces.then(answer) : answer(pieces);
}

interface FailureAnswer {
  readonly value: unknown;
  readonly format: Format;
}

/** The Status of a failure, or the explanation where there is one and the client asks for it. */
function failureAnswer(server: ServerContext, request: ServerRequest, failure: ApiError): FailureAnswer {
  const accept = request.exchange.header("accept");
  const format = failure.explain && explanationFormat(accept, request.pretty);
  if (format) {
    try {
      return { value: failure.explain!(), format };
    } catch (error) {
      logFailure(server, request, error);
    }
  }
  return { value: failure.status, format: failureFormat(accept, request.pretty) };
}

function logFailure(server: ServerContext, request: ServerRequest, cause: unknown): void {
  server.log.error(
    "a request has failed",
    {
      auditId: request.auditId,
      method: request.exchange.method,
      path: request.rawPath.slice(0, 500),
      cause: textOf(cause),
    },
    errorPlace(cause),
  );
}

const textOf = (cause: unknown): string => (cause instanceof Error && cause.stack) || String(cause);
