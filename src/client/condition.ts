/** One thing that is known of an object's state, in the form that most kinds use (`status.conditions`). */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** Why, in one CamelCase word. */
  readonly reason: string;
  /** Why, for people. */
  readonly message: string;
  /** When `status` last became what it is. */
  readonly lastTransitionTime: string;
  /** The generation of the object that this was found of. */
  readonly observedGeneration?: number;
}
