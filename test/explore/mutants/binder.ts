import type { Mutant } from "./mutant.ts";

const CLAIMS = "src/controllers/storage/binder/claims.ts";
const MEMORY = "src/controllers/storage/binder/memory.ts";
const VOLUMES = "src/controllers/storage/binder/volumes.ts";
const RECLAIM = "src/controllers/storage/binder/reclaim.ts";
const RECYCLE = "src/controllers/storage/binder/recycle.ts";
const RELEASE = "src/controllers/storage/binder/release.ts";
const FIT = "src/claims/fit.ts";

/** Mistakes in the binder. */
export const BINDER_MUTANTS: readonly Mutant[] = [
  {
    name: "binding: a refused write is not tried again",
    file: CLAIMS,
    find: "return named && (await setBound(ctx.client, named, bound, ctx.memory.specs.names)) ? undefined : REQUEUE_SOON;",
    replace: "if (named) await setBound(ctx.client, named, bound, ctx.memory.specs.names);\n    return undefined;",
    story: "binding",
    fault: "A conflict whose cause changes nothing that the binder follows leaves a claim half bound.",
    shows: "differs",
  },
  {
    name: "binding: the claim is written before the volume",
    file: CLAIMS,
    find: `    const taken = await reserve(ctx, volume, claim);
    const bound = taken && (await setPhase(ctx.client, taken, "Bound"));
    const named = bound && (await nameVolume(ctx, claim, bound));
    return named && (`,
    replace: `    const named = await nameVolume(ctx, claim, volume);
    const taken = named && (await reserve(ctx, volume, named));
    const bound = taken && (await setPhase(ctx.client, taken, "Bound"));
    return named && bound && (`,
    story: "contest",
    fault: "After a crash between the two, another claim takes the volume that this one names, and this one is Lost.",
    shows: "eventually",
  },
  {
    name: "binding: the status of the claim is written first",
    file: CLAIMS,
    find: `    const taken = await reserve(ctx, volume, claim);
    const bound = taken && (await setPhase(ctx.client, taken, "Bound"));
    const named = bound && (await nameVolume(ctx, claim, bound));
    return named && (await setBound(ctx.client, named, bound, ctx.memory.specs.names)) ? undefined : REQUEUE_SOON;`,
    replace: `    const ready = await setBound(ctx.client, claim, volume, ctx.memory.specs.names);
    const taken = ready && (await reserve(ctx, volume, ready));
    const bound = taken && (await setPhase(ctx.client, taken, "Bound"));
    return bound && (await nameVolume(ctx, ready, bound)) ? undefined : REQUEUE_SOON;`,
    story: "contest",
    fault: "After a crash between the two, a claim is Bound that has no volume, or that another claim has got since.",
    shows: "always",
  },
  {
    name: "binding: a volume is taken whatever its version is",
    file: CLAIMS,
    find: "const written = await write(client, PersistentVolume, reserved);",
    replace: `const { resourceVersion: _, ...metadata } = reserved.metadata;
  const written = await write(client, PersistentVolume, { ...reserved, metadata } as PersistentVolume);`,
    story: "reserved",
    fault: "A binder whose watch of volumes is behind takes a volume that is reserved for another claim.",
    shows: "differs",
  },
  {
    name: "binding: what is written does not count until it is seen",
    file: CLAIMS,
    find: "if (written) memory.markBound(volume);",
    replace: "",
    story: "contest",
    fault: "While its watch of volumes is behind, the binder offers a volume to the next claim.",
    hidden: "the volume is taken in the version of memory, which the server refuses: the only cost is requests",
  },
  {
    name: "default class: a refused write is not tried again",
    file: CLAIMS,
    find: "return (await write(ctx.client, PersistentVolumeClaim, { ...claim, spec })) ? undefined : REQUEUE_SOON;",
    replace: "await write(ctx.client, PersistentVolumeClaim, { ...claim, spec });\n      return undefined;",
    story: "classes",
    fault: "A claim stays without a class after a conflict.",
    shows: "differs",
  },
  {
    name: "provisioning: a refused mark is not tried again",
    file: CLAIMS,
    find: "if (!marked) return REQUEUE_SOON;",
    replace: "if (!marked) return undefined;",
    story: "classes",
    fault: "No provisioner ever sees a claim whose annotation was refused with a conflict.",
    shows: "differs",
  },
  {
    name: "phases: a refused phase is not tried again",
    file: VOLUMES,
    find: "return (await setPhase(client, volume, name)) ? undefined : REQUEUE_SOON;",
    replace: "await setPhase(client, volume, name);\n  return undefined;",
    story: "binding",
    fault: "A volume never becomes Available after a conflict, and no claim gets it.",
    shows: "stuck-in-deletion",
  },
  {
    name: "errors of a claim are swallowed",
    file: "src/controllers/storage/binder/binder.ts",
    find: "return await (claim && syncClaim(ctx, claim));",
    replace: "return await (claim && syncClaim(ctx, claim).catch(() => undefined));",
    story: "binding",
    fault: "After a 500 of the server nobody looks at the claim again.",
    shows: "differs",
  },
  {
    name: "offers: an error ends no offer",
    file: "src/controllers/storage/binder/binder.ts",
    find: `      try {
        const claim = memory.claims.get({ namespace: first, name: second });
        return await (claim && syncClaim(ctx, claim));
      } finally {
        memory.claimDone(\`\${first}/\${second}\`);
      }`,
    replace: `      const claim = memory.claims.get({ namespace: first, name: second });
      const result = await (claim && syncClaim(ctx, claim));
      memory.claimDone(\`\${first}/\${second}\`);
      return result;`,
    story: "offers",
    fault: "A volume that was offered to a claim whose write failed is offered to nobody else.",
    hidden: "the failed claim is tried again, and the second try ends the offer",
  },
  {
    name: "offers: what a claim declines is kept for it",
    file: MEMORY,
    find: "      this.restore(name);\n    }\n  }\n\n  defaultClass",
    replace: "    }\n  }\n\n  defaultClass",
    story: "offers",
    fault: "A volume that a claim has declined is offered to nobody else.",
    shows: "eventually",
  },
  {
    name: "after a change of a volume, the claim that it named before is not looked at",
    file: MEMORY,
    find: 'event.type === "changed" ? [object, event.old] : [object]',
    replace: "[object]",
    story: "binding",
    fault: "A claim does not notice that its volume was taken from it.",
    hidden: "the claim names its volume in its spec as well, and is found by that",
  },
  {
    name: "release: memory decides that a claim was deleted",
    file: VOLUMES,
    find: "const found = await client.resource(PersistentVolumeClaim).find(key);",
    replace: "const found = memory.claims.get(key);",
    story: "reclaim",
    fault: "While the watch of claims is behind, a volume is released, and its data deleted, whose claim exists.",
    shows: "missing",
  },
  {
    name: "release: the claim in memory may be another one of that name",
    file: VOLUMES,
    find: "if (known?.metadata.uid === uid) return known;",
    replace: "if (known) return known;",
    story: "reclaim",
    fault: "A volume whose claim was deleted and made again goes to the new claim with the old data.",
    shows: "step-failed",
  },
  {
    name: "release: the claim of the server may be another one of that name",
    file: VOLUMES,
    find: "return found?.metadata.uid === uid ? found : undefined;",
    replace: "return found;",
    story: "reclaim",
    fault: "A volume whose claim was deleted and made again goes to the new claim with the old data.",
    shows: "step-failed",
  },
  {
    name: "a reservation holds for every claim of its name",
    file: FIT,
    find: "return !claimRef.uid || claimRef.uid === metadata.uid;",
    replace: "return true;",
    story: "reclaim",
    fault: "A claim that was made again gets the volume, and the data, of the one before.",
    shows: "step-failed",
  },
  {
    name: "a claim that is being deleted gets a volume",
    file: "src/claims/claim-decision.ts",
    find: "if (claim.metadata.deletionTimestamp !== undefined) {",
    replace: "if (claim.metadata.deletionTimestamp === null) {",
    story: "departing",
    fault: "A claim that waits for its Pods to go takes a volume from those that stay.",
    shows: "differs",
  },
  {
    name: "a volume that is being deleted is available",
    file: FIT,
    find: 'status.phase === "Available" && !spec.claimRef && metadata.deletionTimestamp === undefined;',
    replace: 'status.phase === "Available" && !spec.claimRef;',
    story: "departing",
    fault: "A claim is bound to a volume that goes, and loses it.",
    shows: "eventually",
  },
  {
    name: "two claims may have one volume",
    file: FIT,
    find: "const isKept = claimRef === undefined || claimRef.uid === metadata.uid;",
    replace: "const isKept = claimRef === undefined || claimRef.name === metadata.name;",
    story: "restored",
    fault: "A claim that names a volume of an earlier claim of its name counts as bound to it.",
    shows: "eventually",
  },
  {
    name: "reclaiming: the volume is deleted by its name",
    file: RECLAIM,
    find: "await deleteObject(ctx.client, PersistentVolume, free);",
    replace: "await ctx.client.resource(PersistentVolume).delete({ name: free.metadata.name }).catch(() => undefined);",
    story: "reclaim",
    fault: "A volume that a user has made again under the name of a released one is deleted.",
    shows: "deleted-unseen",
  },
  {
    name: "recycling: the phase is written before the claimRef is removed",
    file: RELEASE,
    find: `  const written = await write(ctx.client, PersistentVolume, free);
  return written && (await setPhase(ctx.client, written, "Available")) ? undefined : REQUEUE_SOON;`,
    replace: `  const shown = await setPhase(ctx.client, volume, "Available");
  const { resourceVersion } = shown?.metadata ?? {};
  const next = { ...free, metadata: { ...free.metadata, resourceVersion } } as PersistentVolume;
  return shown && (await write(ctx.client, PersistentVolume, next)) ? undefined : REQUEUE_SOON;`,
    story: "recycling",
    fault: "After a crash between the two, a volume is Available that names a claim which is gone.",
    hidden: "a volume that names a claim is offered to no claim, and the next start releases and frees it again",
  },
  {
    name: "recycling: memory decides that a volume has no other claim",
    file: RECYCLE,
    find: "if (known?.metadata.resourceVersion !== volume.metadata.resourceVersion) return REQUEUE_SOON;",
    replace: "if (!known) return REQUEUE_SOON;",
    story: "recycling",
    fault: "While the watch of volumes is behind, a Pod empties a volume that has another claim by now.",
    shows: "always",
  },
  {
    name: "recycling: the Pod of an earlier claim counts",
    file: RECYCLE,
    find: "if (!isRecyclerOf(pod, volume, names)) return deletePod(ctx, pod);",
    replace: "",
    story: "recycling",
    fault: "A volume is available again without having been emptied after its last claim.",
    shows: "step-failed",
  },
  {
    name: "recycling: a Pod that is there already is a failure",
    file: RECYCLE,
    find: '"AlreadyExists", "Invalid", "Forbidden", "NotFound");\n  return made.ok || made.reason === "AlreadyExists" ?',
    replace: '"AlreadyExists", "Invalid", "Forbidden", "NotFound");\n  return made.ok ?',
    story: "recycling",
    fault: "A volume is marked as Failed after a crash behind the create of its Pod.",
    hidden: "the Pod is in memory when the failure has been written, and its end repairs the volume",
  },
];
