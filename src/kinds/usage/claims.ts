/**
 * The usage of claims for quotas: storage, in total and of its class, and devices of classes.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { addQuantities, compareQuantities, isWholeQuantity, wholeNumber } from "../../meta/quantity.ts";
import type { Resources } from "../rules/quantities.ts";
import { selects } from "./scopes.ts";
import type { Claim } from "../core/v1/claim-update.ts";
import type { RequestedDevices } from "../resource/v1/claim-spec.ts";
import type { ResourceClaim } from "../resource/v1/claim-status.ts";
import type { Usage } from "./contract.ts";

/** The usage of claims of storage: the larger one of the requested and the allocated size counts (PVC-34). */
export const claimUsage = ({ domain, labelDomain }: Dialect): Usage<Claim> => ({
  of(claim) {
    const storage = storageOf(claim);
    const amounts = { persistentvolumeclaims: "1", ...(storage === undefined ? {} : { "requests.storage": storage }) };
    const ofClass =
      claim.metadata.annotations?.[`volume.beta.${labelDomain}/storage-class`] ?? claim.spec.storageClassName;
    if (!ofClass) return amounts;
    const named = Object.entries(amounts).map(([name, amount]) => [
      `${ofClass}.storageclass.storage.${domain}/${name}`,
      amount,
    ]);
    return { ...amounts, ...(Object.fromEntries(named) as Resources) };
  },
  holds: (requirement, object) =>
    requirement.scopeName === "VolumeAttributesClass" && selects(requirement, attributesClasses(object)),
  mayChange(subresource, now, before) {
    if (subresource === "") return true;
    if (subresource !== "status") return false;
    return storageOf(now) !== storageOf(before) || attributesClasses(now).join() !== attributesClasses(before).join();
  },
});

/** The size of a claim, in whole bytes. */
function storageOf({ spec, status }: Claim): string | undefined {
  const asked = spec.resources?.requests?.["storage"];
  const allocated = status?.allocatedResources?.["storage"];
  const taken =
    asked !== undefined && allocated !== undefined && compareQuantities(allocated, asked) > 0 ? allocated : asked;
  return taken === undefined || isWholeQuantity(taken) ? taken : String(wholeNumber(taken));
}

/** The attributes classes of a claim: current, target and requested. */
function attributesClasses({ spec, status }: Claim): readonly string[] {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus: modified } = status ?? {};
  const named = [spec.volumeAttributesClassName, current, modified?.targetVolumeAttributesClassName];
  return [...new Set(named.filter((name) => name !== undefined && name !== ""))] as string[];
}

/** The most devices that a claim can get. */
const ALL = 32;

const devicesOf = ({ allocationMode, count = 0 }: RequestedDevices): number =>
  allocationMode === "All" ? ALL : allocationMode === "ExactCount" ? count : 0;

/** How claims of devices are counted: of alternatives, the largest of each class. */
export const deviceUsage: Usage<ResourceClaim> = {
  of(object) {
    const amounts: Record<string, string> = {};
    for (const { exactly, firstAvailable } of object.spec.devices.requests ?? []) {
      const asked = new Map<string, number>();
      for (const one of firstAvailable ?? (exactly ? [exactly] : [])) {
        const ofClass = one.deviceClassName ?? "";
        asked.set(ofClass, Math.max(asked.get(ofClass) ?? 0, devicesOf(one)));
      }
      for (const [ofClass, devices] of asked) {
        const name = `${ofClass}.deviceclass.resource.k8s.io/devices`;
        amounts[name] = addQuantities(amounts[name] ?? "0", String(devices));
      }
    }
    return amounts;
  },
  mayChange: (subresource) => subresource === "",
};
