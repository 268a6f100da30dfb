import type { CSIStorageCapacity, Node, PersistentVolumeClaim, StorageClass } from "../../client/kinds/index.ts";
import { compareQuantities, quantitySign } from "../../meta/quantity.ts";
import { classOf } from "../../claims/fit.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import type { View } from "./view.ts";
import { topics } from "./topics.ts";
import type { NodeView } from "./node-state.ts";

/** The obstacle where no volume is available (SCHED-27). */
export const NO_VOLUME = "node(s) didn't find available persistent volumes to bind";

/** The obstacle where too little storage is free. */
const NO_STORAGE = "node(s) did not have enough free storage";

type Lookup = Pick<View, "storageClass" | "driver" | "capacities" | "names">;

/**
 * Whether a volume for a claim can be provisioned where a node can reach it: by the class, its topologies and the free
 * storage (SCHED-27, SCHED-28, SCHED-36..41).
 */
export class Provisioning {
  readonly waitsFor: readonly string[];
  readonly #isPossible: boolean;
  readonly #terms: StorageClass["allowedTopologies"];
  /** The sufficient capacities; undefined where the driver does not publish any (SCHED-36, SCHED-41). */
  readonly #capacities: readonly CSIStorageCapacity[] | undefined;

  constructor(claim: PersistentVolumeClaim, view: Lookup) {
    const { binder, migration, noProvisioner } = view.names;
    const className = classOf(claim, binder);
    const storageClass = view.storageClass(className);
    const provisioner = storageClass?.provisioner ?? "";
    this.#isPossible = provisioner !== "" && provisioner !== noProvisioner;
    this.#terms = storageClass?.allowedTopologies;
    const driver = migration.driverOf(provisioner) ?? provisioner;
    this.waitsFor = [topics.driver(driver), topics.capacity(className)];
    const request = claim.spec.resources?.requests?.["storage"];
    const isTracked = view.driver(driver)?.spec.storageCapacity === true;
    if (this.#isPossible && isTracked && request !== undefined) {
      this.#capacities = view.capacities(className).filter((one) => isEnough(one, request));
    }
  }

  /** Returns why no volume can be provisioned for a node. */
  obstacleOn({ node }: NodeView): string | undefined {
    if (!this.#isPossible || !isAllowed(this.#terms, node)) return NO_VOLUME;
    if (this.#capacities && !this.#capacities.some((one) => isAccessible(one, node))) return NO_STORAGE;
    return undefined;
  }
}

/** Whether the allowed topologies of a class include a node (SCHED-28, SC-20, SC-21). */
function isAllowed(terms: StorageClass["allowedTopologies"], { metadata }: Node): boolean {
  if (!terms || terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) => {
    const all = matchLabelExpressions ?? [];
    const holds = all.every(({ key, values }) => values?.includes(metadata.labels?.[key] ?? "") === true);
    return all.length > 0 && holds;
  });
}

/** Whether a capacity is enough for a request; a missing capacity counts as zero (SCHED-37, SCHED-40). */
function isEnough({ maximumVolumeSize, capacity }: CSIStorageCapacity, request: string): boolean {
  const limit = maximumVolumeSize ?? capacity;
  return limit !== undefined && quantitySign(limit) > 0 && compareQuantities(limit, request) >= 0;
}

/** Whether a node can reach the storage: an unset selector matches none, an empty one all (SCHED-38). */
const isAccessible = ({ nodeTopology }: CSIStorageCapacity, { metadata }: Node): boolean =>
  nodeTopology !== undefined && selectorOf(nodeTopology).matches(metadata.labels);
