import { alwaysAllow, alwaysDeny, masters } from "./admin.ts";
import type { Authorizer, TrustGround } from "./contract.ts";
import type { AuthorizationMode } from "./modes.ts";
import { nodeAuthorizer } from "./node/node-authorizer.ts";
import { rbacOf } from "./rbac/rbac.ts";
import { union } from "./union.ts";

const MODES: Readonly<Record<AuthorizationMode, (ground: TrustGround) => Authorizer>> = {
  Node: nodeAuthorizer,
  RBAC: rbacOf,
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
};

/** An authorizer of several modes, asked in their order; members of `system:masters` are let through before (RBAC-35, RBAC-38). */
export const authorizerOf =
  (modes: readonly AuthorizationMode[]) =>
  (ground: TrustGround): Authorizer =>
    union([masters, ...modes.map((mode) => MODES[mode](ground))]);
