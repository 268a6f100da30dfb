/**
 * ResourceSlice: some of the devices of a pool, as their driver reports them (KIND-ResourceSlice-1).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { formatTime } from "../../../meta/time.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { NodeSelector } from "../../rules/node-selector.ts";
import { nearest } from "../../rules/counts.ts";
import { validateDriverName } from "../../rules/driver-name.ts";
import { type Feature, type GatedMembers, dropFeatures } from "../../rules/gated-field.ts";
import {
  CounterSet,
  Device,
  type DeviceValue,
  validateCounterSet,
  validateDevice,
  validateOnePlace,
  validatePlaces,
  validateTrue,
} from "./devices.ts";
import { checkSet } from "./lists.ts";
import { validatePoolName } from "./names.ts";

const Pool = t.struct("The pool that the devices are in.", {
  name: t.required(t.text("Its name: DNS subdomains with slashes between them, often that of a node.")),
  generation: t.required(t.int64("Which state of the pool it is: the slices of the greatest count.")),
  resourceSliceCount: t.required(t.int64("How many slices the pool has in this state.")),
});

const Spec = t.struct("The devices.", {
  driver: t.required(t.text("The driver that publishes them.")),
  pool: t.required(Pool),
  nodeName: t.pointer(t.text("The node that has them.")),
  nodeSelector: t.pointer(NodeSelector),
  allNodes: t.pointer(t.bool("Whether all nodes reach them.")),
  devices: t.optional(
    t.atomicList(Device, "The devices; at most 128, or 64 where any has taints or takes of shared amounts."),
  ),
  perDeviceNodeSelection: t.pointer(t.bool("Whether each device defines its nodes.")),
  sharedCounters: t.optional(t.atomicList(CounterSet, "Amounts that devices of the pool take of; at most 8.")),
});

const schema = objectSchema("Some of the devices of a pool, as reported by their driver.", { spec: t.required(Spec) });

type ResourceSlice = ObjectOf<typeof schema>;

const devicesOf = ({ spec }: ResourceSlice): readonly DeviceValue[] => spec.devices ?? [];

const membersOfDevices = (object: ResourceSlice, ...members: string[]): GatedMembers[] =>
  devicesOf(object).map((device, i) => [device, `spec.devices[${i}]`, members]);

const FEATURES: readonly Feature<ResourceSlice>[] = [
  { gate: "DRADeviceTaints", members: (slice) => membersOfDevices(slice, "taints") },
  {
    gate: "DRAPartitionableDevices",
    members: (slice) => [
      [slice.spec, "spec", ["sharedCounters", "perDeviceNodeSelection"]],
      ...membersOfDevices(slice, "consumesCounters", "nodeName", "nodeSelector", "allNodes"),
    ],
  },
  ...(["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"] as const).map((gate) => ({
    gate,
    members: (slice: ResourceSlice) =>
      membersOfDevices(slice, "bindingConditions", "bindingFailureConditions", "bindsToNode"),
  })),
  {
    gate: "DRAConsumableCapacity",
    *members(slice) {
      yield* membersOfDevices(slice, "allowMultipleAllocations");
      for (const [i, { capacity = {} }] of devicesOf(slice).entries()) {
        for (const [name, amount] of Object.entries(capacity)) {
          yield [amount, `spec.devices[${i}].capacity[${name}]`, ["requestPolicy"]];
        }
      }
    },
  },
];

const PLACES = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"];
const MAX_DEVICES = 128;
const MAX_DEMANDING = 64;
const MAX_COUNTER_SETS = 8;

function validate(object: ResourceSlice, old: ResourceSlice | undefined, errors: FieldErrors): void {
  const { driver, pool, perDeviceNodeSelection, sharedCounters } = object.spec;
  validateDriverName(driver, "spec.driver", errors);
  validatePoolName(pool.name, "spec.pool.name", errors);
  if (nearest(pool.resourceSliceCount) <= 0) {
    errors.invalid("spec.pool.resourceSliceCount", pool.resourceSliceCount, "expected 1 or more");
  }
  if (nearest(pool.generation) < 0) errors.invalid("spec.pool.generation", pool.generation, "expected 0 or more");
  validateNodes(object.spec, errors);
  const devices = devicesOf(object);
  if (sharedCounters?.length && devices.length > 0) {
    errors.invalid("spec", "", "expected either sharedCounters or devices, got both");
  }
  const isDemanding = devices.some(({ taints, consumesCounters }) => taints?.length || consumesCounters?.length);
  const before = new Map(
    old &&
      devicesOf(old)
        .toReversed()
        .map((device) => [device.name, device]),
  );
  const isAlone = perDeviceNodeSelection === true;
  checkSet(
    devices,
    isDemanding ? MAX_DEMANDING : MAX_DEVICES,
    "spec.devices",
    errors,
    (device, at) => validateDevice(device, before.get(device.name), isAlone, at, errors),
    ({ name }) => name,
  );
  checkSet(
    sharedCounters,
    MAX_COUNTER_SETS,
    "spec.sharedCounters",
    errors,
    (counters, at) => validateCounterSet(counters, at, errors),
    ({ name }) => name,
  );
}

function validateNodes(spec: ResourceSlice["spec"], errors: FieldErrors): void {
  const given = validatePlaces(spec, "spec", errors);
  const terms = spec.nodeSelector?.nodeSelectorTerms ?? [];
  if (spec.nodeSelector && terms.length !== 1) {
    errors.invalid("spec.nodeSelector.nodeSelectorTerms", terms, "expected one term");
  }
  if (validateTrue(spec.perDeviceNodeSelection, "spec.perDeviceNodeSelection", errors)) {
    given.push("perDeviceNodeSelection");
  }
  validateOnePlace(given, PLACES, "spec", errors);
}

function validateUpdate(object: ResourceSlice, old: ResourceSlice, errors: FieldErrors): void {
  const [now, before] = [object.spec, old.spec];
  validate(object, old, errors);
  const stays = (field: string, value: string | undefined, was: string | undefined): void => {
    if (value !== was) errors.invalid(field, value ?? null, `expected it to stay as it is${was ? `, ${was}` : ""}`);
  };
  stays("spec.pool.name", now.pool.name, before.pool.name);
  stays("spec.driver", now.driver, before.driver);
  stays("spec.nodeName", now.nodeName, before.nodeName);
}

/** Sets the default time of taints. */
function setDefaults(object: ResourceSlice, { clock }: WriteContext): void {
  for (const { taints = [] } of devicesOf(object)) {
    for (const taint of taints) taint.timeAdded ??= formatTime(clock.now());
  }
}

