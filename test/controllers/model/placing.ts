/**
 * Which nodes fit a Pod with volumes, written slowly and without any index or cache from the rules SCHED-7..46: what the filters
 * are compared with.
 *
 * @module
 */

/** What the model looks at; members that it does not name do not matter. */
/* oxlint-disable typescript/no-explicit-any -- objects are plain JSON here, as they were drawn */
export interface Cluster {
  readonly nodes: any[];
  readonly csiNodes: any[];
  readonly pods: any[];
  readonly claims: any[];
  readonly volumes: any[];
  readonly classes: any[];
  readonly drivers: any[];
  readonly capacities: any[];
  readonly attachments: any[];
}

const GI = 2 ** 30;
const bytes = (text: string | undefined): number => (text === undefined ? 0 : Number(text.replace("Gi", "")) * GI);
const byName = (list: any[], name: string): any => list.find((one) => one.metadata.name === name);

/** What the model says of a Pod on a node: undefined where it does not fit, else the volumes that its late claims take. */
export function modelFit(cluster: Cluster, pod: any, node: any): Record<string, string> | undefined {
  const claims = claimsOf(cluster, pod);
  if (claims === "unready") return undefined;
  if (!isWanted(pod, node) || !hasRoom(cluster, pod, node)) return undefined;
  if (claims.some((claim) => isTakenAlone(cluster, claim, pod))) return undefined;
  const bound = claims.filter(isBound);
  for (const claim of bound) {
    const volume = byName(cluster.volumes, claim.spec.volumeName);
    if (!volume || !isReached(volume, node) || !isInZone(volume, node)) return undefined;
  }
  const plan = planFor(
    cluster,
    claims.filter((claim) => !isBound(claim)),
    node,
  );
  if (!plan || !isWithinLimits(cluster, claims, plan, node)) return undefined;
  return plan;
}

function claimsOf(cluster: Cluster, pod: any): any[] | "unready" {
  const names: string[] = [
    ...new Set<string>((pod.spec.volumes ?? []).map((v: any) => v.persistentVolumeClaim.claimName)),
  ];
  const found = names.map((name) => byName(cluster.claims, name));
  for (const claim of found) {
    if (!claim || claim.metadata.deletionTimestamp || claim.status.phase === "Lost") return "unready";
    if (isBound(claim)) continue;
    const storageClass = byName(cluster.classes, claim.spec.storageClassName);
    if (claim.spec.volumeName || storageClass?.volumeBindingMode !== "WaitForFirstConsumer") return "unready";
  }
  return found;
}

const isBound = (claim: any): boolean =>
  Boolean(claim.spec.volumeName && claim.metadata.annotations?.["pv.kubernetes.io/bind-completed"]);

function isWanted(pod: any, node: any): boolean {
  const labels = node.metadata.labels;
  for (const key of Object.keys(pod.spec.nodeSelector ?? {}))
    if (labels[key] !== pod.spec.nodeSelector[key]) return false;
  const tolerates = (taint: any): boolean =>
    (pod.spec.tolerations ?? []).some(
      (one: any) => (!one.key || one.key === taint.key) && (one.operator === "Exists" || one.value === taint.value),
    );
  if (node.spec.unschedulable && !tolerates({ key: "node.kubernetes.io/unschedulable" })) return false;
  return (node.spec.taints ?? []).every((taint: any) => taint.effect === "PreferNoSchedule" || tolerates(taint));
}

const podsOn = (cluster: Cluster, node: any): any[] =>
  cluster.pods.filter((pod) => pod.spec.nodeName === node.metadata.name && pod.status.phase !== "Succeeded");

function hasRoom(cluster: Cluster, pod: any, node: any): boolean {
  const there = podsOn(cluster, node);
  const cpu = (one: any): number => Number(one.spec.containers[0].resources.requests.cpu ?? 0);
  const used = there.reduce((sum, one) => sum + cpu(one), 0);
  const fits = cpu(pod) === 0 || used + cpu(pod) <= Number(node.status.allocatable.cpu);
  return there.length < Number(node.status.allocatable.pods) && fits;
}

const users = (cluster: Cluster, claim: any): any[] =>
  cluster.pods.filter(
    (pod) =>
      pod.spec.nodeName &&
      pod.status.phase !== "Succeeded" &&
      (pod.spec.volumes ?? []).some((v: any) => v.persistentVolumeClaim.claimName === claim.metadata.name),
  );

const isTakenAlone = (cluster: Cluster, claim: any, pod: any): boolean =>
  claim.spec.accessModes.includes("ReadWriteOncePod") && users(cluster, claim).some((one) => one !== pod);

function isReached(volume: any, node: any): boolean {
  const terms = volume.spec.nodeAffinity?.required.nodeSelectorTerms;
  if (!terms) return true;
  for (const term of terms) {
    const labels = (term.matchExpressions ?? []).map((one: any) => holds(one, node.metadata.labels[one.key]));
    const fields = (term.matchFields ?? []).map((one: any) => holds(one, node.metadata.name));
    const all = [...labels, ...fields];
    if (all.length > 0 && all.every(Boolean)) return true;
  }
  return false;
}

