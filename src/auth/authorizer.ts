import { alwaysAllow, alwaysDeny, masters } from "./admin.ts";
import type { Authorizer, AuthContext } from "./contract.ts";
import type { PlainMode } from "./modes.ts";
import { nodeAuthorizer } from "./node/node-authorizer.ts";
import { roleAdvice } from "./rbac/advice.ts";
import { rbacOf } from "./rbac/rbac.ts";
import { union } from "./union.ts";

/** A mode by its name, or a function that returns the authorizer of a cluster. */
export type AuthorizerPart = PlainMode | ((context: AuthContext) => Authorizer);

const MODES: Readonly<Record<PlainMode, (context: AuthContext) => Authorizer>> = {
  Node: nodeAuthorizer,
  RBAC: ({ lookup, api }) => rbacOf(lookup, api.clock.loop),
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
};

/** Returns an authorizer of several parts in order; members of `system:masters` may do everything (RBAC-35, RBAC-38). */
export const authorizerOf =
  (parts: readonly AuthorizerPart[]) =>
  (context: AuthContext): Authorizer => {
    const all = union([
      masters,
      ...parts.map((part) => (typeof part === "string" ? MODES[part](context) : part(context))),
    ]);
    return parts.includes("RBAC") ? { ...all, advise: roleAdvice(all, context) } : all;
  };
