/**
 * Devices in slices: their attributes, capacities and nodes (KIND-ResourceSlice-1).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { NodeSelector, type NodeSelectorValue, validateNodeSelector } from "../../rules/node-selector.ts";
import { BINDING_CONDITIONS, validateBindingConditions } from "./binding-conditions.ts";
import { Capacity, validateCapacity } from "./capacity.ts";
import { checkList, checkMap, checkSet } from "./lists.ts";
import { tell, validateQualifiedName } from "./names.ts";
import { taints, validateTaint } from "./taints.ts";

const Attribute = t.struct("An attribute of a device.", {
  int: t.pointer(t.int64("A number.")),
  bool: t.pointer(t.bool("Whether it is so.")),
  string: t.pointer(t.text("A text; at most 64 bytes.")),
  version: t.pointer(t.text("A version, as semver.org has them; at most 64 bytes.")),
});

const Counter = t.struct("An amount.", { value: t.required(t.quantity("How much.")) });

const counters = t.required(t.map(Counter, "Amounts by their names; at most 32."));

/** The schema of amounts that devices share. */
export const CounterSet = t.struct("Amounts that devices take of.", {
  name: t.required(t.text("The name of all of them, a DNS label.")),
  counters,
});

const Consumption = t.struct("The amounts of shared counters that the device uses.", {
  counterSet: t.required(t.text("The name of those in `sharedCounters`.")),
  counters,
});

/** The schema of a device. */
export const Device = t.struct("A device.", {
  name: t.required(t.text("Its name in the pool, a DNS label.")),
  attributes: t.optional(
    t.map(Attribute, "Its attributes, by names with a domain unless that is the driver; with capacities at most 32."),
  ),
  capacity: t.optional(t.map(Capacity, "How much it has, by names as those of attributes.")),
  consumesCounters: t.optional(t.atomicList(Consumption, "The amounts of shared counters that it uses; at most 2.")),
  nodeName: t.pointer(t.text("The node that it is on, with perDeviceNodeSelection.")),
  nodeSelector: t.pointer(NodeSelector),
  allNodes: t.pointer(t.bool("Whether all nodes reach it, with perDeviceNodeSelection.")),
  taints,
  bindsToNode: t.pointer(t.bool("Whether its consumer stays on the node of the allocation.")),
  ...BINDING_CONDITIONS,
  allowMultipleAllocations: t.pointer(t.bool("Whether several claims may have it at a time.")),
});

/** A device of a slice. */
export type DeviceValue = t.Static<typeof Device>;

type AttributeValue = t.Static<typeof Attribute>;
type CounterSetValue = t.Static<typeof CounterSet>;

const MAX_PROPERTIES = 32;
const MAX_TAINTS = 16;
const MAX_CONSUMPTIONS = 2;
const MAX_COUNTERS = 32;
const MAX_VALUE_LENGTH = 64;

/** Validates a device; old taints are not validated again. */
export function validateDevice(
  device: DeviceValue,
  old: DeviceValue | undefined,
  isAlone: boolean,
  at: string,
  errors: FieldErrors,
): void {
  tell(device.name, dnsLabel, `${at}.name`, errors);
  validateProperties(device, at, errors);
  if (!old || !sameMeaning(taints, old.taints, device.taints)) {
    checkList(device.taints, MAX_TAINTS, `${at}.taints`, errors, (taint, place) => validateTaint(taint, place, errors));
  }
  checkSet(
    device.consumesCounters,
    MAX_CONSUMPTIONS,
    `${at}.consumesCounters`,
    errors,
    (consumption, place) => validateCounters(consumption.counterSet, "counterSet", consumption.counters, place, errors),
    ({ counterSet }) => counterSet,
  );
  validatePlace(device, isAlone, at, errors);
  validateBindingConditions(device, at, errors);
}

function validateProperties(device: DeviceValue, at: string, errors: FieldErrors): void {
  const { attributes = {}, capacity = {} } = device;
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > MAX_PROPERTIES) {
    errors.invalid(at, count, `expected at most ${MAX_PROPERTIES} attributes and capacities in all`);
  }
  checkMap(attributes, Infinity, `${at}.attributes`, errors, (name, attribute, place) => {
    validateQualifiedName(name, place, errors);
    validateAttribute(attribute, place, errors);
  });
  const isShared = device.allowMultipleAllocations === true;
  checkMap(capacity, Infinity, `${at}.capacity`, errors, (name, amount, place) => {
    validateQualifiedName(name, place, errors);
    validateCapacity(amount, isShared, place, errors);
  });
}

