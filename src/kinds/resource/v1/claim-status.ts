/**
 * The status of a claim: its devices, their consumers, and their states (KIND-ResourceClaim-4).
 *
 * @module
 */
import { addressText, networkOf, addressFault } from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import type { ApiObject, WriteContext } from "../../../schema/definition.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { NodeSelector, validateNodeSelector } from "../../rules/node-selector.ts";
import { Condition, validateConditions } from "../../rules/condition.ts";
import { validateDriverName } from "../../rules/driver-name.ts";
import type { Feature, GatedMembers } from "../../rules/gated-field.ts";
import { BINDING_CONDITIONS, validateBindingConditions } from "./binding-conditions.ts";
import {
  type ClaimSpec,
  type RequestNames,
  demandAdminAccess,
  requestNames,
  specFeatures,
  validateReference,
  validateReferences,
} from "./claim-spec.ts";
import { CONFIGURATION, validateConfiguration, validateJsonObject } from "./configuration.ts";
import { checkList, checkSet } from "./lists.ts";
import { shareId, tell, validatePoolName } from "./names.ts";
import { tolerations } from "./taints.ts";

const DEVICE = {
  driver: t.required(t.text("The driver of the device.")),
  pool: t.required(t.text("The pool that it is in.")),
  device: t.required(t.text("Its name in the pool.")),
} as const;

const shareID = t.pointer(t.text("Which share of a device it is that several have; a UID."));

const Result = t.struct("A device that the claim has.", {
  request: t.required(t.text("The request that it was found for, as `request` or `request/alternative`.")),
  ...DEVICE,
  adminAccess: t.pointer(t.bool("Whether the claim looks after the device, which others may have.")),
  tolerations,
  ...BINDING_CONDITIONS,
  shareID,
  consumedCapacity: t.optional(t.map(t.quantity(), "How much of it the claim has, by the names of capacities.")),
});

const Configuration = t.struct("A configuration of devices.", {
  source: t.required(t.text("Its source: FromClass or FromClaim.")),
  requests: t.optional(t.atomicList(t.text(), "The requests whose devices it is for; all by default.")),
  ...CONFIGURATION,
});

const Allocation = t.struct("The allocation of the claim.", {
  devices: t.always(
    t.struct("Devices.", {
      results: t.optional(t.atomicList(Result, "The devices; at most 32.")),
      config: t.optional(
        t.atomicList(Configuration, "Configurations for drivers, those of classes first; at most 64."),
      ),
    }),
  ),
  nodeSelector: t.pointer(NodeSelector),
  allocationTimestamp: t.pointer(t.time("When the devices were found.")),
});

const Consumer = t.struct("An object that may use the devices.", {
  apiGroup: t.optional(t.text("The group of the resource; empty for the core group.")),
  resource: t.required(t.text("The resource, such as pods.")),
  name: t.required(t.text("The name of the object.")),
  uid: t.required(t.text("Which object of this name it is.")),
});

const Device = t.struct("How a device is.", {
  ...DEVICE,
  shareID,
  conditions: t.nullable(t.replacedList(Condition, ["type"], "Its conditions, which its driver sets; at most 8.")),
  data: t.pointer(t.anyJson("Further data of its driver, an object; at most 10 KiB.")),
  networkData: t.pointer(
    t.struct("How it is reached in a network.", {
      interfaceName: t.optional(t.text("The name of the interface; at most 256 bytes.")),
      ips: t.optional(
        t.atomicList(t.text(), "Its addresses with the size of their network, such as 192.0.2.5/24; at most 16."),
      ),
      hardwareAddress: t.optional(t.text("Its hardware address; at most 128 bytes.")),
    }),
  ),
});

/** The schema of the status of a claim. */
export const ClaimStatusSchema = t.struct("The devices that the claim has.", {
  allocation: t.pointer(Allocation),
  reservedFor: t.optional(t.keyedList(Consumer, ["uid"], "The objects that may use them; at most 256.")),
  devices: t.optional(
    t.replacedList(Device, ["driver", "device", "pool", "shareID"], "How they are, as their drivers say."),
  ),
});

type Status = t.Static<typeof ClaimStatusSchema>;

/** A claim. */
export type ResourceClaim = ApiObject & { spec: ClaimSpec; status: Status };

const resultsOf = ({ allocation }: Status): readonly t.Static<typeof Result>[] => allocation?.devices?.results ?? [];

const RESULTS = "status.allocation.devices.results";

