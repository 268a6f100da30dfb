import { cutText } from "../util/cut-text.ts";

/** The status codes of gRPC that the callers need. */
export const CODES = {
  ok: 0,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
} as const;

const MAX_MESSAGE_BYTES = 4000;

/** A call that failed: with the server's status, or `unavailable` where the connection failed. */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;
  /** Whether the server may have acted on the request. */
  readonly sent: boolean;

  /** @param message cut after 4000 bytes */
  constructor(code: number, message: string, sent: boolean) {
    super(cutText(message, MAX_MESSAGE_BYTES));
    this.code = code;
    this.sent = sent;
  }
}
