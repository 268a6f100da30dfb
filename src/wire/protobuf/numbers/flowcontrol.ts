import type { Messages } from "./numbers.ts";

/** `flowcontrol.apiserver.k8s.io/v1`. */
export const flowcontrol: Messages = {
  FlowSchema: { metadata: [1, "meta.ObjectMeta"], spec: [2, "FlowSchemaSpec"], status: [3, "FlowSchemaStatus"] },
  FlowSchemaSpec: {
    priorityLevelConfiguration: [1, "PriorityLevelConfigurationReference"],
    matchingPrecedence: 2,
    distinguisherMethod: [3, "FlowDistinguisherMethod"],
    rules: [4, "PolicyRulesWithSubjects"],
  },
  PriorityLevelConfigurationReference: { name: 1 },
  FlowDistinguisherMethod: { type: 1 },
  PolicyRulesWithSubjects: {
    subjects: [1, "Subject"],
    resourceRules: [2, "ResourcePolicyRule"],
    nonResourceRules: [3, "NonResourcePolicyRule"],
  },
  Subject: { kind: 1, user: [2, "UserSubject"], group: [3, "GroupSubject"], serviceAccount: [4, "AccountSubject"] },
  UserSubject: { name: 1 },
  GroupSubject: { name: 1 },
  AccountSubject: { namespace: 1, name: 2 },
  ResourcePolicyRule: { verbs: 1, apiGroups: 2, resources: 3, clusterScope: 4, namespaces: 5 },
  NonResourcePolicyRule: { verbs: 1, nonResourceURLs: 6 },
  FlowSchemaStatus: { conditions: [1, "Condition"] },
  Condition: { type: 1, status: 2, lastTransitionTime: 3, reason: 4, message: 5 },
  PriorityLevelConfiguration: {
    metadata: [1, "meta.ObjectMeta"],
    spec: [2, "PriorityLevelConfigurationSpec"],
    status: [3, "FlowSchemaStatus"],
  },
  PriorityLevelConfigurationSpec: {
    type: 1,
    limited: [2, "LimitedPriorityLevelConfiguration"],
    exempt: [3, "ExemptPriorityLevelConfiguration"],
  },
  LimitedPriorityLevelConfiguration: {
    nominalConcurrencyShares: 1,
    limitResponse: [2, "LimitResponse"],
    lendablePercent: 3,
    borrowingLimitPercent: 4,
  },
  ExemptPriorityLevelConfiguration: { nominalConcurrencyShares: 1, lendablePercent: 2 },
  LimitResponse: { type: 1, queuing: [2, "QueuingConfiguration"] },
  QueuingConfiguration: { queues: 1, handSize: 2, queueLengthLimit: 3 },
};
