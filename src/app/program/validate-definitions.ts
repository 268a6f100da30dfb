import type { DefinitionResult } from "../../cli/actions.ts";
import { StatusError } from "../../client/errors.ts";
import { createCluster } from "../../cluster/index.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";

const PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Strict";

/** Validates definitions as a server does: creates them as a dry run in a cluster in memory. */
export async function validateDefinitions(definitions: readonly object[]): Promise<readonly DefinitionResult[]> {
  const store = await openMemoryStore();
  await using cluster = await createCluster({ store, dialect: kubernetes });
  const client = cluster.client("keelson-types");
  const results: DefinitionResult[] = [];
  for (const body of definitions) {
    try {
      results.push({ definition: await client.json("POST", PATH, { body }) });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      results.push({ error: error.status.message ?? error.message });
    }
  }
  return results;
}
