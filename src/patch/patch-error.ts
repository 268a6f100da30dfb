/**
 * Why a patch was not applied.
 *
 * - `malformed`: the document is no patch of its kind; HTTP 400.
 * - `invalid`: the patch does not fit the object, or a `test` failed; 422.
 * - `tooManyOperations`: the patch needs too much work; 413.
 */
export type PatchErrorCode = "malformed" | "invalid" | "tooManyOperations";

/** A patch that cannot be applied; the only error that this room throws. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
