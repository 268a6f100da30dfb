import type { OptionType } from "./option-types.ts";

/** Groups of options, in the order of help, with their headings. */
export const OPTION_GROUPS = {
  network: "Network",
  store: "Store",
  served: "What is served",
  node: "Node",
  security: "Security",
  limits: "Limits",
  log: "Log",
  audit: "Audit",
} as const;

/** One option. */
export interface OptionSpec<T = unknown> {
  readonly group: keyof typeof OPTION_GROUPS;
  readonly type: OptionType<T>;
  /** The text of the default; undefined when there is no value by default. */
  readonly default?: string;
  /** What holds by default, in words, where no text says it. */
  readonly otherwise?: string;
  /** One sentence that says what the option does. */
  readonly about: string;
  /** What kube-apiserver calls the same; taken as a second name. */
  readonly also?: string;
  /** The version of Keelson that promised it first. */
  readonly since: string;
}
