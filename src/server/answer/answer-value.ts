/**
 * Answers with values that are no objects of a kind: a Status, a report, an empty list.
 *
 * @module
 */
import type { Status } from "../../meta/status.ts";
import type { ServerContext } from "../request/context.ts";
import { inTurns } from "../../util/steps.ts";
import { TurnLimit } from "../../util/turn-limit.ts";
import { answerPieces } from "./answer-pieces.ts";
import { type AnswerPieces, contentType, valueInForm } from "./in-form.ts";
import type { Format } from "./negotiate.ts";
import type { HttpResponse } from "../request/response.ts";

/** Answers with a value. */
export function answerValue(
  server: ServerContext,
  response: HttpResponse,
  code: number,
  value: unknown,
  format: Format,
): void | Promise<void> {
  const answer = (pieces: AnswerPieces): void | Promise<void> =>
    answerPieces(server, response, code, pieces, contentType(format));
  response.recorder?.response?.value(value);
  const pieces = inTurns(valueInForm(value, format), new TurnLimit());
  return pieces instanceof Promise ? pieces.then(answer) : answer(pieces);
}

/** Answers with a Status, which has neither a table nor metadata to show. */
export function answerStatus(
  server: ServerContext,
  response: HttpResponse,
  code: number,
  status: Status,
  format: Format,
): void | Promise<void> {
  response.status = status;
  return answerValue(server, response, code, status, { ...format, shape: "" });
}
