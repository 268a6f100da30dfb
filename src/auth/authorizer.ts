import { alwaysAllow, alwaysDeny, masters } from "./admin.ts";
import type { Authorizer, TrustGround } from "./contract.ts";
import type { PlainMode } from "./modes.ts";
import { nodeAuthorizer } from "./node/node-authorizer.ts";
import { roleAdvice } from "./rbac/advice.ts";
import { rbacOf } from "./rbac/rbac.ts";
import { union } from "./union.ts";

/** One of those that are asked: a mode by its name, or what makes an authorizer for a cluster. */
export type AuthorizerPart = PlainMode | ((ground: TrustGround) => Authorizer);

const MODES: Readonly<Record<PlainMode, (ground: TrustGround) => Authorizer>> = {
  Node: nodeAuthorizer,
  RBAC: ({ lookup, api }) => rbacOf(lookup, api.clock.loop),
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
};

/** An authorizer of several parts, asked in their order; members of `system:masters` are let through before (RBAC-35, RBAC-38). */
export const authorizerOf =
  (parts: readonly AuthorizerPart[]) =>
  (ground: TrustGround): Authorizer => {
    const all = union([
      masters,
      ...parts.map((part) => (typeof part === "string" ? MODES[part](ground) : part(ground))),
    ]);
    return parts.includes("RBAC") ? { ...all, advise: roleAdvice(all, ground) } : all;
  };
