/**
 * Why a patch was not applied.
 *
 * - `malformed`: the document is no patch of its kind; HTTP 400.
 * - `invalid`: the patch does not fit the object, or a `test` failed; 422.
 * - `tooManyOperations`: the patch needs too much work; 413.
 */
export type PatchErrorCode = "malformed" | "invalid" | "tooManyOperations";

/** A patch that cannot be applied; this room throws no other errors. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A `test` of a JSON patch whose value differs. */
export class TestFailed extends PatchError {
  constructor(message: string) {
    super("invalid", message);
  }
}
