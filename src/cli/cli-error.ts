/** A command has failed; the message is for the user, and no stack is printed. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** Whether the command line is wrong. */
  readonly usage: boolean;

  constructor(message: string, options: { readonly usage?: boolean; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.usage = options.usage ?? false;
  }
}
