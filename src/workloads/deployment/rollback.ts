/** The rollback that an annotation of old clients requests. `kubectl rollout undo` patches the template itself. */
import { Deployment } from "../../client/kinds/index.ts";
import { type Plan, tells, updates } from "../common/plan.ts";
import { isSameTemplate, withoutLabel } from "../common/template.ts";
import { ROLLBACK, ownAnnotations, revisionNumber, revisionOf, sharedAnnotations } from "./revisions.ts";
import type { SetDraft } from "./set-draft.ts";
import { HASH_LABEL } from "./template-set.ts";

/** The revision to restore; 0 for the previous one, undefined where none is requested. */
export function rollbackTo({ metadata }: Deployment): number | undefined {
  const text = metadata.annotations?.[ROLLBACK];
  return text ? revisionNumber(text) : undefined;
}

/** Plans a rollback, and removes the annotation in any case. */
export function planRollback(deployment: Deployment, sets: readonly SetDraft[], revision: number): Plan {
  const wanted = revision === 0 ? (sets.map(revisionOf).toSorted((a, b) => b - a)[1] ?? 0) : revision;
  const set = wanted === 0 ? undefined : sets.find((one) => revisionOf(one) === wanted)?.stored;
  const done = withoutRollback(deployment);
  if (!set) {
    const why = wanted === 0 ? "Unable to find last revision." : "Unable to find the revision to rollback to.";
    return { stages: [[updates(Deployment, done), tells("Warning", "DeploymentRollbackRevisionNotFound", why)]] };
  }
  const { name } = deployment.metadata;
  if (isSameTemplate(set.spec.template, deployment.spec.template, HASH_LABEL)) {
    const why = `The rollback revision contains the same template as current deployment "${name}"`;
    return { stages: [[updates(Deployment, done), tells("Warning", "DeploymentRollbackTemplateUnchanged", why)]] };
  }
  const back = {
    ...done,
    metadata: {
      ...done.metadata,
      annotations: { ...ownAnnotations(done.metadata.annotations), ...sharedAnnotations(set.metadata.annotations) },
    },
    spec: { ...done.spec, template: withoutLabel(set.spec.template, HASH_LABEL) },
  };
  const what = `Rolled back deployment "${name}" to revision ${wanted}`;
  return { stages: [[updates(Deployment, back)], [tells("Normal", "DeploymentRollback", what)]] };
}

function withoutRollback(deployment: Deployment): Deployment {
  const { [ROLLBACK]: _, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
