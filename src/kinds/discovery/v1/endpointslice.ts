/**
 * EndpointSlice: some of the programs behind a Service, with their addresses (KIND-EndpointSlice-1..10).
 *
 * @module
 */
import {
  addressBytes,
  familyOf,
  addressWarnings,
  addressFault,
  legacyAddressFault,
  specialAddressFault,
} from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName, type TextCheck } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import type { Steps } from "../../../util/steps.ts";
import { equal, type Value } from "../../../value/value.ts";
import { ObjectReference } from "../../rules/references.ts";
import { firstFew } from "../../rules/first-few.ts";
import { same } from "../../rules/same.ts";

const name = (what: string) => t.struct(what, { name: t.required(t.text("Its name.")) });

const Endpoint = t.struct("A program.", {
  addresses: t.required(t.setList(t.text(), "Its addresses: any of them leads to it.")),
  conditions: t.always(
    t.struct("How it is.", {
      ready: t.pointer(t.bool("Whether it takes requests; unset is yes.")),
      serving: t.pointer(t.bool("Whether it responds, also while it terminates.")),
      terminating: t.pointer(t.bool("Whether it ends.")),
    }),
  ),
  hostname: t.pointer(t.text("Its name in the Service.")),
  targetRef: t.pointer(ObjectReference),
  deprecatedTopology: t.optional(
    t.map(t.text(), "The topology in the form of old clients; values that are sent are dropped."),
  ),
  nodeName: t.pointer(t.text("The node that it is on.")),
  zone: t.pointer(t.text("The zone that it is in.")),
  hints: t.pointer(
    t.struct("The clients that should use it.", {
      forZones: t.optional(t.atomicList(name("A zone."), "The zones that should.")),
      forNodes: t.optional(t.atomicList(name("A node."), "The nodes that should.")),
    }),
  ),
});

const Port = t.struct(
  "A port of the programs.",
  {
    name: t.pointer(t.text("Its name; empty for the only one.")),
    protocol: t.pointer(t.text("TCP, UDP or SCTP.")),
    port: t.pointer(t.int32("Its number; all ports when unset.")),
    appProtocol: t.pointer(t.text("The protocol of the application.")),
  },
  { atomic: true },
);

const schema = objectSchema("Some of the addresses of the Pods of a Service.", {
  addressType: t.required(t.text("The type of the addresses: IPv4, IPv6 or FQDN.")),
  endpoints: t.required(t.atomicList(Endpoint, "The programs, at most 1000.")),
  ports: t.always(t.atomicList(Port, "The ports of each of them.")),
});

/** An EndpointSlice in wire form. */
export type EndpointSlice = ObjectOf<typeof schema>;

const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_HINTS = 8;
const MAX_PORTS = 20_000;
const ENDPOINTS_A_STEP = 10;

function validate(object: EndpointSlice, errors: FieldErrors): void {
  const { addressType, ports } = object;
  if (addressType === "") errors.required("addressType", `expected one of ${ADDRESS_TYPES.join(", ")}`);
  else if (!ADDRESS_TYPES.includes(addressType)) errors.notSupported("addressType", addressType, ADDRESS_TYPES);
  validatePorts(ports ?? [], errors);
}

/** The endpoints, which may have a hundred addresses each. */
function* validateEndpoints(object: EndpointSlice, old: EndpointSlice | undefined, errors: FieldErrors): Steps<void> {
  const { addressType } = object;
  const endpoints = object.endpoints ?? [];
  // Accepted values stay valid.
  if (old && same(endpoints, old.endpoints ?? [])) return;
  if (endpoints.length > MAX_ENDPOINTS) return errors.tooMany("endpoints", endpoints.length, MAX_ENDPOINTS);
  for (const [i, { addresses, hostname, nodeName, hints }] of endpoints.entries()) {
    if (i % ENDPOINTS_A_STEP === 0) yield;
    const field = `endpoints[${i}]`;
    validateAddresses(addresses ?? [], addressType, `${field}.addresses`, errors);
    tell(nodeName, dnsSubdomain, `${field}.nodeName`, errors);
    tell(hostname, dnsLabel, `${field}.hostname`, errors);
    if (!hints) continue;
    const { forZones = [], forNodes = [] } = hints;
    validateHints(forZones, labelValue, `${field}.hints.forZones`, errors);
    if (forZones.length > MAX_HINTS) continue;
    validateHints(forNodes, dnsSubdomain, `${field}.hints.forNodes`, errors);
  }
}

function tell(value: string | undefined, check: TextCheck, field: string, errors: FieldErrors): void {
  const wrong = value === undefined ? undefined : check(value);
  if (wrong) errors.invalid(field, value, wrong);
}

