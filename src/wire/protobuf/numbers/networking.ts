import type { Messages } from "./numbers.ts";

/** `networking/v1`: addresses, and who is reached by them. */
export const networking: Messages = {
  IPAddress: { metadata: [1, "meta.ObjectMeta"], spec: [2, "IPAddressSpec"] },
  IPAddressSpec: { parentRef: [1, "ParentReference"] },
  ParentReference: { group: 1, resource: 2, namespace: 3, name: 4 },
  ServiceCIDR: { metadata: [1, "meta.ObjectMeta"], spec: [2, "ServiceCIDRSpec"], status: [3, "ServiceCIDRStatus"] },
  ServiceCIDRSpec: { cidrs: 1 },
  ServiceCIDRStatus: { conditions: [1, "meta.Condition"] },
};
