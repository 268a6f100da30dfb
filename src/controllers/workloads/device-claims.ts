/**
 * Makes the ResourceClaims of Pods by their templates, and takes ended Pods from the consumers of claims. It allocates no devices.
 */
import { attempt, keyText, parseKey } from "../../client/index.ts";
import { Pod, ResourceClaim, ResourceClaimTemplate } from "../../client/kinds/index.ts";
import {
  type Controller,
  type Informer,
  type KeyContext,
  type ObjectEvent,
  type Result,
  type SourceParts,
  defineKeyController,
  sharedInformer,
} from "../../runtime/index.ts";
import { controllerUid } from "../../runtime/owners.ts";
import { REQUEUE_SOON, deleteObject, write, writeStatus } from "../../runtime/writes.ts";
import {
  DELETE_PROTECTION,
  claimNamesOf,
  isDone,
  planClaim,
  planPodClaims,
  reservedBy,
} from "../../workloads/device-claims/plan.ts";
import { refusalText } from "./refusal.ts";

const POD = "pod/";
const CLAIM = "claim/";

const inNamespace = ({ metadata }: Pod, name: string): string => keyText({ namespace: metadata.namespace ?? "", name });

const specs = {
  pods: sharedInformer(Pod, {
    indexes: {
      deviceClaim: (pod: Pod) => claimNamesOf(pod).map((name) => inNamespace(pod, name)),
      deviceTemplate: (pod: Pod) =>
        (pod.spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) =>
          name === undefined ? [] : [inNamespace(pod, name)],
        ),
    },
  }),
  claims: sharedInformer(ResourceClaim, { indexes: { controller: (claim: ResourceClaim) => controllerUid(claim) } }),
  templates: sharedInformer(ResourceClaimTemplate),
};

/** The controller named `resourceclaim`. */
export const deviceClaims: Controller = defineKeyController({
  name: "keelson-resourceclaim",
  eventSource: "resource_claim",
  uses: [specs.pods, specs.claims, specs.templates],
  begin: (parts, add) => new ClaimMemory(parts, add),
  async reconcile(ctx): Promise<Result> {
    const { key, memory } = ctx;
    if (memory.claims.state === "absent") return undefined;
    if (key.startsWith(POD)) return forPod(ctx, memory.pods.get(parseKey(key.slice(POD.length))));
    return forClaim(ctx, memory.claims.get(parseKey(key.slice(CLAIM.length))));
  },
});

type ClaimContext = KeyContext<ClaimMemory>;

async function forPod({ client, memory, event }: ClaimContext, pod: Pod | undefined): Promise<Result> {
  if (!pod) return undefined;
  const { namespace = "", name, uid } = pod.metadata;
  const plan = planPodClaims(pod, {
    claim: (of) => memory.claims.get({ namespace, name: of }),
    owned: memory.claims.by("controller", uid).filter((claim) => claim.metadata.namespace === namespace),
    template: (of) => memory.templates.get({ namespace, name: of }),
  });
  const failed = (podClaim: string, why: string): void =>
    event("Warning", pod, "FailedResourceClaimCreation", `PodResourceClaim ${podClaim}: ${why}`);
  for (const { podClaim, template } of plan.missing)
    failed(
      podClaim,
      `resource claim template "${template}": resourceclaimtemplate.resource.k8s.io "${template}" not found`,
    );
  const found = plan.finds.map((one) => ({ name: one.podClaim, resourceClaimName: one.name }));
  for (const { podClaim, claim, unseen } of plan.creates) {
    try {
      const there = await findUnseen(client, pod, [unseen, memory.made(pod, podClaim)]);
      const { metadata: made } = there ?? (await client.resource(ResourceClaim).create(claim));
      if (!there) memory.remember(pod, podClaim, made.name);
      if (made.name !== unseen) found.push({ name: podClaim, resourceClaimName: made.name });
    } catch (error) {
      failed(podClaim, `create ResourceClaim: ${refusalText(error)}`);
      throw error;
    }
  }
  if (found.length > 0) {
    const patch = { metadata: { uid }, status: { resourceClaimStatuses: found } };
    const status = client.resource(Pod).status.patch({ namespace, name }, patch, { strategic: true });
    if (!(await attempt(status, "NotFound", "Conflict")).ok) return REQUEUE_SOON;
  }
  for (const claim of plan.reserves) {
    const reserved = { ...claim, status: { ...claim.status, reservedFor: reservedBy(claim, pod) } };
    if (!(await writeStatus(client, ResourceClaim, reserved))) return REQUEUE_SOON;
  }
  return undefined;
}

/** Reads claims of a Pod from the server that memory does not have: their informer may be far behind. */
async function findUnseen(
  client: ClaimContext["client"],
  { metadata: { namespace = "", uid } }: Pod,
  names: readonly (string | undefined)[],
): Promise<ResourceClaim | undefined> {
  for (const name of new Set(names)) {
    const claim = name === undefined ? undefined : await client.resource(ResourceClaim).find({ namespace, name });
    if (claim && controllerUid(claim) === uid) return claim;
  }
  return undefined;
}

