/**
 * Admission of the storage kinds: protection finalizers, the default class, expansion of claims.
 *
 * Fields that these steps add have no owner: ownership is recorded before admission.
 *
 * @module
 */
import { isDefaultClass } from "../meta/default-class.ts";
import { compareQuantities } from "../meta/quantity.ts";
import type { ClaimSpec } from "../kinds/core/v1/claim-spec.ts";
import type { Dialect } from "../meta/dialect.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { defaultClassOf } from "./default-class.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";

/** Whether an object is a claim. */
export const isClaim = guardOf<PersistentVolumeClaim>("PersistentVolumeClaim");
const CLAIMS = { group: "", plural: "persistentvolumeclaims" };

/** Adds the finalizer that keeps a claim, volume or attributes class while it is in use (DEC-57). */
export function storageObjectInUseProtection(dialect: Dialect): AdmissionStep {
  const kept = [
    { resource: CLAIMS, suffix: "pvc-protection" },
    { resource: { group: "", plural: "persistentvolumes" }, suffix: "pv-protection" },
    { resource: { group: `storage.${dialect.domain}`, plural: "volumeattributesclasses" }, suffix: "vac-protection" },
  ];
  return {
    name: "StorageObjectInUseProtection",
    resources: kept.map(({ resource }) => resource),
    mutate(request) {
      const { operation, subresource, object } = request;
      if (operation !== "CREATE" || subresource || !object) return;
      const found = kept.find(({ resource }) => concerns(request, resource));
      if (!found) return;
      const finalizer = `${dialect.labelDomain}/${found.suffix}`;
      const finalizers = object.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
    },
  };
}

/** Gives a new claim without a class the newest default class (DEC-40). */
export function defaultStorageClass(dialect: Dialect): AdmissionStep {
  const resource = `storageclasses.storage.${dialect.domain}`;
  const beta = `volume.beta.${dialect.labelDomain}/storage-class`;
  const chosen = defaultClassOf(resource, (object) => isDefaultClass(object, dialect.labelDomain));
  const choose = (lookup: Lookup, spec: PersistentVolumeClaim["spec"]): void | Promise<void> => {
    const set = (name: string | undefined): void => {
      if (name !== undefined) spec.storageClassName = name;
    };
    const name = chosen(lookup);
    return name instanceof Promise ? name.then(set) : set(name);
  };
  return {
    name: "DefaultStorageClass",
    resources: [CLAIMS],
    mutate(request) {
      const { operation, subresource, object } = request;
      if (operation !== "CREATE" || subresource || !concerns(request, CLAIMS) || !isClaim(object)) return undefined;
      const { spec } = object;
      const named = spec?.storageClassName ?? object.metadata.annotations?.[beta];
      return spec && named === undefined ? choose(request.lookup, spec) : undefined;
    },
  };
}

/** The members of a claim that admission reads. */
export interface PersistentVolumeClaim extends ApiObject {
  readonly spec: ClaimSpec;
  readonly status?: { readonly phase?: string };
}

/** Refuses to raise the request of a claim whose class does not allow expansion, or that has no class (DEC-39). */
export function persistentVolumeClaimResize(dialect: Dialect): AdmissionStep {
  const resource = `storageclasses.storage.${dialect.domain}`;
  return {
    name: "PersistentVolumeClaimResize",
    resources: [CLAIMS],
    validate(request: AdmissionRequest) {
      const { operation, subresource, object, old, lookup } = request;
      if (operation !== "UPDATE" || subresource || !concerns(request, CLAIMS) || !isClaim(object) || !isClaim(old))
        return;
      const { spec: after } = object;
      const { spec: before } = old;
      const [requested, had] = [after.resources?.requests?.["storage"], before.resources?.requests?.["storage"]];
      if (requested === undefined || (had !== undefined && compareQuantities(requested, had) <= 0)) return;
      if (old.status?.phase !== "Bound") return;
      const name = before.storageClassName ?? "";
      const storageClass = name ? lookup.get(resource, "", name) : undefined;
      if (storageClass?.["allowVolumeExpansion"] !== true) {
        throw refusal(
          request,
          "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
        );
      }
    },
  };
}