function holds({ operator, values }: any, value: string | undefined): boolean {
  if (operator === "In") return value !== undefined && values.includes(value);
  if (operator === "NotIn") return value === undefined || !values.includes(value);
  if (operator === "Exists") return value !== undefined;
  if (operator === "DoesNotExist") return value === undefined;
  if (operator === "Gt") return value !== undefined && Number(value) > Number(values[0]);
  return value !== undefined && Number(value) < Number(values[0]);
}

function isInZone(volume: any, node: any): boolean {
  const zone = "topology.kubernetes.io/zone";
  if (node.metadata.labels[zone] === undefined) return true;
  const wanted = volume.metadata.labels?.[zone];
  return wanted === undefined || wanted.split("__").includes(node.metadata.labels[zone]);
}

/** The volume of each late claim; an empty name for one that is to be made. */
function planFor(cluster: Cluster, late: any[], node: any): Record<string, string> | undefined {
  const plan: Record<string, string> = {};
  const order = late
    .map((claim, i) => ({ claim, i, size: bytes(claim.spec.resources.requests.storage) }))
    .toSorted((a, b) => a.size - b.size || a.i - b.i);
  for (const { claim, size } of order) {
    const chosen = claim.metadata.annotations?.["volume.kubernetes.io/selected-node"];
    if (chosen !== undefined && chosen !== node.metadata.name) return undefined;
    const fitting = cluster.volumes.filter((volume) => {
      const { spec, metadata, status } = volume;
      if (chosen !== undefined || spec.claimRef || status.phase !== "Available") return false;
      if (Object.values(plan).includes(metadata.name)) return false;
      if (spec.storageClassName !== claim.spec.storageClassName || bytes(spec.capacity.storage) < size) return false;
      return claim.spec.accessModes.every((mode: string) => spec.accessModes.includes(mode)) && isReached(volume, node);
    });
    let best: any;
    for (const volume of fitting) {
      const [a, b] = [bytes(volume.spec.capacity.storage), bytes(best?.spec.capacity.storage)];
      if (!best || a < b || (a === b && volume.metadata.name < best.metadata.name)) best = volume;
    }
    if (best) plan[claim.metadata.name] = best.metadata.name;
    else if (canBeMade(cluster, claim, node)) plan[claim.metadata.name] = "";
    else return undefined;
  }
  return plan;
}

function canBeMade(cluster: Cluster, claim: any, node: any): boolean {
  const storageClass = byName(cluster.classes, claim.spec.storageClassName);
  if (storageClass.provisioner === "kubernetes.io/no-provisioner") return false;
  const terms = storageClass.allowedTopologies ?? [];
  const isAllowed = terms.some(
    (term: any) =>
      term.matchLabelExpressions.length > 0 &&
      term.matchLabelExpressions.every((one: any) => one.values.includes(node.metadata.labels[one.key])),
  );
  if (terms.length > 0 && !isAllowed) return false;
  if (!byName(cluster.drivers, storageClass.provisioner)?.spec.storageCapacity) return true;
  return cluster.capacities.some((one) => {
    if (one.storageClassName !== storageClass.metadata.name || !one.nodeTopology) return false;
    const labels = one.nodeTopology.matchLabels ?? {};
    if (!Object.keys(labels).every((key) => node.metadata.labels[key] === labels[key])) return false;
    const most = one.maximumVolumeSize ?? one.capacity;
    return most !== undefined && bytes(most) >= bytes(claim.spec.resources.requests.storage);
  });
}

function isWithinLimits(cluster: Cluster, claims: any[], plan: Record<string, string>, node: any): boolean {
  const nameOf = (claim: any): string | undefined => {
    const volume = claim.spec.volumeName || plan[claim.metadata.name];
    const found = volume ? byName(cluster.volumes, volume) : undefined;
    if (found) return `${found.spec.csi.driver} ${found.spec.csi.volumeHandle}`;
    const storageClass = byName(cluster.classes, claim.spec.storageClassName);
    return storageClass ? `${storageClass.provisioner} claim-${claim.metadata.name}` : undefined;
  };
  const had = new Set<string>();
  for (const pod of podsOn(cluster, node)) {
    for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
      const claim = byName(cluster.claims, persistentVolumeClaim.claimName);
      const name = claim && nameOf({ ...claim, metadata: { ...claim.metadata, name: claim.metadata.name } });
      if (name) had.add(name);
    }
  }
  for (const { spec } of cluster.attachments) {
    if (spec.nodeName !== node.metadata.name) continue;
    const { csi } = byName(cluster.volumes, spec.source.persistentVolumeName).spec;
    had.add(`${spec.attacher} ${csi.volumeHandle}`);
  }
  const all = new Set([...had, ...claims.map(nameOf).filter((one) => one !== undefined)]);
  for (const { name, allocatable } of byName(cluster.csiNodes, node.metadata.name)?.spec.drivers ?? []) {
    const of = (names: Set<string>): number => [...names].filter((one) => one.startsWith(`${name} `)).length;
    if (allocatable && of(all) > of(had) && of(all) > allocatable.count) return false;
  }
  return true;
}