function validateAddresses(addresses: readonly string[], type: string, field: string, errors: FieldErrors): void {
  if (addresses.length === 0) errors.required(field, "expected an address");
  if (addresses.length > MAX_ADDRESSES) errors.tooMany(field, addresses.length, MAX_ADDRESSES);
  addresses.forEach((address, i) => {
    const at = `${field}[${i}]`;
    if (type === "FQDN" && address === "") return errors.required(at, "expected a name");
    if (type === "FQDN") return tell(address, fullName, at, errors);
    if (type !== "IPv4" && type !== "IPv6") return;
    // IPv6 addresses must always be canonical.
    const wrong = type === "IPv4" ? legacyAddressFault(address) : addressFault(address);
    if (wrong) return errors.invalid(at, address, wrong);
    const bytes = addressBytes(address)!;
    if (familyOf(bytes) !== type) errors.invalid(field, address, `expected an address of ${type}`);
    const fault = specialAddressFault(bytes);
    if (fault) errors.invalid(at, address, fault);
  });
}

/** A DNS name of at least two labels; it may end with a dot. */
function fullName(address: string): string | undefined {
  const bare = address.replace(/\.$/, "");
  const labels = bare.split(".");
  if (labels.length < 2) return "expected a name of at least two parts";
  return dnsSubdomain(bare) ?? labels.map(dnsLabel).find((wrong) => wrong !== undefined);
}

function validateHints(
  hints: readonly { readonly name: string }[],
  check: TextCheck,
  field: string,
  errors: FieldErrors,
): void {
  if (hints.length > MAX_HINTS) return errors.tooMany(field, hints.length, MAX_HINTS);
  hints.forEach((hint, i) => {
    if (hints.findIndex((other) => other.name === hint.name) < i) errors.duplicate(`${field}[${i}].name`, hint.name);
    tell(hint.name, check, `${field}[${i}].name`, errors);
  });
}

function validatePorts(ports: readonly t.Static<typeof Port>[], errors: FieldErrors): void {
  if (ports.length > MAX_PORTS) return errors.tooMany("ports", ports.length, MAX_PORTS);
  const names = new Set<string>();
  ports.forEach(({ name: called = "", protocol = "", appProtocol }, i) => {
    const field = `ports[${i}]`;
    if (called !== "") tell(called, dnsLabel, `${field}.name`, errors);
    if (names.has(called)) errors.duplicate(`${field}.name`, called);
    names.add(called);
    if (!PROTOCOLS.includes(protocol)) errors.notSupported(`${field}.protocol`, protocol, PROTOCOLS);
    tell(appProtocol, qualifiedName, `${field}.appProtocol`, errors);
  });
}

/** Drops the topology of old clients. */
function dropTopology(object: EndpointSlice): void {
  for (const endpoint of object.endpoints ?? []) delete endpoint.deprecatedTopology;
}

const portsText = (object: EndpointSlice): string => {
  const ports = object.ports ?? [];
  return firstFew(ports.map(({ port, name: called }) => String(port ?? called ?? "*"))) || "<unset>";
};

const addressesText = (object: EndpointSlice): string =>
  firstFew((object.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) || "<unset>";

/** What an update counts: everything but metadata, and labels, also what is not kept (KIND-EndpointSlice-6). */
function isCounted(object: EndpointSlice, old: EndpointSlice): boolean {
  const counted = (slice: ApiObject): Value => {
    const { addressType, endpoints, ports, metadata } = slice;
    const labels = metadata.labels ?? {};
    return [addressType ?? "", endpoints ?? [], ports ?? [], labels] as unknown as Value;
  };
  return !equal(counted(object), counted(old));
}

/** The definition of EndpointSlice. */
export const endpointSlice = defineResource(schema, {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  scope: "Namespaced",
  generation: "fromOne",
  counts: () => false,
  defaults(object) {
    for (const port of object.ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  prepareForCreate: dropTopology,
  prepareForUpdate(object, old) {
    if (isCounted(object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    dropTopology(object);
  },
  validate,
  validateUpdate(object, old, errors) {
    validate(object, errors);
    const [now, before] = [object.addressType, old.addressType];
    if (now !== before) errors.invalid("addressType", now, `expected it to stay ${before}`);
  },
  validateInSteps: (object, old, _subresource, errors) => validateEndpoints(object, old, errors),
  *warnings(object, old) {
    if (!old && object.addressType === "FQDN") yield "addressType: FQDN is deprecated";
    for (const [i, { addresses }] of (object.endpoints ?? []).entries()) {
      if (i % ENDPOINTS_A_STEP === 0) yield undefined;
      for (const [j, address] of (addresses ?? []).entries()) {
        yield* addressWarnings(`endpoints[${i}].addresses[${j}]`, address);
      }
    }
  },
  columns: [
    textColumn("AddressType", "The type of the addresses.", (object) => object.addressType ?? ""),
    textColumn("Ports", "The ports.", portsText),
    textColumn("Endpoints", "The addresses.", addressesText),
    ageColumn,
  ],
});
