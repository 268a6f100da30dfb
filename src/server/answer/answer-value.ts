/**
 * Answers with values that are no objects of a kind: a Status, a report, an empty list.
 *
 * @module
 */
import type { Status } from "../../meta/status.ts";
import type { ServerContext } from "../context.ts";
import { inTurns } from "../../util/steps.ts";
import { answerPieces } from "./answer-pieces.ts";
import { type AnswerPieces, contentType, valueInForm } from "./in-form.ts";
import type { Format } from "./negotiate.ts";
import type { ServerRequest } from "../request.ts";

/** Answers with a value. */
export function answerValue(
  server: ServerContext,
  request: ServerRequest,
  code: number,
  value: unknown,
  format: Format,
): void | Promise<void> {
  const answer = (pieces: AnswerPieces): void | Promise<void> =>
    answerPieces(server, request, code, pieces, contentType(format));
  request.witness?.answer?.value(value);
  const pieces = inTurns(valueInForm(value, format), server.clock.loop.slice());
  return pieces instanceof Promise ? pieces.then(answer) : answer(pieces);
}

/** Answers with a Status, which has neither a table nor metadata to show. */
export function answerStatus(
  server: ServerContext,
  request: ServerRequest,
  code: number,
  status: Status,
  format: Format,
): void | Promise<void> {
  request.status = status;
  return answerValue(server, request, code, status, { ...format, shape: "" });
}
