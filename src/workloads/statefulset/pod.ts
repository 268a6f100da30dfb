/** The Pods of a StatefulSet: their identity and their volumes (WL-STS-1, WL-STS-10). */
import type { NewObject } from "../../client/kind.ts";
import type { Pod, StatefulSet } from "../../client/kinds/index.ts";
import { ownedBy } from "../common/ownership.ts";
import type { PodTemplate } from "../common/template.ts";
import { claimName, podName } from "./names.ts";

/** The label with the name of a Pod. */
const POD_NAME = "statefulset.kubernetes.io/pod-name";

const POD_INDEX = "apps.kubernetes.io/pod-index";

/** The label of a Pod with the name of its revision. */
export const REVISION = "controller-revision-hash";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** Creates the Pod with an ordinal from the template of a revision. */
export function newPod(
  set: StatefulSet,
  ordinal: number,
  { template, revision }: { readonly template: PodTemplate; readonly revision: string },
): NewObject<Pod> {
  const name = podName(set, ordinal);
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const metadata = {
    name,
    generateName: `${set.metadata.name}-`,
    labels: { ...labels, ...identityOf(name, ordinal), [REVISION]: revision },
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
  };
  const { serviceName } = set.spec;
  const volumes = withClaims(set, ordinal, template.spec.volumes);
  const spec = {
    ...template.spec,
    hostname: name,
    ...(serviceName ? { subdomain: serviceName } : { subdomain: undefined }),
    ...(volumes.length > 0 ? { volumes } : {}),
  };
  return ownedBy({ metadata, spec } as NewObject<Pod>, set);
}

const identityOf = (name: string, ordinal: number): Readonly<Record<string, string>> => ({
  [POD_NAME]: name,
  [POD_INDEX]: String(ordinal),
});

/** The volumes of a Pod: one for each claim, which replaces a volume with the same name. */
function withClaims(set: StatefulSet, ordinal: number, volumes: readonly Volume[] = []): readonly Volume[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const names = new Set(templates.map(({ metadata }) => metadata.name));
  const own = templates.map(({ metadata: { name } }) => volumeOf(name, claimName(set, name, ordinal)));
  return [...own, ...volumes.filter(({ name }) => !names.has(name))];
}

const volumeOf = (name: string, claim: string): Volume =>
  ({ name, persistentVolumeClaim: { claimName: claim } }) as unknown as Volume;

/** Whether a Pod has the label with its name, and a volume for each claim. */
export function isComplete(set: StatefulSet, ordinal: number, { metadata, spec }: Pod): boolean {
  if (metadata.labels?.[POD_NAME] !== metadata.name) return false;
  const claims = new Map(
    spec.volumes?.map(({ name, persistentVolumeClaim }) => [name, persistentVolumeClaim?.claimName]),
  );
  return (set.spec.volumeClaimTemplates ?? []).every(
    ({ metadata: { name } }) => claims.get(name) === claimName(set, name, ordinal),
  );
}

/** Returns a Pod with its desired labels and volumes; the API server refuses a change of the volumes. */
export const completed = (set: StatefulSet, ordinal: number, pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...identityOf(pod.metadata.name, ordinal) } },
  spec: { ...pod.spec, volumes: withClaims(set, ordinal, pod.spec.volumes) },
});

/** The name of the revision of a Pod; empty where it has none. */
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[REVISION] ?? "";
