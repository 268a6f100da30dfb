import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import type { Authorizer, Identity, TrustGround } from "../contract.ts";
import type { RoleName } from "./binding.ts";
import { readRole, rolesThatAllow } from "./explain.ts";
import { GROUP } from "./role-cells.ts";

/** How many roles are named. */
const MOST = 3;

/**
 * Advises those who were refused and may list all roles: which of them would allow it. Others learn nothing, and cost no more
 * than the question whether they may.
 */
export function roleAdvice(
  authorizer: Pick<Authorizer, "authorize">,
  { lookup }: Pick<TrustGround, "lookup">,
): NonNullable<Authorizer["advise"]> {
  const mayList = async (identity: Identity, resource: string, namespace: string): Promise<boolean> => {
    const asked = { ...NO_REQUEST, isResource: true, verb: "list", group: GROUP, resource, namespace };
    return (await authorizer.authorize(identity, asked)).allowed;
  };
  return async (identity, info) => {
    const { namespace } = info;
    if (!(await mayList(identity, "clusterroles", ""))) return undefined;
    if (namespace !== "" && !(await mayList(identity, "roles", namespace))) return undefined;
    const ofCluster = await lookup.collect(`clusterroles.${GROUP}`, readRole);
    const local = namespace === "" ? [] : await lookup.collect(`roles.${GROUP}`, readRole, namespace);
    return inWords(rolesThatAllow(info, [...ofCluster, ...local]), info);
  };
}

function inWords(roles: readonly RoleName[], { namespace }: RequestInfo): string {
  if (roles.length === 0) return "no role allows it";
  const named = roles.slice(0, MOST).map(({ kind, name }) => `${kind} ${JSON.stringify(name)}`);
  const binding = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  return `a ${binding} of ${named.join(" or ")} would allow it`;
}
