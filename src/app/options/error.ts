/** An error in the options: the message says what was expected and what was found. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** The value of an option is not valid; {@link named} gives the option the name that its source has for it. */
export class ValueError extends OptionError {
  /** The key of the option; undefined for the option that is being read. */
  readonly key: string | undefined;
  /** What was expected of it and what was found: `to be true or false, got "maybe"`. */
  readonly problem: string;

  constructor(problem: string, key?: string, name = `--${key}`) {
    super(`expected ${name} ${problem}`);
    this.key = key;
    this.problem = problem;
  }

  /** The same error under another name of the option, such as `KEELSON_PORT`. */
  named(name: string): ValueError {
    return new ValueError(this.problem, this.key, name);
  }
}
