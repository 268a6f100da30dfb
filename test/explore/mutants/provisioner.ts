import type { Mutant } from "./mutant.ts";

const PROVISION = "src/sidecars/provision/provision.ts";
const PROVISIONER = "src/sidecars/provision/provisioner.ts";
const DELETER = "src/sidecars/provision/deleter.ts";
const CLEANUP = "src/sidecars/provision/cleanup.ts";

/** Mistakes in the provisioner. */
export const PROVISIONER_MUTANTS: readonly Mutant[] = [
  {
    name: "the driver is called without a finalizer on the claim",
    file: PROVISION,
    find: "const claim = await withFinalizer(ctx.client, PersistentVolumeClaim, ctx.object, sidecar.names.provisioning);",
    replace: "const claim = ctx.object;",
    story: "volumes",
    fault: "A claim that is deleted while its provisioner is down leaves a volume of the driver.",
    shows: "leaked",
  },
  {
    name: "a refused finalizer is not tried again",
    file: PROVISION,
    find: "if (!claim) return REQUEUE_SOON;",
    replace: "if (!claim) return undefined;",
    story: "volumes",
    fault: "A claim waits for ever after a conflict.",
    shows: "missing",
  },
  {
    name: "the finalizer is removed before the volume is stored",
    file: PROVISION,
    find: "    if (!(await store(context, claim, prepared, created))) return REQUEUE_SOON;",
    replace: "    await release();\n    if (!(await store(context, claim, prepared, created))) return REQUEUE_SOON;",
    story: "volumes",
    fault: "A claim that is deleted while its provisioner is down leaves a volume of the driver.",
    shows: "leaked",
  },
  {
    name: "the volume is deleted when its object cannot be stored",
    file: PROVISION,
    find: 'const stored = await attempt(volumes.create(volumeOf(sidecar, claim, prepared, created)), "AlreadyExists");',
    replace: `const stored = await attempt(volumes.create(volumeOf(sidecar, claim, prepared, created)), "AlreadyExists").catch(
    async (error: unknown) => {
      await callDriver(context, "deleteVolume", { volumeId: created.volumeId, secrets });
      throw error;
    },
  );`,
    story: "volumes",
    fault: "The answer was lost, the object was stored: it names a volume that is gone.",
    shows: "data-lost",
  },
  {
    name: "an object that is stored already is a failure",
    file: PROVISION,
    find: 'const stored = await attempt(volumes.create(volumeOf(sidecar, claim, prepared, created)), "AlreadyExists");',
    replace: `const stored = await attempt(volumes.create(volumeOf(sidecar, claim, prepared, created)), "Forbidden");`,
    story: "volumes",
    fault: "A claim is never done whose object was stored by a request without an answer.",
    hidden: "the watch shows the object, and the next try finds it there",
  },
  {
    name: "any object of that name is the volume",
    file: PROVISION,
    find: "return found?.spec.claimRef?.uid === claim.metadata.uid;",
    replace: "return found !== undefined;",
    story: "volumes",
    fault: "A claim is done whose volume's name another object has.",
    hidden: "the name has the uid of the claim: equivalent unless somebody guesses it",
  },
  {
    name: "the name of a volume changes with the claim",
    file: "src/sidecars/provision/request.ts",
    find: '`${settings.volumeNamePrefix ?? "pvc"}-${metadata.uid}`',
    replace: '`${settings.volumeNamePrefix ?? "pvc"}-${metadata.uid}-${metadata.resourceVersion}`',
    story: "volumes",
    fault: "A call that is repeated after a crash makes another volume.",
    shows: "leaked",
  },
  {
    name: "errors are swallowed",
    file: PROVISION,
    find: "    return { requeueAfter: pace.backoff.most };\n  }\n  throw error;",
    replace: "    return { requeueAfter: pace.backoff.most };\n  }\n  return undefined;",
    story: "volumes",
    fault: "A claim waits for ever after an error of the driver.",
    shows: "data-lost",
  },
  {
    name: "a claim with a volume keeps the finalizer",
    file: PROVISIONER,
    find: "if (!isWaiting(claim, sidecar)) return isHeld ? finish(context) : undefined;",
    replace: "if (!isWaiting(claim, sidecar)) return undefined;",
    story: "volumes",
    fault: "After a crash before the finalizer was removed, the claim can never be deleted.",
    shows: "step-failed",
  },
  {
    name: "a claim whose volume is stored keeps the finalizer",
    file: PROVISIONER,
    find: "if (ctx.informer(sidecar.specs.volumes).get({ name })) return isHeld ? finish(context) : undefined;",
    replace: "if (ctx.informer(sidecar.specs.volumes).get({ name })) return undefined;",
    story: "volumes",
    fault: "After a crash before the finalizer was removed, the claim can never be deleted.",
    hidden: "the binder names the volume in the claim, which then needs none any more and is finished by that",
  },
  {
    name: "a deleted claim is let go without a look for its volume",
    file: PROVISIONER,
    find: "  if (!wasStored) {",
    replace: "  if (wasStored === null) {",
    story: "volumes",
    fault: "A claim that is deleted while its volume is made leaves a volume of the driver.",
    shows: "leaked",
  },
  {
    name: "memory decides that no object of the volume is stored",
    file: PROVISIONER,
    find: "    ctx.informer(sidecar.specs.volumes).get({ name }) ||\n    (await ctx.client.resource(PersistentVolume).find({ name }));",
    replace: "    ctx.informer(sidecar.specs.volumes).get({ name });",
    story: "retained",
    fault: "While the watch of volumes is behind, the disk of a volume is deleted that a user wants to keep.",
    shows: "eventually",
  },
  {
    name: "cleanup: the finalizer is removed first",
    file: PROVISIONER,
    find: "    const retry = await cleanUp(context);",
    replace:
      "    await removeFinalizer(ctx.client, PersistentVolumeClaim, ctx.object, sidecar.names.provisioning);\n    const retry = await cleanUp(context);",
    story: "stuck",
    fault: "After a crash between the two, a volume of the driver is left.",
    shows: "leaked",
  },
  {
    name: "cleanup: an error means that there is no volume",
    file: CLEANUP,
    find: "if (!(error instanceof CallError) || mayStillCreate(error)) throw error;",
    replace: "if (!(error instanceof CallError)) throw error;",
    story: "stuck",
    fault: "A volume of the driver is left when the driver does not answer in time.",
    shows: "leaked",
  },
  {
    name: "an attempt belongs to every claim of its name",
    file: "src/sidecars/provision/attempts.ts",
    find: "if (known?.uid === uid) return known;",
    replace: "if (known) return known;",
    story: "hurried",
    fault: "A claim that was made again asks for the volume of the one before.",
    shows: "eventually",
  },
  {
    name: "deletion: memory decides that a volume is still released",
    file: DELETER,
    find: "if (!(await isStillReleased(context))) return undefined;",
    replace: "void isStillReleased;",
    story: "attached",
    fault: "While the watch of volumes is behind, a disk is deleted that a user has decided to keep.",
  },
  {
    name: "deletion: the object goes before the disk",
    file: DELETER,
    find: '    await callDriver(context, "deleteVolume", { volumeId: volume.spec.csi!.volumeHandle, secrets });',
    replace: `    await attempt(ctx.client.resource(PersistentVolume).delete(volume), "NotFound", "Conflict");
    await removeFinalizer(ctx.client, PersistentVolume, volume, names.provisioned);
    await callDriver(context, "deleteVolume", { volumeId: volume.spec.csi!.volumeHandle, secrets });`,
    story: "volumes",
    fault: "After a crash between the two, a volume of the driver is left.",
    shows: "leaked",
  },
  {
    name: "deletion: errors of the driver are swallowed",
    file: DELETER,
    find: '    ctx.events.warning("VolumeFailedDelete", errorText(error));\n    throw error;',
    replace: '    ctx.events.warning("VolumeFailedDelete", errorText(error));\n    return undefined;',
    story: "volumes",
    fault: "A volume stays for ever after an error of the driver.",
    shows: "leaked",
  },
  {
    name: "deletion: the finalizer of a deleted volume is not removed",
    file: DELETER,
    find: "if (now?.metadata.uid === volume.metadata.uid && hasFinalizer(now, names.provisioned)) {",
    replace:
      "if (now?.metadata.uid === volume.metadata.uid && hasFinalizer(now, names.provisioned) && volume.metadata.deletionTimestamp === undefined) {",
    story: "volumes",
    fault: "After a crash behind the deletion of the object, it remains in deletion.",
    shows: "stuck-in-deletion",
  },
];
