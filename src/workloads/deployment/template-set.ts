/** The ReplicaSet of a template (WL-DEP-1, WL-DEP-2). */
import type { NewObject } from "../../client/kind.ts";
import type { Deployment, ReplicaSet } from "../../client/kinds/index.ts";
import { ownedBy } from "../common/ownership.ts";
import { hashOf, isSameTemplate } from "../common/template.ts";
import { sharedAnnotations } from "./revisions.ts";

/** The label that distinguishes the Pods of different templates. */
export const HASH_LABEL = "pod-template-hash";

const MAX_NAME = 253;

/** Whether a ReplicaSet has the template in the spec of a Deployment. */
export const hasTemplateOf = ({ spec }: ReplicaSet, deployment: Deployment): boolean =>
  isSameTemplate(spec.template, deployment.spec.template, HASH_LABEL);

/** Creates the ReplicaSet of the template in the spec of a Deployment, without replicas and without a revision. */
export function setOfTemplate(deployment: Deployment): NewObject<ReplicaSet> {
  const { metadata, spec, status } = deployment;
  const hash = hashOf(spec.template, status.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const set = {
    metadata: {
      name: `${metadata.name.slice(0, MAX_NAME - 1 - hash.length)}-${hash}`,
      labels,
      annotations: sharedAnnotations(metadata.annotations),
    },
    spec: {
      replicas: 0,
      selector: { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  return ownedBy(set as NewObject<ReplicaSet>, deployment);
}
