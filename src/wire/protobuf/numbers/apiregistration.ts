import type { Messages } from "./numbers.ts";

/** `apiregistration.k8s.io/v1`. */
export const apiregistration: Messages = {
  APIService: { metadata: [1, "meta.ObjectMeta"], spec: [2, "APIServiceSpec"], status: [3, "APIServiceStatus"] },
  APIServiceSpec: {
    service: [1, "ServiceReference"],
    group: 2,
    version: 3,
    insecureSkipTLSVerify: 4,
    caBundle: 5,
    groupPriorityMinimum: 7,
    versionPriority: 8,
  },
  ServiceReference: { namespace: 1, name: 2, port: 3 },
  APIServiceStatus: { conditions: [1, "APIServiceCondition"] },
  APIServiceCondition: { type: 1, status: 2, lastTransitionTime: 3, reason: 4, message: 5 },
};
