import type { Messages } from "./numbers.ts";

/** `certificates.k8s.io`: `v1`, `v1beta1` and `v1alpha1`. */
export const certificates: Messages = {
  CertificateSigningRequest: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "CertificateSigningRequestSpec"],
    status: [3, "CertificateSigningRequestStatus"],
  },
  CertificateSigningRequestSpec: {
    request: 1,
    username: 2,
    uid: 3,
    groups: 4,
    usages: 5,
    extra: 6,
    signerName: 7,
    expirationSeconds: 8,
  },
  CertificateSigningRequestStatus: { conditions: [1, "CertificateSigningRequestCondition"], certificate: 2 },
  CertificateSigningRequestCondition: {
    type: 1,
    reason: 2,
    message: 3,
    lastUpdateTime: 4,
    lastTransitionTime: 5,
    status: 6,
  },
  ClusterTrustBundle: { metadata: [1, "meta.ObjectMeta"], spec: [2, "ClusterTrustBundleSpec"] },
  ClusterTrustBundleSpec: { signerName: 1, trustBundle: 2 },
  PodCertificateRequest: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "PodCertificateRequestSpec"],
    status: [3, "PodCertificateRequestStatus"],
  },
  PodCertificateRequestSpec: {
    signerName: 1,
    podName: 2,
    podUID: 3,
    serviceAccountName: 4,
    serviceAccountUID: 5,
    nodeName: 6,
    nodeUID: 7,
    maxExpirationSeconds: 8,
    pkixPublicKey: 9,
    proofOfPossession: 10,
    unverifiedUserAnnotations: 11,
  },
  PodCertificateRequestStatus: {
    conditions: [1, "meta.Condition"],
    certificateChain: 2,
    notBefore: 4,
    beginRefreshAt: 5,
    notAfter: 6,
  },
};