const NUMBER = "(?:0|[1-9]\\d*)";
const PRERELEASE = `(?:${NUMBER}|\\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const BUILD = "[0-9a-zA-Z-]+";

/** A version as semver.org has them. */
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+${BUILD}(?:\\.${BUILD})*)?$`,
);

function validateAttribute(attribute: AttributeValue, at: string, errors: FieldErrors): void {
  const { string, version } = attribute;
  if (string !== undefined) validateLength(string, `${at}.string`, errors);
  if (version !== undefined) {
    if (!VERSION.test(version)) errors.invalid(`${at}.version`, version, "expected a version such as 1.2.3");
    validateLength(version, `${at}.version`, errors);
  }
  const given = Object.values(attribute).filter((value) => value !== undefined);
  if (given.length !== 1) errors.invalid(at, attribute, "expected one value");
}

function validateLength(value: string, field: string, errors: FieldErrors): void {
  if (Buffer.byteLength(value) > MAX_VALUE_LENGTH) errors.tooLong(field, MAX_VALUE_LENGTH);
}

/** All faults of amounts that devices share. */
export const validateCounterSet = ({ name, counters: all }: CounterSetValue, at: string, errors: FieldErrors): void =>
  validateCounters(name, "name", all, at, errors);

function validateCounters(
  name: string,
  member: string,
  all: CounterSetValue["counters"] | undefined,
  at: string,
  errors: FieldErrors,
): void {
  if (name === "") errors.required(`${at}.${member}`, "expected the name of shared amounts");
  else tell(name, dnsLabel, `${at}.${member}`, errors);
  if (Object.keys(all ?? {}).length === 0) return errors.required(`${at}.counters`, "expected an amount");
  checkMap(all, MAX_COUNTERS, `${at}.counters`, errors, (counter, _amount, place) =>
    tell(counter, dnsLabel, place, errors),
  );
}

/** The three ways to define the nodes of devices. */
interface Place {
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelectorValue;
  readonly allNodes?: boolean;
}

/** Validates each way to define the nodes of devices; returns those that are set. */
export function validatePlaces({ nodeName, nodeSelector, allNodes }: Place, at: string, errors: FieldErrors): string[] {
  const given: string[] = [];
  if (nodeName === "") errors.invalid(`${at}.nodeName`, nodeName, "expected the name of a node, or none at all");
  else if (nodeName !== undefined) {
    given.push("nodeName");
    tell(nodeName, dnsSubdomain, `${at}.nodeName`, errors);
  }
  if (nodeSelector) {
    given.push("nodeSelector");
    validateNodeSelector(nodeSelector, `${at}.nodeSelector`, errors);
  }
  if (validateTrue(allNodes, `${at}.allNodes`, errors)) given.push("allNodes");
  return given;
}

/** Whether a member is true; false in place of absent is an error. */
export function validateTrue(value: boolean | undefined, field: string, errors: FieldErrors): boolean {
  if (value === false) errors.invalid(field, value, "expected true, or nothing at all");
  return value === true;
}

/** Reports that not exactly one way is set. */
export function validateOnePlace(
  given: readonly string[],
  all: readonly string[],
  at: string,
  errors: FieldErrors,
): void {
  const expected = `expected one of ${all.join(", ")}`;
  if (given.length === 0) errors.required(at, expected);
  else if (given.length > 1) errors.invalid(at, given.join(", "), expected);
}

const PLACES = ["nodeName", "nodeSelector", "allNodes"] as const;

/** A device defines its nodes where its slice requires that. */
function validatePlace(device: DeviceValue, isAlone: boolean, at: string, errors: FieldErrors): void {
  if (isAlone) return validateOnePlace(validatePlaces(device, at, errors), PLACES, at, errors);
  const given = PLACES.filter((member) => device[member] !== undefined);
  if (given.length > 0) errors.invalid(at, given.join(", "), "expected perDeviceNodeSelection in the slice");
}
