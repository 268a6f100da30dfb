/**
 * The rights that a user needs for a trial: those that the server requires to create the tried objects. A policy reads its
 * params with the rights of its author, and a webhook gets the objects.
 *
 * @module
 */
import { policyParameters } from "../admission/policy-parameters.ts";
import type { ResourceOfKind } from "../admission/owner-references.ts";
import type { Identity } from "../auth/contract.ts";
import { NO_REQUEST } from "../meta/request-info.ts";
import { forbidden } from "../meta/status.ts";
import type { TrialParts } from "./contract.ts";
import { KindTable, type TrialDocument, type TrialDocuments, resourcesOfSort } from "./documents.ts";
import { Overlay } from "./overlay.ts";
import { requestOfTrial } from "./request.ts";

/** Rejects with 422 for params that the user may not read, and with 403 for webhooks that the user may not configure. */
export async function checkRights(
  parts: TrialParts,
  { policies, webhooks, others }: TrialDocuments,
  identity: Identity,
): Promise<void> {
  const table = new KindTable(parts.kinds);
  const { authorizer } = parts;
  const step = policyParameters({
    authorizer,
    resourcesOf: (apiVersion, kind) => resourcesOf(table, apiVersion, kind),
  });
  for (const { sort, policy, bindings } of policies) {
    const own = [policy, ...bindings];
    const lookup = new Overlay(parts.lookup, [...own, ...others], new Set(Object.values(resourcesOfSort(sort))));
    for (const { object, from } of own) {
      const write = {
        kind: table.of({ value: object as never, from }),
        operation: "CREATE",
        object,
        old: undefined,
      } as const;
      await step.validate?.(requestOfTrial(write, { api: parts.api, lookup, identity }));
    }
  }
  for (const document of webhooks) await mayConfigure(parts, table, document, identity);
}

function resourcesOf(table: KindTable, apiVersion: string, kind: string): readonly ResourceOfKind[] {
  const found = table.find(apiVersion, kind);
  if (!found) return [];
  const { group, version, plural } = found.definition;
  return [{ group, version, plural, namespaced: found.namespaced }];
}

async function mayConfigure(
  { authorizer }: TrialParts,
  table: KindTable,
  { object, from }: TrialDocument,
  identity: Identity,
): Promise<void> {
  const { ref, definition } = table.of({ value: object as never, from });
  const { group, version, plural } = definition;
  const info = { ...NO_REQUEST, isResource: true, verb: "create", group, version, resource: plural };
  const { allowed } = await authorizer.authorize(identity, info);
  if (allowed) return;
  const why = `a trial sends objects to its webhooks, so user ${JSON.stringify(identity.user)} needs the right to create ${plural}`;
  throw forbidden(ref, object.metadata.name ?? "", why);
}
