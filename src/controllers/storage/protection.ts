/**
 * Protects claims, volumes and attributes classes in use from deletion by a finalizer: it is added again where it is
 * missing, and removed from a deleted object that nothing uses.
 */
import { type ApiObject, type Kind, type Scope, inDomain, keyText } from "../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttributesClass } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "../../runtime/finalizer.ts";
import {
  type Context,
  type Controller,
  type ControllerDefinition,
  type Result,
  defineController,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { claimsOfPod } from "../../claims/pod-claims.ts";
import { classesOfClaim, classesOfVolume, isUsed, usesClaim } from "../../claims/usage.ts";

/** A protected kind, its finalizer and its use. */
interface Protection<T extends ApiObject, S extends Scope> extends Pick<
  ControllerDefinition<T, S>,
  "name" | "sources" | "uses"
> {
  readonly kind: Kind<T, S>;
  readonly finalizer: string;
  /** `unseen` where only the server knows of a use: its end may tell nothing. */
  readonly isInUse: (context: Context<T, S>) => boolean | "unseen" | Promise<boolean | "unseen">;
}

/** Protects claims that Pods on nodes use (CTL-PVCP-1..6). */
export const claimProtection = ({ labelDomain }: Dialect): Controller =>
  protectionController({
    name: "keelson-pvc-protection",
    kind: PersistentVolumeClaim,
    finalizer: `${labelDomain}/pvc-protection`,
    sources: [watches(podsByClaim, claimsOfPod)],
    async isInUse({ object, key, client, informer }) {
      const uses = (pod: Pod): boolean => usesClaim(pod, object);
      if (informer(podsByClaim).by("claim", keyText(key)).some(uses)) return true;
      // Memory may not have a Pod yet (CTL-PVCP-6).
      const { items } = await client.resource(Pod).list({ namespace: key.namespace });
      return items.some(uses) && "unseen";
    },
  });

/** Protects bound volumes (CTL-PVP-1..3). */
export const volumeProtection = ({ labelDomain }: Dialect): Controller =>
  protectionController({
    name: "keelson-pv-protection",
    kind: PersistentVolume,
    finalizer: `${labelDomain}/pv-protection`,
    isInUse: ({ object }) => isUsed(object),
  });

/** Protects attributes classes that a claim or a volume names (CTL-VACP-1..3). */
export function attributesClassProtection({ domain, labelDomain }: Dialect): Controller {
  const toClasses = (names: readonly string[]): { name: string }[] => names.map((name) => ({ name }));
  return protectionController({
    name: "keelson-vac-protection",
    kind: inDomain(VolumeAttributesClass, domain),
    finalizer: `${labelDomain}/vac-protection`,
    sources: [
      watches(claimsByClass, (claim) => toClasses(classesOfClaim(claim))),
      watches(volumesByClass, (volume) => toClasses(classesOfVolume(volume))),
    ],
    isInUse: ({ key: { name }, informer }) =>
      informer(claimsByClass).by("class", name).length + informer(volumesByClass).by("class", name).length > 0,
  });
}

/** Until memory has who uses it. */
const LOOK_AGAIN: Result = { requeueAfter: "1m" };

function protectionController<T extends ApiObject, S extends Scope>(protection: Protection<T, S>): Controller {
  const { kind, finalizer, isInUse, ...definition } = protection;
  const isProtected = (object: ApiObject): boolean => hasFinalizer(object, finalizer);
  return defineController<T, S>({
    ...definition,
    for: kind,
    predicate: ({ object }) => isProtected(object) === (object.metadata.deletionTimestamp !== undefined),
    async reconcile(context) {
      const { object, client } = context;
      if (object.metadata.deletionTimestamp === undefined) {
        if (!isProtected(object)) await addFinalizer(client, kind, object, finalizer);
        return undefined;
      }
      if (!isProtected(object)) return undefined;
      const use = await isInUse(context);
      if (use === "unseen") return LOOK_AGAIN;
      if (!use) await removeFinalizer(client, kind, object, finalizer);
      return undefined;
    },
  });
}

const podsByClaim = sharedInformer(Pod, {
  indexes: { claim: (pod: Pod) => claimsOfPod(pod).map((key) => keyText(key)) },
});
const claimsByClass = sharedInformer(PersistentVolumeClaim, { indexes: { class: classesOfClaim } });
const volumesByClass = sharedInformer(PersistentVolume, { indexes: { class: classesOfVolume } });
