/** A mistake in the options: the message says what was expected and what was found. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** The value of an option is wrong: who knows how the option is called where the value was found says so with {@link named}. */
export class ValueError extends OptionError {
  /** The key of the option; undefined for the one that is just read. */
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
