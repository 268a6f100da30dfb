/**
 * Takes back what a driver may have been asked for in vain: a claim went, or was given another volume, before it was known what came of
 * it.
 *
 * A driver knows a volume by the name that it was asked for, and only a driver that is asked again tells what it is called. So it is asked
 * once more, and what is there then is deleted.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { classOf } from "../../claims/fit.ts";
import type { Result } from "../../runtime/index.ts";
import { CallError, MOST_UNCLEAR, isUnclear, mayBeMade } from "../call.ts";
import { callOf } from "../sidecar.ts";
import type { Attempt } from "./attempts.ts";
import { contentFor, fillerOf } from "./content.ts";
import type { Provisioning } from "./given.ts";
import { create } from "./provision.ts";
import { type Prepared, prepare } from "./request.ts";
import { errorText } from "../../util/cut-text.ts";

/** Makes sure that no volume is left of a claim; what it throws is to be tried again. */
export async function abandon(given: Provisioning): Promise<Result> {
  const { ctx, sidecar, attempts } = given;
  const known = attempts.of(keyText(ctx.key), ctx.object.metadata.uid);
  const prepared = await preparedAgain(given, known);
  if (!prepared) return undefined;
  known.unwanted ??= await findUnwanted(given, known, prepared);
  const { unwanted } = known;
  if (unwanted === undefined) return undefined;
  const { secrets } = prepared.request;
  await callOf(sidecar, ctx.signal)("DeleteVolume", (calls, how) =>
    calls.deleteVolume({ volumeId: unwanted, secrets }, how),
  );
  return undefined;
}

/** The request as it was, or as it would be now; undefined where the driver cannot have been asked. */
async function preparedAgain(given: Provisioning, known: Attempt): Promise<Prepared | undefined> {
  const { ctx, sidecar } = given;
  if (known.prepared) return known.prepared;
  const claim = ctx.object;
  const name = classOf(claim, sidecar.names);
  const storageClass = ctx.informer(sidecar.specs.classes).get({ name });
  try {
    if (known.asked && storageClass?.provisioner !== sidecar.driver.name) return known.asked;
    if (!storageClass) throw new Error(`expected the StorageClass ${name} to be there`);
    const filler = fillerOf(claim, sidecar);
    const found =
      filler.is === "driver"
        ? await contentFor(ctx, sidecar, { claim, storageClass, source: filler.source })
        : undefined;
    known.prepared = await prepare(ctx, sidecar, { claim, storageClass, content: found?.content });
    return known.prepared;
  } catch (error) {
    if (known.asked) return known.asked;
    ctx.events.warning(
      "ProvisioningCleanupFailed",
      `its driver may have a volume for it, and cannot be asked: ${errorText(error)}; whoever knows that there is none may take the finalizer ${sidecar.names.provisioning} off`,
    );
    throw error;
  }
}

/** The volume that is there; undefined where there is none, as far as that can be known. */
async function findUnwanted(given: Provisioning, known: Attempt, prepared: Prepared): Promise<string | undefined> {
  const { ctx } = given;
  try {
    const { volumeId } = await create(given, prepared);
    known.prepared = prepared;
    return volumeId;
  } catch (error) {
    if (!(error instanceof CallError) || mayBeMade(error)) throw error;
    if (!isUnclear(error)) return undefined;
    if (++known.unclear < MOST_UNCLEAR) throw error;
    ctx.events.warning(
      "ProvisioningCleanupFailed",
      `whether ${prepared.request.name} was made is not known after ${MOST_UNCLEAR} tries: ${error.message}`,
    );
    return undefined;
  }
}
