/**
 * Runs `keelson who-can` and `keelson why-denied`. Both list the roles and bindings of the server, with the permissions of the user,
 * and evaluate them with the functions of a server.
 *
 * @module
 */
import type { Binding, RoleName } from "../auth/rbac/binding.ts";
import { type Grant, explain, grantsOf } from "../auth/rbac/explain.ts";
import type { Client } from "../client/client.ts";
import { isStatus } from "../client/errors.ts";
import { SelfSubjectReview } from "../client/kinds/index.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { printReport, styleOf } from "./print-report.ts";
import { type RightsUser, whoCanLines, whyDeniedLines } from "./rights-lines.ts";
import { type RightsArguments, type RoleObjects, requestInfoOf, readRoles } from "./rights-request.ts";

/** The request of `who-can`. */
export interface RightsRequest extends RightsArguments, ConnectFlags {
  readonly output: "text" | "json";
}

/** The request of `why-denied`, with the user. */
export interface WhyDeniedRequest extends RightsRequest {
  readonly as?: string;
  readonly asGroup: readonly string[];
}

/** Prints who may do something. */
export async function runWhoCan(actions: Actions, request: RightsRequest): Promise<void> {
  using connection = await connect(actions, request);
  const { client, namespace } = connection;
  const info = await requestInfoOf(client, request, namespace, request.namespace);
  const { roles, bindings } = await rolesFor(client);
  const grants = grantsOf(info, roles, bindings);
  const report = { grants: grants.map(grantValue) };
  printReport(actions, request.output, report, () => whoCanLines(info, grants, styleOf(actions)));
}

/** Prints why a user may not do something. */
export async function runWhyDenied(actions: Actions, request: WhyDeniedRequest): Promise<void> {
  using connection = await connect(actions, request);
  const { client, namespace } = connection;
  const info = await requestInfoOf(client, request, namespace, request.namespace);
  const user =
    request.as === undefined ? await currentUser(client, request) : userWithGroups(request.as, request.asGroup);
  const { roles, bindings } = await rolesFor(client);
  const found = explain(user, info, roles, bindings);
  const report = {
    allowed: found.grants.length > 0,
    grants: found.grants.map(grantValue),
    misses: found.misses.map(({ lacks, binding, rule }) => ({ lacks, ...grantValue({ binding, rule: rule ?? {} }) })),
    helpful: found.helpful.map(roleValue),
  };
  printReport(actions, request.output, report, () => whyDeniedLines(user, info, found, styleOf(actions)));
}

async function rolesFor(client: Client): Promise<RoleObjects> {
  try {
    return await readRoles(client);
  } catch (error) {
    if (!isStatus(error, "Forbidden")) throw error;
    throw new CliError(`expected permission to list roles and bindings: ${error.message}`, { cause: error });
  }
}

/** Requests the user of the kubeconfig. */
async function currentUser(client: Client, { asGroup }: WhyDeniedRequest): Promise<RightsUser> {
  if (asGroup.length > 0) throw new CliError("expected --as with --as-group", { usage: true });
  const { status } = await client.resource(SelfSubjectReview).create({ metadata: {} } as never);
  const { username = "", groups = [] } = status.userInfo ?? {};
  return { user: username, groups };
}

/** Returns a user with the groups that the server adds (AUTHN-9, AUTHN-15, AUTHN-21). */
function userWithGroups(user: string, groups: readonly string[]): RightsUser {
  const namespace = /^system:serviceaccount:([^:]+):./.exec(user)?.[1];
  const own = namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const all = user === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  return { user, groups: [...new Set([...groups, ...own, all])] };
}

const roleValue = ({ kind, namespace, name }: RoleName): object => ({
  kind,
  ...(namespace === "" ? {} : { namespace }),
  name,
});

const grantValue = ({ binding, rule }: Grant): object => ({
  binding: bindingValue(binding),
  role: roleValue(binding.role),
  rule,
  subjects: binding.subjects,
});

const bindingValue = ({ namespace, name }: Binding): object =>
  namespace === "" ? { kind: "ClusterRoleBinding", name } : { kind: "RoleBinding", namespace, name };
