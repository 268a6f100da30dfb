import type { ReviewVersion } from "../../auth/webhook/access-review.ts";
import type { AuthorizationMode } from "../../auth/modes.ts";

/** What the options of a server say of who decides what somebody may do. Names of files are empty where none is given. */
export interface AuthorizationSettings {
  /** In the order in which they are asked. */
  readonly modes: readonly AuthorizationMode[];
  /** A file that says it in place of the others. */
  readonly configFile: string;
  /** How the mode Webhook asks. */
  readonly webhook: {
    /** A kubeconfig with the address and the credentials. */
    readonly kubeconfig: string;
    readonly version: ReviewVersion;
    readonly allowedMillis: number;
    readonly refusedMillis: number;
  };
}
