/**
 * The authorization modes of `--authorization-mode`.
 *
 * @module
 */

/** The authorization modes, each with a sentence for help texts. */
export const AUTHORIZATION_MODES = {
  Node: "Agents of nodes may do what their node and its Pods need.",
  RBAC: "Users may do what roles allow that are bound to them.",
  Webhook: "A webhook decides, see --authorization-webhook-config-file.",
  AlwaysAllow: "All users may do everything.",
  AlwaysDeny: "Only members of system:masters may do anything.",
} as const;

/** The name of a mode. */
export type AuthorizationMode = keyof typeof AUTHORIZATION_MODES;

/** Modes without settings. */
export type PlainMode = Exclude<AuthorizationMode, "Webhook">;

/** Whether a name is that of a mode. */
export const isAuthorizationMode = (name: string): name is AuthorizationMode =>
  Object.hasOwn(AUTHORIZATION_MODES, name);
