/**
 * The names of the ways to decide what somebody may do: `--authorization-mode`.
 *
 * @module
 */

/** What each mode does, in a sentence for people. */
export const AUTHORIZATION_MODES = {
  Node: "Agents of nodes may do what their node and its Pods need.",
  RBAC: "What roles say that bindings give.",
  Webhook: "What somebody else says, see --authorization-webhook-config-file.",
  AlwaysAllow: "Everybody may do everything.",
  AlwaysDeny: "Only members of system:masters may do anything.",
} as const;

/** The name of a mode. */
export type AuthorizationMode = keyof typeof AUTHORIZATION_MODES;

/** Modes that need nothing said of them. */
export type PlainMode = Exclude<AuthorizationMode, "Webhook">;

/** Whether there is a mode of a name. */
export const isAuthorizationMode = (name: string): name is AuthorizationMode =>
  Object.hasOwn(AUTHORIZATION_MODES, name);
