import { cutText } from "../util/cut-text.ts";

/** Status codes of gRPC that mean something here. */
export const CODES = {
  ok: 0,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
} as const;

const MOST_MESSAGE_BYTES = 4000;

/** A call that failed: with the server's status, or because the connection did (`unavailable`). */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;
  /** Whether the server may have acted on the request. */
  readonly sent: boolean;

  /** @param message cut after 4000 bytes: a server says what it likes */
  constructor(code: number, message: string, sent: boolean) {
    super(cutText(message, MOST_MESSAGE_BYTES));
    this.code = code;
    this.sent = sent;
  }
}
