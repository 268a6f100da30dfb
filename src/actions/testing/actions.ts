import type { AskResult, Resource } from "../../registry/contract.ts";
import { CALLER, WRITE, bodyOf, registryOf } from "../../registry/testing/registry.ts";
import { alwaysAllow } from "../../auth/admin.ts";
import type { RegistryAccess } from "../../registry/index.ts";
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { type ActionParts, builtInActions } from "../index.ts";

/** The built-in actions, of which a test brings some parts; every user may do everything, and no credential is accepted. */
export const actionsOf = (access: RegistryAccess, parts: Partial<ActionParts> = {}) =>
  builtInActions({
    access,
    authorizer: alwaysAllow,
    authenticator: { authenticate: () => undefined },
    signer: () => {
      throw new Error("expected no token to be requested");
    },
    ...parts,
  });

/** A registry with the built-in actions, and helpers that write to the namespace `n`. */
export async function actionRegistry(definitions: readonly ResourceDefinition[], parts: Partial<ActionParts> = {}) {
  const { kinds } = await registryOf(definitions, { actions: (access) => actionsOf(access, parts) });
  const resource = (plural: string): Resource =>
    kinds.resources.find(({ definition }) => definition.plural === plural)!;
  const target = (name: string, subresource = "") => ({ namespace: "n", name, subresource });
  return {
    resource,
    create: async (plural: string, object: object): Promise<ApiObject> =>
      (await resource(plural).create(target(""), bodyOf(object), WRITE, CALLER)).object,
    ask: (plural: string, name: string, subresource: string, body: object, options = {}): Promise<AskResult> =>
      resource(plural).ask(target(name, subresource), bodyOf(body), { ...WRITE, ...options }, CALLER),
  };
}
