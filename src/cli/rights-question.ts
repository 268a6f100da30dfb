/**
 * The question of the commands about rights: `delete pods web`, `get deployments/scale.apps`, `get /metrics`; and the roles and
 * bindings that answer it, as the server lists them.
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

/** The words of a question. */
export interface RightsWords {
  readonly verb: string;
  readonly what: string;
  readonly name: string | undefined;
}

/** Adds the arguments of a question. */
export const withRightsArguments = (command: Command): Command =>
  command
    .addArgument(new Argument("<verb>", "What is done: get, list, watch, create, update, patch, delete, ..."))
    .addArgument(
      new Argument("<what>", "To what: a kind as pods, deployments.apps or pods/log; or a path as /metrics."),
    )
    .addArgument(new Argument("[name]", "To which object."));

/** What is asked. */
interface Asked {
  readonly resource: string;
  readonly subresource: string;
  /** Undefined where none is said. */
  readonly group: string | undefined;
}

/** `pods/log`, `deployments.apps`, `deployments/scale.apps`, `deployments.apps/scale`. */
export function parseWhat(what: string): Asked {
  const [first = "", second = ""] = what.split("/");
  const [[resource, ofFirst], [subresource, ofSecond]] = [beforeDot(first), beforeDot(second)];
  return { resource, subresource, group: ofFirst ?? ofSecond };
}

function beforeDot(text: string): [string, string | undefined] {
  const dot = text.indexOf(".");
  return dot < 0 ? [text, undefined] : [text.slice(0, dot), text.slice(dot + 1)];
}

/**
 * The question in the words of authorisation. A kind that the server does not have is asked as it is written, since rules may
 * speak of things that are no kinds (signers); then the namespace counts where it was said.
 *
 * @param namespace that of the context, or `said` on the command line
 */
export async function questionOf(
  client: Client,
  { verb, what, name = "" }: RightsWords,
  namespace: string,
  said: string | undefined,
): Promise<RequestInfo> {
  if (what.startsWith("/")) return { ...NO_REQUEST, verb, path: what };
  const { resource, subresource, group } = parseWhat(what);
  if (resource === "")
    throw new CliError(`expected a kind such as pods, or a path such as /metrics, got ${what}`, { usage: true });
  const kind = await findKind(client, group === undefined ? resource : `${resource}.${group}`).catch(
    (error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    },
  );
  const about = { ...NO_REQUEST, isResource: true, verb, subresource, name };
  if (!kind) return { ...about, resource, group: group ?? "", namespace: said ?? "" };
  // Whoever asks about a namespace asks in it (RBAC-4).
  const isNamespace = kind.group === "" && kind.plural === "namespaces";
  const place = kind.scope === "Namespaced" ? namespace : isNamespace ? name : "";
  return { ...about, resource: kind.plural, group: kind.group, namespace: place };
}

/** All that roles say in a cluster. */
export interface RoleObjects {
  readonly roles: readonly NamedRole[];
  readonly bindings: readonly ApiObject[];
}

/** Reads all roles and bindings. @throws StatusError where the user may not */
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
