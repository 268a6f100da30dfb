import type { ReviewVersion } from "../../auth/webhook/access-review.ts";
import type { AuthorizationMode } from "../../auth/modes.ts";

/** The options of authorization. The name of a file is empty if there is none. */
export interface AuthorizationSettings {
  /** In the order in which they are called. */
  readonly modes: readonly AuthorizationMode[];
  /** An AuthorizationConfiguration, in place of the other options. */
  readonly configFile: string;
  /** The settings of the mode Webhook. */
  readonly webhook: {
    /** A kubeconfig with the address and the credentials. */
    readonly kubeconfig: string;
    readonly version: ReviewVersion;
    readonly allowedMillis: number;
    readonly refusedMillis: number;
  };
}