async function forClaim(ctx: ClaimContext, claim: ResourceClaim | undefined): Promise<Result> {
  if (!claim) return undefined;
  const { client, memory } = ctx;
  const { namespace = "" } = claim.metadata;
  const plan = planClaim(claim, (name) => memory.pods.get({ namespace, name }));
  if (plan.reservedFor && !(await areGone(ctx, claim, plan.reservedFor))) return REQUEUE_SOON;
  let now: ResourceClaim | undefined = claim;
  if (plan.reservedFor || plan.deallocates) {
    const { allocation, ...status } = claim.status;
    const reservedFor = plan.reservedFor ?? status.reservedFor ?? [];
    const kept = plan.deallocates || allocation === undefined ? status : { ...status, allocation };
    now = await writeStatus(client, ResourceClaim, { ...claim, status: { ...kept, reservedFor } });
  }
  if (now && plan.removesFinalizer) {
    const finalizers = (now.metadata.finalizers ?? []).filter((one) => one !== DELETE_PROTECTION);
    now = await write(client, ResourceClaim, { ...now, metadata: { ...now.metadata, finalizers } });
  }
  if (now && plan.deletes && (await deleteObject(client, ResourceClaim, { ...now })) === "Conflict") now = undefined;
  return now ? undefined : REQUEUE_SOON;
}

/** Reads consumers from the server that memory does not have: a Pod may exist before it is seen. */
async function areGone(
  { client, memory }: ClaimContext,
  claim: ResourceClaim,
  kept: readonly { readonly uid: string }[],
): Promise<boolean> {
  const { namespace = "" } = claim.metadata;
  for (const { name, uid } of claim.status.reservedFor ?? []) {
    if (kept.some((one) => one.uid === uid) || memory.pods.get({ namespace, name })) continue;
    if ((await client.resource(Pod).find({ namespace, name }))?.metadata.uid === uid) return false;
  }
  return true;
}

/** Pods, claims and templates; keys are `pod/NAMESPACE/NAME` and `claim/NAMESPACE/NAME`. */
class ClaimMemory implements Disposable {
  readonly pods: Informer<Pod, "Namespaced", "deviceClaim" | "deviceTemplate">;
  readonly claims: Informer<ResourceClaim, "Namespaced", "controller">;
  readonly templates: Informer<ResourceClaimTemplate, "Namespaced", never>;
  readonly #add: (key: string) => void;
  /** The names of claims that were made and not seen yet, by the uid of their Pod and their names in it. */
  readonly #made = new Map<string, Map<string, string>>();
  readonly #subscriptions = new DisposableStack();

  constructor({ own }: SourceParts, add: (key: string) => void) {
    this.#add = add;
    this.pods = own(specs.pods);
    this.claims = own(specs.claims);
    this.templates = own(specs.templates);
    this.#subscriptions.use(this.pods.on((event) => this.#podChanged(event)));
    this.#subscriptions.use(this.claims.on((event) => this.#claimChanged(event)));
    this.#subscriptions.use(
      this.templates.on(({ type, object }) => {
        if (type === "added") this.#addPods("deviceTemplate", keyText(keyOfObject(object)));
      }),
    );
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  /** Returns the name of the last claim that was created for a Pod. */
  made(pod: Pod, podClaim: string): string | undefined {
    return this.#made.get(pod.metadata.uid)?.get(podClaim);
  }

  /** Records the claim that was created for a Pod until it is seen, or the Pod is deleted. */
  remember({ metadata: { namespace = "", name, uid } }: Pod, podClaim: string, claim: string): void {
    if (this.claims.get({ namespace, name: claim }) || this.pods.get({ namespace, name })?.metadata.uid !== uid) return;
    const made = this.#made.get(uid) ?? new Map<string, string>();
    this.#made.set(uid, made.set(podClaim, claim));
  }

  #podChanged({ type, object: pod }: ObjectEvent<Pod>): void {
    const { resourceClaims = [] } = pod.spec;
    if (resourceClaims.length === 0 && !pod.status.extendedResourceClaimStatus) return;
    if (type === "deleted" || isDone(pod))
      for (const name of claimNamesOf(pod)) this.#add(CLAIM + inNamespace(pod, name));
    // The last version seen may not have their names yet.
    if (type === "deleted") this.#made.delete(pod.metadata.uid);
    if (type === "deleted")
      for (const { metadata } of this.claims.by("controller", pod.metadata.uid))
        if (metadata.namespace === pod.metadata.namespace) this.#add(CLAIM + inNamespace(pod, metadata.name));
    if (type !== "deleted") this.#add(POD + inNamespace(pod, pod.metadata.name));
  }

  #claimChanged({ type, object: claim }: ObjectEvent<ResourceClaim>): void {
    const key = keyText(keyOfObject(claim));
    const uid = controllerUid(claim) ?? "";
    const made = this.#made.get(uid);
    for (const [podClaim, name] of made ?? []) if (name === claim.metadata.name) made?.delete(podClaim);
    if (made?.size === 0) this.#made.delete(uid);
    if (type !== "deleted") this.#add(CLAIM + key);
    this.#addPods("deviceClaim", key);
  }

  #addPods(index: "deviceClaim" | "deviceTemplate", key: string): void {
    for (const pod of this.pods.by(index, key)) this.#add(POD + inNamespace(pod, pod.metadata.name));
  }
}

const keyOfObject = ({ metadata: { namespace = "", name } }: ResourceClaim | ResourceClaimTemplate) => ({
  namespace,
  name,
});
