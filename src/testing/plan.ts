import {
  type ApiObject,
  type Client,
  type Manifest,
  type PlanReport,
  StatusError,
  applyDocuments,
  planDocuments,
} from "../client/index.ts";
import { readManifests } from "../client/manifests.ts";

/** As a test applies objects one by one. */
const OPTIONS = { fieldManager: "test", force: true };

const manifestsIn = (sources: readonly (string | Manifest)[]): readonly Manifest[] =>
  sources.flatMap((source) => readManifests(source)).map(({ manifest }) => manifest);

/** Plans the objects of sources; nothing is stored. */
export const planOn = (client: Client, sources: readonly (string | Manifest)[]): Promise<PlanReport> =>
  planDocuments(client, manifestsIn(sources), OPTIONS);

/**
 * Applies the objects of sources as one; resolves to them in the given order.
 *
 * @throws StatusError of the first refused object
 */
export async function applyAllOn(
  client: Client,
  sources: readonly (string | Manifest)[],
): Promise<readonly ApiObject[]> {
  const plan = await applyDocuments(client, manifestsIn(sources), { ...OPTIONS, objects: true });
  if (plan.status) throw new StatusError(plan.status, { plan });
  return plan.documents
    .toSorted((a, b) => (a.document ?? 0) - (b.document ?? 0))
    .map(({ value }) => value as unknown as ApiObject);
}
