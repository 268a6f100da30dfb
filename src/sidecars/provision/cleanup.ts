/**
 * Deletes a volume that the driver may have created for a claim that needs none any more: the claim was deleted, or has
 * another volume.
 *
 * A driver knows a volume by its requested name, and only CreateVolume returns its ID. So the call is repeated, and the
 * volume that it returns is deleted.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { classOf } from "../../claims/fit.ts";
import type { Result } from "../../runtime/index.ts";
import { errorText } from "../../util/cut-text.ts";
import { CallError, MAX_UNCLEAR_ERRORS, isUnclear, mayStillCreate } from "../call.ts";
import { callDriver } from "../sidecar.ts";
import type { Attempt, ProvisionContext } from "./attempts.ts";
import { contentOf } from "./content.ts";
import { create } from "./provision.ts";
import { type Prepared, prepare } from "./request.ts";

/** Makes sure that a claim leaves no volume. Errors are thrown for a retry. */
export async function cleanUp(context: ProvisionContext): Promise<Result> {
  const { ctx, attempts } = context;
  const known = attempts.of(keyText(ctx.key), ctx.object.metadata.uid);
  const prepared = await preparedAgain(context, known);
  if (!prepared) return undefined;
  known.unwanted ??= await findUnwanted(context, known, prepared);
  if (known.unwanted === undefined) return undefined;
  await callDriver(context, "deleteVolume", { volumeId: known.unwanted, secrets: prepared.request.secrets });
  return undefined;
}

/** The former request, or the one that follows from the claim now. */
async function preparedAgain(context: ProvisionContext, known: Attempt): Promise<Prepared | undefined> {
  const { ctx, sidecar } = context;
  if (known.prepared) return known.prepared;
  const claim = ctx.object;
  const name = classOf(claim, sidecar.names);
  const storageClass = ctx.informer(sidecar.specs.classes).get({ name });
  try {
    if (known.requested && storageClass?.provisioner !== sidecar.driver.name) return known.requested;
    if (!storageClass) throw new Error(`storageclass ${JSON.stringify(name)} not found`);
    const found = await contentOf(ctx, sidecar, claim, storageClass);
    known.prepared = await prepare(ctx, sidecar, { claim, storageClass, content: found?.content });
    return known.prepared;
  } catch (error) {
    if (known.requested) return known.requested;
    const { provisioning } = sidecar.names;
    ctx.events.warning(
      "ProvisioningCleanupFailed",
      `cannot ask the driver for a volume of this claim: ${errorText(error)}; if there is none, remove the finalizer ${provisioning}`,
    );
    throw error;
  }
}

/** The ID of the volume; undefined where there is none, according to the driver. */
async function findUnwanted(
  context: ProvisionContext,
  known: Attempt,
  prepared: Prepared,
): Promise<string | undefined> {
  const { ctx } = context;
  try {
    const { volumeId } = await create(context, prepared);
    known.prepared = prepared;
    return volumeId;
  } catch (error) {
    if (!(error instanceof CallError) || mayStillCreate(error)) throw error;
    if (!isUnclear(error)) return undefined;
    if (++known.unclear < MAX_UNCLEAR_ERRORS) throw error;
    ctx.events.warning(
      "ProvisioningCleanupFailed",
      `volume ${prepared.request.name} may exist after ${MAX_UNCLEAR_ERRORS} attempts to find it: ${error.message}`,
    );
    return undefined;
  }
}
