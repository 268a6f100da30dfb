/**
 * The request of the commands about rights: `delete pods web`, `get deployments/scale.apps`, `get /metrics`; and the roles and
 * bindings of the server.
 *
 * @module
 */
import { Argument, type Command } from "commander";
import { type NamedRole, readRole } from "../auth/rbac/explain.ts";
import type { Client } from "../client/client.ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../client/kinds/index.ts";
import { NO_REQUEST, type RequestInfo } from "../meta/request-info.ts";
import type { ApiObject } from "../schema/definition.ts";
import { CliError } from "./cli-error.ts";
import { findKind } from "./find-kind.ts";

/** The arguments of a request. */
export interface RightsArguments {
  readonly verb: string;
  readonly what: string;
  readonly name: string | undefined;
}

/** Adds the arguments of a request. */
export const withRightsArguments = (command: Command): Command =>
  command
    .addArgument(new Argument("<verb>", "The verb: get, list, watch, create, update, patch, delete, ..."))
    .addArgument(
      new Argument("<what>", "A kind such as pods, deployments.apps or pods/log; or a path such as /metrics."),
    )
    .addArgument(new Argument("[name]", "The name of the object."));

interface ParsedResource {
  readonly resource: string;
  readonly subresource: string;
  /** Undefined if none is given. */
  readonly group: string | undefined;
}

/** Parses `pods/log`, `deployments.apps`, `deployments/scale.apps` or `deployments.apps/scale`. */
export function parseResource(what: string): ParsedResource {
  const [first = "", second = ""] = what.split("/");
  const [[resource, ofFirst], [subresource, ofSecond]] = [beforeDot(first), beforeDot(second)];
  return { resource, subresource, group: ofFirst ?? ofSecond };
}

function beforeDot(text: string): [string, string | undefined] {
  const dot = text.indexOf(".");
  return dot < 0 ? [text, undefined] : [text.slice(0, dot), text.slice(dot + 1)];
}

/**
 * Returns the request as authorization sees it. An unknown kind is used as it is written, as rules may name resources that are not
 * served (signers); then only the namespace of the command line is used.
 *
 * @param namespace of the command line or the context
 * @param explicit the namespace of the command line
 */
export async function requestInfoOf(
  client: Client,
  { verb, what, name = "" }: RightsArguments,
  namespace: string,
  explicit: string | undefined,
): Promise<RequestInfo> {
  if (what.startsWith("/")) return { ...NO_REQUEST, verb, path: what };
  const { resource, subresource, group } = parseResource(what);
  if (resource === "")
    throw new CliError(`expected a kind such as pods, or a path such as /metrics, got ${what}`, { usage: true });
  const kind = await findKind(client, group === undefined ? resource : `${resource}.${group}`).catch(
    (error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    },
  );
  const about = { ...NO_REQUEST, isResource: true, verb, subresource, name };
  if (!kind) return { ...about, resource, group: group ?? "", namespace: explicit ?? "" };
  // A request for a namespace is in this namespace (RBAC-4).
  const isNamespace = kind.group === "" && kind.plural === "namespaces";
  const home = kind.scope === "Namespaced" ? namespace : isNamespace ? name : "";
  return { ...about, resource: kind.plural, group: kind.group, namespace: home };
}

/** The roles and bindings of a cluster. */
export interface RoleObjects {
  readonly roles: readonly NamedRole[];
  readonly bindings: readonly ApiObject[];
}

/** Lists all roles and bindings. @throws StatusError if the user may not */
export async function readRoles(client: Client): Promise<RoleObjects> {
  const [clusterRoles, roles, clusterBindings, bindings] = await Promise.all([
    client.resource(ClusterRole).list(),
    client.resource(Role).list(),
    client.resource(ClusterRoleBinding).list(),
    client.resource(RoleBinding).list(),
  ]);
  const objects = (items: readonly unknown[]): readonly ApiObject[] => items as readonly ApiObject[];
  return {
    roles: [...objects(clusterRoles.items), ...objects(roles.items)].map(readRole),
    bindings: [...objects(clusterBindings.items), ...objects(bindings.items)],
  };
}
