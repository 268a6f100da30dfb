/**
 * The response to a failed request: the Status of the error, without details of the program.
 *
 * @module
 */
import { stackOf } from "../../util/error.ts";
import type { ApiError } from "../../meta/status.ts";
import { failureOf } from "../../registry/index.ts";
import { errorLocation } from "../../util/error-location.ts";
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import { logFields } from "../request/log-fields.ts";
import { inSlices } from "../../util/steps.ts";
import { type BodyPieces, contentType, valueInForm } from "./in-form.ts";
import { type Format, explanationFormat, failureFormat } from "./negotiate.ts";

/**
 * Responds with a failure. A large Status, which may have tens of thousands of causes, is written in slices. A failure after the response
 * has begun is only logged.
 */
export function respondWithFailure(
  server: ServerContext,
  request: ServerRequest,
  error: unknown,
): void | Promise<void> {
  const failure = failureOf(error);
  if (failure.reason === "InternalError" && !failure.ofObject) logFailure(server, request, failure.cause ?? error);
  if (failure.limit !== undefined) {
    const { limit, code } = failure;
    server.log.warn("a request was refused by a limit", { limit, code, ...logFields(request) }, limit);
  }
  const { response } = request;
  response.reason = failure.reason;
  response.status = failure.status;
  response.isPanic = failure.reason === "InternalError" && failure.cause !== undefined;
  if (response.responded) return undefined;
  response.warn(failure.warnings);
  response.recorder?.response?.value(failure.status);
  const { value, format } = failureResult(server, request, failure);
  const headers = response.headers(contentType(format));
  const retry = failure.status.details?.retryAfterSeconds;
  if (retry !== undefined) headers["retry-after"] = String(retry);
  if (failure.code === 401) headers["www-authenticate"] = 'Bearer realm="keelson"';
  const send = (pieces: BodyPieces): void => response.respond(failure.code, headers, [...pieces]);
  const pieces = inSlices(valueInForm(value, format), server.clock.loop.slice());
  return pieces instanceof Promise ? pieces.then(send) : send(pieces);
}

interface FailureResult {
  readonly value: unknown;
  readonly format: Format;
}

/** The Status of a failure, or the explanation where there is one and the client accepts it. */
function failureResult(server: ServerContext, request: ServerRequest, failure: ApiError): FailureResult {
  const { incoming } = request;
  const format = failure.explain && explanationFormat(incoming);
  if (format) {
    try {
      return { value: failure.explain(), format };
    } catch (error) {
      logFailure(server, request, error);
    }
  }
  return { value: failure.status, format: failureFormat(incoming) };
}

function logFailure(server: ServerContext, { incoming, response }: ServerRequest, cause: unknown): void {
  const about = {
    auditId: response.auditId,
    method: incoming.sent.method,
    path: incoming.rawPath.slice(0, 500),
    cause: stackOf(cause),
  };
  server.log.error("a request has failed", about, errorLocation(cause));
}
