/** A mistake in the options: the message says what was expected and what was found. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}