/** The definition of ResourceSlice. */
export const resourceSlice = defineResource(schema, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceSlice",
  plural: "resourceslices",
  scope: "Cluster",
  deleteReturns: "object",
  generation: "fromOne",
  defaults: setDefaults,
  prepareForCreate: (object, ctx) => dropFeatures(FEATURES, object, undefined, ctx),
  prepareForUpdate(object, old, ctx) {
    // Dropped members count, too.
    if (!sameMeaning(Spec, object.spec, old.spec)) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    dropFeatures(FEATURES, object, old, ctx);
  },
  counts: () => false,
  validate: (object, errors) => validate(object, undefined, errors),
  validateUpdate,
  *warnings(object) {
    const { driver } = object.spec;
    if (driver !== driver.toLowerCase()) {
      yield `spec.driver: names of drivers should be lower-case; "${driver}" has upper-case letters`;
    }
  },
  selectableFields: {
    "spec.driver": (object) => object.spec?.driver ?? "",
    "spec.nodeName": (object) => object.spec?.nodeName ?? "",
  },
  columns: [
    textColumn("Node", "The node that has the devices.", (object) => object.spec?.nodeName ?? ""),
    textColumn("Driver", "The driver that publishes them.", (object) => object.spec?.driver ?? ""),
    textColumn("Pool", "The pool that they are in.", (object) => object.spec?.pool?.name ?? ""),
    ageColumn,
  ],
});
