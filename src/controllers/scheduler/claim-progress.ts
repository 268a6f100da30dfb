import { keyText } from "../../client/index.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { isMeantFor } from "../../claims/fit.ts";
import type { Attempt, SchedulerMemory } from "./memory.ts";
import type { NodeView } from "./node-state.ts";
import { isBound } from "./pod-claims.ts";
import { canReach } from "./reachable-volumes.ts";

/** All claims are bound, some are pending, or the plan has failed. */
export type ClaimProgress =
  | { readonly is: "ready" }
  | { readonly is: "waits"; readonly for: string }
  | { readonly is: "failed"; readonly why: string };

type Lookup = Pick<SchedulerMemory, "stored" | "names" | "state">;

const READY: ClaimProgress = { is: "ready" };
const failed = (why: string): ClaimProgress => ({ is: "failed", why });

/** How far the claims of a Pod with a chosen node are bound (SCHED-31, SCHED-32). */
export function claimProgress({ node: name, plan }: Attempt, memory: Lookup): ClaimProgress {
  const node = memory.state.node(name);
  if (!node) return failed(`the node ${name} was deleted`);
  const all = [
    ...plan.matched.map(({ claim, volume }) => ofClaim(claim, node, memory, () => ofReserved(volume, claim, memory))),
    ...plan.provisioned.map((claim) => ofClaim(claim, node, memory, (stored) => ofProvisioned(stored, node, memory))),
  ];
  return all.find(({ is }) => is === "failed") ?? all.find(({ is }) => is === "waits") ?? READY;
}

function ofClaim(
  { metadata }: PersistentVolumeClaim,
  { node }: NodeView,
  memory: Lookup,
  unbound: (stored: PersistentVolumeClaim) => ClaimProgress,
): ClaimProgress {
  const stored = memory.stored.claim(keyText(metadata));
  const { name } = metadata;
  if (stored?.metadata.uid !== metadata.uid) return failed(`the claim ${name} was deleted`);
  if (!isBound(stored, memory)) return unbound(stored);
  const volume = memory.stored.volume(stored.spec.volumeName ?? "");
  if (volume && !canReach(node, volume)) {
    const why = `the claim ${name} got the volume ${volume.metadata.name}, which the node ${node.metadata.name} cannot reach`;
    return failed(why);
  }
  return volume && stored.status?.phase === "Bound" ? READY : waits(name);
}

const waits = (claim: string): ClaimProgress => ({ is: "waits", for: `the claim ${claim} is not bound yet` });

function ofReserved({ metadata }: PersistentVolume, claim: PersistentVolumeClaim, memory: Lookup): ClaimProgress {
  const stored = memory.stored.volume(metadata.name);
  const isKept = stored?.spec.claimRef?.uid !== undefined && isMeantFor(stored, claim);
  return isKept ? waits(claim.metadata.name) : failed(`the volume ${metadata.name} was taken from the claim again`);
}

/** A provisioner removes the selected node where it cannot create a volume for it. */
function ofProvisioned({ metadata }: PersistentVolumeClaim, { name }: NodeView, { names }: Lookup): ClaimProgress {
  const chosen = metadata.annotations?.[names.binder.selectedNode];
  if (chosen === name) return waits(metadata.name);
  return failed(`no volume could be made for the claim ${metadata.name} that the node ${name} can reach`);
}
