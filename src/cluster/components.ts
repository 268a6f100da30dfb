/**
 * The health of the parts of a control plane, as ComponentStatuses report it. `scheduler` and `controller-manager` are healthy where
 * controllers of this process do that work, or where their lease is held by kube-scheduler, kube-controller-manager or the controllers of
 * another server. `etcd-0` is the store of any kind.
 *
 * @module
 */
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { SCHEDULER_CONTROLLER } from "../controllers/scheduler/names.ts";
import type { Dialect } from "../meta/dialect.ts";
import { parseTime } from "../meta/time.ts";
import type { NewObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Controller } from "../runtime/index.ts";
import type { Clock } from "../util/clock.ts";
import type { ComponentCondition } from "../kinds/core/v1/component-status.ts";

/** The lease of the controllers of servers that share a store. */
export const CONTROLLERS_LEASE = "keelson-controllers";

/** The controllers of this process, and whether they are elected. */
export interface Running {
  readonly controllers: readonly Controller[];
  readonly manager: { readonly leading: boolean };
}

/** The inputs for the statuses of components. */
export interface ComponentState {
  readonly lookup: Lookup;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly running: readonly Running[];
  readonly storeFailed: () => boolean;
}

interface Part {
  readonly what: string;
  /** Whether a controller of this process does this work. */
  readonly does: (controller: Controller) => boolean;
  /** The leases of other programs that do it. */
  readonly lease: string;
}

const PARTS: Readonly<Record<string, Part>> = {
  scheduler: { what: "scheduler", does: ({ name }) => name === SCHEDULER_CONTROLLER, lease: "kube-scheduler" },
  "controller-manager": {
    what: "controllers",
    does: ({ name }) => name !== SCHEDULER_CONTROLLER,
    lease: "kube-controller-manager",
  },
};

/** The namespace of the leases of programs of the control plane. */
export const leaseNamespace = ({ rules }: Dialect): string =>
  rules.systemNamespaces.includes("kube-system") ? "kube-system" : "default";

/** The current ComponentStatuses. */
export function componentStatuses(state: ComponentState): NewObject[] {
  const parts = Object.entries(PARTS).map(([name, part]) => component(name, conditionOf(part, state)));
  const failed: Omit<ComponentCondition, "type"> = { status: "False", error: "the store has failed" };
  return [...parts, component("etcd-0", state.storeFailed() ? failed : WELL)];
}

const WELL: Omit<ComponentCondition, "type"> = { status: "True", message: "ok" };

const component = (name: string, condition: Omit<ComponentCondition, "type">): NewObject => ({
  kind: "ComponentStatus",
  metadata: { name },
  conditions: [{ type: "Healthy", ...condition }],
});

function conditionOf({ what, does, lease }: Part, state: ComponentState): Omit<ComponentCondition, "type"> {
  const ours = state.running.filter(({ controllers }) => controllers.some(does));
  // Controllers that wait for their election do the same work as those that are elected.
  const leases = ours.length > 0 ? [CONTROLLERS_LEASE, lease] : [lease];
  if (ours.some(({ manager }) => manager.leading) || leases.some((name) => isHeld(name, state))) return WELL;
  const key = `${leaseNamespace(state.dialect)}/${lease}`;
  return { status: "False", message: `no ${what} in this server, and no holder of the lease ${key}` };
}

interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

const isLease = guardOf<Lease>("Lease");

/** Whether a lease has a holder that has renewed it in time. */
function isHeld(name: string, { lookup, dialect, clock }: ComponentState): boolean {
  const lease = lookup.get("leases.coordination.k8s.io", leaseNamespace(dialect), name);
  const { holderIdentity, leaseDurationSeconds = 0, renewTime } = (isLease(lease) && lease.spec) || {};
  const renewed = renewTime === undefined ? undefined : parseTime(renewTime);
  if (!holderIdentity || renewed === undefined) return false;
  return clock.now() - renewed <= leaseDurationSeconds * 1000;
}
