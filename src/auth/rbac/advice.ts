import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import type { Authorizer, Identity, AuthContext } from "../contract.ts";
import type { RoleName } from "./binding.ts";
import { readRole, rolesThatAllow } from "./explain.ts";
import { RBAC_GROUP } from "./role-cache.ts";

const MAX_NAMED_ROLES = 3;

/** Names the roles that would allow a refused request, for users who may list all roles; others get no advice. */
export function roleAdvice(
  authorizer: Pick<Authorizer, "authorize">,
  { lookup }: Pick<AuthContext, "lookup">,
): NonNullable<Authorizer["advise"]> {
  const mayList = async (identity: Identity, resource: string, namespace: string): Promise<boolean> => {
    const info = { ...NO_REQUEST, isResource: true, verb: "list", group: RBAC_GROUP, resource, namespace };
    return (await authorizer.authorize(identity, info)).allowed;
  };
  return async (identity, info) => {
    const { namespace } = info;
    if (!(await mayList(identity, "clusterroles", ""))) return undefined;
    if (namespace !== "" && !(await mayList(identity, "roles", namespace))) return undefined;
    const ofCluster = await lookup.collect(`clusterroles.${RBAC_GROUP}`, readRole);
    const local = namespace === "" ? [] : await lookup.collect(`roles.${RBAC_GROUP}`, readRole, namespace);
    return sentenceOf(rolesThatAllow(info, [...ofCluster, ...local]), info);
  };
}

function sentenceOf(roles: readonly RoleName[], { namespace }: RequestInfo): string {
  if (roles.length === 0) return "no role allows it";
  const named = roles.slice(0, MAX_NAMED_ROLES).map(({ kind, name }) => `${kind} ${JSON.stringify(name)}`);
  const binding = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  return `a ${binding} of ${named.join(" or ")} would allow it`;
}
