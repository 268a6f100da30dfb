/**
 * Creates the claims of ephemeral volumes; each is owned by its Pod.
 *
 * An existing claim of that name that the Pod does not own is left alone, and the Pod waits until it is deleted. A
 * created claim is never changed (VOL-34).
 */
import { type Key, type NewObject, attempt, keyText } from "../../client/index.ts";
import { PersistentVolumeClaim, Pod } from "../../client/kinds/index.ts";
import { controllerUid } from "../../runtime/owners.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import {
  type Context,
  type Controller,
  type GetInformer,
  type Result,
  defineController,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { type EphemeralClaim, ephemeralClaimsOfPod } from "../../claims/pod-claims.ts";

const pods = sharedInformer(Pod, {
  indexes: { claim: (pod: Pod) => ephemeralClaimsOfPod(pod).map(({ key }) => keyText(key)) },
});
const claims = sharedInformer(PersistentVolumeClaim);

/** The controller named `ephemeral-volume` (CTL-EPH-1..7). */
export const ephemeralVolumes: Controller = defineController({
  name: "keelson-ephemeral-volume",
  eventSource: "ephemeral_volume",
  for: pods,
  owns: [claims],
  sources: [watches(claims, podsOfClaim)],
  predicate: ({ object }) => ephemeralClaimsOfPod(object).length > 0,
  async reconcile(ctx) {
    // A Pod that is being deleted gets no claims (CTL-EPH-5).
    if (ctx.object.metadata.deletionTimestamp !== undefined) return undefined;
    const results: Result[] = [];
    for (const claim of ephemeralClaimsOfPod(ctx.object)) results.push(await makeClaim(ctx, claim));
    return results.find((result) => result !== undefined);
  },
});

function podsOfClaim({ metadata }: PersistentVolumeClaim, informer: GetInformer): Key<"Namespaced">[] {
  const found = informer(pods).by("claim", keyText(metadata));
  return found.map(({ metadata: { namespace = "", name } }) => ({ namespace, name }));
}

/** Creates a missing claim (CTL-EPH-1, 3, 4). */
async function makeClaim(ctx: Context<Pod>, { key, template }: EphemeralClaim): Promise<Result> {
  const { object: pod, informer, create, events } = ctx;
  const found = informer(claims).get(key);
  if (found) {
    if (controllerUid(found) === pod.metadata.uid) return undefined;
    events.warning(
      "FailedBinding",
      `expected the claim ${key.name} to be owned by this Pod, but it existed before and is not`,
    );
    return undefined;
  }
  const { labels, annotations } = template.metadata ?? {};
  const claim = { metadata: { ...key, labels, annotations }, spec: template.spec };
  const made = await attempt(create(PersistentVolumeClaim, claim as NewObject<PersistentVolumeClaim>), "AlreadyExists");
  return made.ok ? undefined : REQUEUE_SOON;
}
