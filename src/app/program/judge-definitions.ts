/**
 * Definitions, judged by the server itself: they are sent to a cluster that keeps nothing, as a dry run.
 *
 * @module
 */
import type { DefinitionVerdict } from "../../cli/actions.ts";
import { StatusError } from "../../client/errors.ts";
import { createCluster } from "../../cluster/index.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";

const PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Strict";

/** What a server says to each of the definitions. */
export async function judgeDefinitions(definitions: readonly object[]): Promise<readonly DefinitionVerdict[]> {
  const store = await openMemoryStore();
  await using cluster = await createCluster({ store, dialect: kubernetes });
  const client = cluster.client("keelson-types");
  const verdicts: DefinitionVerdict[] = [];
  for (const body of definitions) {
    try {
      verdicts.push({ definition: await client.json("POST", PATH, { body }) });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      verdicts.push({ fault: error.status.message ?? error.message });
    }
  }
  return verdicts;
}