const membersOfResults = ({ status }: ResourceClaim, ...members: string[]): GatedMembers[] =>
  resultsOf(status).map((result, i) => [result, `${RESULTS}[${i}]`, members]);

const SPEC_FEATURES = specFeatures("spec");
const inSpec = (gate: Feature<ResourceClaim>["gate"], { spec }: ResourceClaim): readonly GatedMembers[] =>
  SPEC_FEATURES.flatMap((feature) => (feature.gate === gate ? [...feature.members(spec)] : []));

/** The features of a status; those in the spec count as well. */
export const STATUS_FEATURES: readonly Feature<ResourceClaim>[] = [
  { gate: "DRAResourceClaimDeviceStatus", members: ({ status }) => [[status, "status", ["devices"]]] },
  {
    gate: "DRAAdminAccess",
    members: (claim) => [...inSpec("DRAAdminAccess", claim), ...membersOfResults(claim, "adminAccess")],
  },
  {
    gate: "DRAConsumableCapacity",
    members: (claim) => [
      ...inSpec("DRAConsumableCapacity", claim),
      ...membersOfResults(claim, "shareID", "consumedCapacity"),
      ...(claim.status.devices ?? []).map((device, i): GatedMembers => [device, `status.devices[${i}]`, ["shareID"]]),
    ],
  },
  {
    gate: "DRADeviceBindingConditions",
    members: (claim) => membersOfResults(claim, "bindingConditions", "bindingFailureConditions"),
  },
];

