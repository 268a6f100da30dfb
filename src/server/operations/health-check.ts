/** One thing that can be wrong. */
export interface HealthCheck {
  readonly name: string;
  /** False for what keeps work away and no restart would help: `/readyz` asks it, `/livez` does not. */
  readonly live?: boolean;
  /** True for what people should know and no restart or other server would help: it is told, in its words, and fails nothing. */
  readonly advises?: boolean;
  /** Undefined when all is well, else what is wrong, for the log. */
  readonly check: () => string | undefined;
}
