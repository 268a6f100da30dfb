/**
 * What `keelson who-can` and `keelson why-denied` do once they are asked to. Both read the roles and bindings of the server,
 * with the rights of whoever asks, and judge by the functions that a server judges by.
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
import { painter, wantsColour } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { type Asker, type RightsStyle, whoCanLines, whyDeniedLines } from "./rights-lines.ts";
import { type RightsWords, type RoleObjects, questionOf, readRoles } from "./rights-question.ts";

interface RightsRequest extends RightsWords, ConnectFlags {
  readonly output: "text" | "json";
}

/** Somebody who may not. */
interface WhyDeniedRequest extends RightsRequest {
  readonly as?: string;
  readonly asGroup: readonly string[];
}

/** Tells who may do something. */
export async function runWhoCan(actions: Actions, request: RightsRequest): Promise<void> {
  using connection = await connect(actions, request);
  const { client, namespace } = connection;
  const info = await questionOf(client, request, namespace, request.namespace);
  const { roles, bindings } = await rolesFor(client);
  const grants = grantsOf(info, roles, bindings);
  if (request.output === "json") return print(actions, { grants: grants.map(grantValue) });
  actions.print(whoCanLines(info, grants, styleOf(actions)).join("\n"));
}

/** Tells why somebody may not do something. */
export async function runWhyDenied(actions: Actions, request: WhyDeniedRequest): Promise<void> {
  using connection = await connect(actions, request);
  const { client, namespace } = connection;
  const info = await questionOf(client, request, namespace, request.namespace);
  const asker = request.as === undefined ? await whoIsAsking(client, request) : askerOf(request.as, request.asGroup);
  const { roles, bindings } = await rolesFor(client);
  const found = explain(asker, info, roles, bindings);
  if (request.output === "json") {
    return print(actions, {
      allowed: found.grants.length > 0,
      grants: found.grants.map(grantValue),
      misses: found.misses.map(({ lacks, binding, rule }) => ({ lacks, ...grantValue({ binding, rule: rule ?? {} }) })),
      helpful: found.helpful.map(roleValue),
    });
  }
  actions.print(whyDeniedLines(asker, info, found, styleOf(actions)).join("\n"));
}

async function rolesFor(client: Client): Promise<RoleObjects> {
  try {
    return await readRoles(client);
  } catch (error) {
    if (!isStatus(error, "Forbidden")) throw error;
    throw new CliError(`expected to be allowed to list roles and their bindings: ${error.message}`, { cause: error });
  }
}

/** Whoever the kubeconfig speaks for. */
async function whoIsAsking(client: Client, { asGroup }: WhyDeniedRequest): Promise<Asker> {
  if (asGroup.length > 0) throw new CliError("expected --as with --as-group", { usage: true });
  const { status } = await client.resource(SelfSubjectReview).create({ metadata: {} } as never);
  const { username = "", groups = [] } = status.userInfo ?? {};
  return { user: username, groups };
}

/** A user with the groups that such a user always has (AUTHN-9, AUTHN-15, AUTHN-21). */
function askerOf(user: string, groups: readonly string[]): Asker {
  const namespace = /^system:serviceaccount:([^:]+):./.exec(user)?.[1];
  const own = namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const all = user === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  return { user, groups: [...new Set([...groups, ...own, all])] };
}

function styleOf({ terminal: { isTerminal, env, columns } }: Actions): RightsStyle {
  return { paint: painter(wantsColour(isTerminal, env)), columns };
}

const print = (actions: Actions, value: object): void => actions.print(JSON.stringify(value, undefined, 2));

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