interface Identified {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

/** The identity of a device, or of a share of one. */
const idOf = ({ driver, pool, device, shareID: share }: Identified): string =>
  JSON.stringify([driver, pool, device, ...(share === undefined ? [] : [share])]);

const idsOf = (status: Status): Set<string> => new Set(resultsOf(status).map(idOf));

/** Removes the status of devices that are deallocated. Changes `claim`. */
export function dropFormerDevices({ status }: ResourceClaim, old: ResourceClaim): void {
  if (!status.devices) return;
  const former = idsOf(old.status).difference(idsOf(status));
  status.devices = status.devices.filter((device) => !former.has(idOf(device)));
  if (status.devices.length === 0) delete status.devices;
}

const MAX_CONSUMERS = 256;

/** All faults of the new status of a claim. */
export function validateClaimStatus(
  claim: ResourceClaim,
  old: ResourceClaim,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const { status } = claim;
  validateAdmin(claim, old, errors, ctx);
  const consumers = status.reservedFor;
  checkSet(
    consumers,
    MAX_CONSUMERS,
    "status.reservedFor",
    errors,
    (consumer, at) => validateConsumer(consumer, at, errors),
    ({ uid }) => uid,
  );
  const allocated = idsOf(status);
  const check = (device: DeviceValue, at: string): void => validateDevice(device, at, allocated, errors);
  checkSet(status.devices, Infinity, "status.devices", errors, check, idOf);
  if (consumers && consumers.length > 0) validateReservation(claim, old, errors);
  validateAllocation(claim, old, errors);
}

/** New admin access to devices requires a namespace with the label for it. */
function validateAdmin(
  { status, metadata }: ResourceClaim,
  old: ResourceClaim,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const asked = (of: Status): number => resultsOf(of).findIndex(({ adminAccess }) => adminAccess === true);
  const i = asked(status);
  if (i < 0 || asked(old.status) >= 0) return;
  demandAdminAccess(`${RESULTS}[${i}].adminAccess`, metadata.namespace ?? "", errors, ctx);
}

function validateConsumer(consumer: t.Static<typeof Consumer>, at: string, errors: FieldErrors): void {
  for (const member of ["resource", "name", "uid"] as const) {
    if (consumer[member] === "") errors.required(`${at}.${member}`);
  }
}

function validateReservation({ metadata, status }: ResourceClaim, old: ResourceClaim, errors: FieldErrors): void {
  const field = "status.reservedFor";
  if (!status.allocation) return errors.forbidden(field, "expected nobody before there is an allocation");
  if (metadata.deletionTimestamp === undefined) return;
  const keyOf = ({ apiGroup = "", resource, name, uid }: t.Static<typeof Consumer>): string =>
    [apiGroup, resource, name, uid].join("\0");
  const before = new Set(old.status.reservedFor?.map(keyOf));
  if (status.reservedFor?.some((consumer) => !before.has(keyOf(consumer)))) {
    errors.forbidden(field, "expected nobody new: the claim is being deleted");
  }
}

/** An allocation is immutable while it exists. */
function validateAllocation({ spec, status }: ResourceClaim, old: ResourceClaim, errors: FieldErrors): void {
  const { allocation } = status;
  if (!allocation) return;
  const field = "status.allocation";
  const before = old.status.allocation;
  if (before) {
    if (!sameMeaning(Allocation, allocation, before)) {
      errors.invalid(field, allocation, "expected it to stay as it is until it is taken away");
    }
    return;
  }
  const names = requestNames(spec);
  const { results, config } = allocation.devices ?? {};
  checkList(results, MAX_RESULTS, `${field}.devices.results`, errors, (result, at) =>
    validateResult(result, names, at, errors),
  );
  checkList(config, MAX_CONFIGURATIONS, `${field}.devices.config`, errors, (configuration, at) => {
    validateSource(configuration.source, `${at}.source`, errors);
    validateReferences(configuration.requests, names, `${at}.requests`, errors);
    validateConfiguration(configuration, at, errors);
  });
  if (allocation.nodeSelector) validateNodeSelector(allocation.nodeSelector, `${field}.nodeSelector`, errors);
}

const MAX_RESULTS = 32;
const MAX_CONFIGURATIONS = 64;
const SOURCES = ["FromClaim", "FromClass"];

function validateSource(source: string, field: string, errors: FieldErrors): void {
  if (source === "") errors.required(field, `expected one of ${SOURCES.join(", ")}`);
  else if (!SOURCES.includes(source)) errors.notSupported(field, source, SOURCES);
}

function validateIdentity({ driver, pool, device, shareID: share }: Identified, at: string, errors: FieldErrors): void {
  validateDriverName(driver, `${at}.driver`, errors);
  validatePoolName(pool, `${at}.pool`, errors);
  tell(device, dnsLabel, `${at}.device`, errors);
  if (share !== undefined) tell(share, shareId, `${at}.shareID`, errors);
}

function validateResult(result: t.Static<typeof Result>, names: RequestNames, at: string, errors: FieldErrors): void {
  validateReference(result.request, names, `${at}.request`, errors);
  validateIdentity(result, at, errors);
  validateBindingConditions(result, at, errors);
}

type DeviceValue = t.Static<typeof Device>;

const MAX_CONDITIONS = 8;

function validateDevice(device: DeviceValue, at: string, allocated: ReadonlySet<string>, errors: FieldErrors): void {
  validateIdentity(device, at, errors);
  const id = idOf(device);
  if (!allocated.has(id)) errors.invalid(at, id, "expected a device that the claim has");
  const conditions = device.conditions ?? [];
  if (conditions.length > MAX_CONDITIONS) {
    errors.tooMany(`${at}.conditions`, conditions.length, MAX_CONDITIONS);
  }
  validateConditions(conditions, `${at}.conditions`, errors);
  if (device.data !== undefined && device.data !== null) validateJsonObject(device.data, `${at}.data`, errors);
  if (device.networkData) validateNetworkData(device.networkData, `${at}.networkData`, errors);
}

const MAX_INTERFACE_LENGTH = 256;
const MAX_HARDWARE_ADDRESS_LENGTH = 128;
const MAX_ADDRESSES = 16;

function validateNetworkData(
  { interfaceName = "", hardwareAddress = "", ips }: NonNullable<DeviceValue["networkData"]>,
  at: string,
  errors: FieldErrors,
): void {
  if (Buffer.byteLength(interfaceName) > MAX_INTERFACE_LENGTH)
    errors.tooLong(`${at}.interfaceName`, MAX_INTERFACE_LENGTH);
  if (Buffer.byteLength(hardwareAddress) > MAX_HARDWARE_ADDRESS_LENGTH) {
    errors.tooLong(`${at}.hardwareAddress`, MAX_HARDWARE_ADDRESS_LENGTH);
  }
  const check = (address: string, field: string): void => tell(address, interfaceAddress, field, errors);
  checkSet(ips, MAX_ADDRESSES, `${at}.ips`, errors, check, (address) => address);
}

/** An address with the size of its network, in its standard form. */
function interfaceAddress(address: string): string | undefined {
  const network = networkOf(address);
  if (!network) return "expected an address with the size of its network, such as 10.9.8.7/24 or 2001:db8::1/64";
  const right = `${addressText(network.bytes)}/${network.bits}`;
  const wrong = addressFault(address.slice(0, address.lastIndexOf("/")));
  return wrong ?? (address === right ? undefined : `expected its standard form, ${right}`);
}
