import type { Messages } from "./numbers.ts";

/** `coordination.k8s.io/v1`, and LeaseCandidate, which has the same numbers in all its versions. */
export const coordination: Messages = {
  Lease: { metadata: [1, "meta.ObjectMeta"], spec: [2, "LeaseSpec"] },
  LeaseSpec: {
    holderIdentity: 1,
    leaseDurationSeconds: 2,
    acquireTime: 3,
    renewTime: 4,
    leaseTransitions: 5,
    strategy: 6,
    preferredHolder: 7,
  },
  LeaseCandidate: { metadata: [1, "meta.ObjectMeta"], spec: [2, "LeaseCandidateSpec"] },
  LeaseCandidateSpec: { leaseName: 1, pingTime: 2, renewTime: 3, binaryVersion: 4, emulationVersion: 5, strategy: 6 },
};
