/**
 * What can be done with an object: what the verbs and subresources of its kind permit.
 *
 * @module
 */
import type { Kind } from "../../api/discovery.ts";
import type { KubeObject } from "../../api/kube.ts";

/** Something that can be done, beside edits. */
export type Action =
  | "delete"
  | "scale"
  | "restart"
  | "pause"
  | "resume"
  | "cordon"
  | "uncordon"
  | "suspend"
  | "unsuspend";

/** An action, with the verb and the subresource that it needs. */
export interface ActionOffer {
  readonly action: Action;
  readonly label: string;
  readonly verb: "delete" | "patch";
  readonly subresource?: string;
}

/** Members that actions read. */
export interface ActedOn extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly unschedulable?: boolean;
    readonly suspend?: boolean;
    readonly template?: unknown;
  };
}

/** The actions on an object, without regard to rights. */
export function offersOf(kind: Kind, object: ActedOn): ActionOffer[] {
  const { verbs, subresources, group, resource } = kind;
  const offers: ActionOffer[] = [];
  const patch = verbs.includes("patch");
  const patchesMember = (member: string, isSet: boolean): boolean => patch && (isSet || member in (object.spec ?? {}));
  if (subresources.some(({ name, verbs: those }) => name === "scale" && those.includes("patch")))
    offers.push({ action: "scale", label: "Scale…", verb: "patch", subresource: "scale" });
  const rolls = group === "apps" && ["deployments", "statefulsets", "daemonsets"].includes(resource);
  if (patch && rolls) offers.push({ action: "restart", label: "Restart the rollout", verb: "patch" });
  if (patch && group === "apps" && resource === "deployments")
    offers.push(
      object.spec?.paused
        ? { action: "resume", label: "Resume the rollout", verb: "patch" }
        : { action: "pause", label: "Pause the rollout", verb: "patch" },
    );
  if (patch && group === "" && resource === "nodes")
    offers.push(
      object.spec?.unschedulable
        ? { action: "uncordon", label: "Uncordon", verb: "patch" }
        : { action: "cordon", label: "Cordon", verb: "patch" },
    );
  if (group === "batch" && patchesMember("suspend", resource === "jobs" || resource === "cronjobs"))
    offers.push(
      object.spec?.suspend
        ? { action: "unsuspend", label: "Resume", verb: "patch" }
        : { action: "suspend", label: "Suspend", verb: "patch" },
    );
  if (verbs.includes("delete")) offers.push({ action: "delete", label: "Delete…", verb: "delete" });
  return offers;
}

/** The merge patch of an action. `now` is the time in RFC 3339. */
export function patchOf(action: Exclude<Action, "delete">, now: string, replicas: number): object {
  switch (action) {
    case "scale":
      return { spec: { replicas } };
    case "restart":
      // As `kubectl rollout restart` does.
      return { spec: { template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": now } } } } };
    case "pause":
    case "resume":
      return { spec: { paused: action === "pause" } };
    case "cordon":
    case "uncordon":
      return { spec: { unschedulable: action === "cordon" } };
    case "suspend":
    case "unsuspend":
      return { spec: { suspend: action === "suspend" } };
  }
}
