/**
 * Why a protobuf body was not decoded.
 *
 * - `malformed`: it is not valid, or has unknown fields.
 * - `tooLarge`: it has more fields or entries than an object may have.
 */
export type ProtobufErrorCode = "malformed" | "tooLarge";

/** A body that cannot be decoded; the only error of decoding. A server responds with 400 or 413. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
  readonly code: ProtobufErrorCode;
  /** The names of members, the outermost first; empty for the envelope. */
  readonly path: readonly string[];
  readonly #why: string;

  constructor(code: ProtobufErrorCode, why: string, path: readonly string[] = []) {
    super(path.length === 0 ? why : `${path.join(".")}: ${why}`);
    this.code = code;
    this.path = path;
    this.#why = why;
  }

  /** The same error, seen from the message that contains `member`. */
  inside(member: string): ProtobufError {
    return new ProtobufError(this.code, this.#why, [member, ...this.path]);
  }
}
