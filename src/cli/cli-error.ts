/** A command cannot do what it was told, and says why in words of the user: no stack is printed. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** Whether the command line itself is wrong, and not the world. */
  readonly usage: boolean;

  constructor(message: string, options: { readonly usage?: boolean; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.usage = options.usage ?? false;
  }
}
