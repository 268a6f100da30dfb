/** A condition in `status.conditions`, in the form of most kinds. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** The reason in one CamelCase word. */
  readonly reason: string;
  /** The reason for people. */
  readonly message: string;
  /** The time of the last change of `status`. */
  readonly lastTransitionTime: string;
  /** The generation of the object that it describes. */
  readonly observedGeneration?: number;
}
