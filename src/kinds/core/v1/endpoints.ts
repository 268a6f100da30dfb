/**
 * Endpoints: the programs behind a Service, in the form before EndpointSlices (KIND-Endpoints-1..8).
 *
 * @module
 */
import { addressWarnings } from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain, qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { MEMBERS_A_STEP, type Steps } from "../../../util/steps.ts";
import { firstFew } from "../../rules/first-few.ts";
import { endpointAddressFault } from "../../rules/endpoint-address.ts";
import { checkPortNumber } from "../../rules/ports.ts";
import { ObjectReference } from "../../rules/references.ts";
import { same } from "../../rules/same.ts";

const Address = t.struct(
  "The address of a program.",
  {
    ip: t.required(t.text("Its address.")),
    hostname: t.optional(t.text("Its name in the Service.")),
    nodeName: t.pointer(t.text("The node that it is on.")),
    targetRef: t.pointer(ObjectReference),
  },
  { atomic: true },
);

const Port = t.struct(
  "A port of the programs.",
  {
    name: t.optional(t.text("Its name; needed when there are several.")),
    port: t.required(t.int32("Its number.")),
    protocol: t.optional(t.text("TCP, UDP or SCTP.")),
    appProtocol: t.pointer(t.text("The protocol of the application.")),
  },
  { atomic: true },
);

const Subset = t.struct("Programs with the same ports.", {
  addresses: t.optional(t.atomicList(Address, "Those that take requests.")),
  notReadyAddresses: t.optional(t.atomicList(Address, "Those that do not yet, or no more.")),
  ports: t.optional(t.atomicList(Port, "The ports of each of them.")),
});

const schema = objectSchema("The addresses of the Pods of a Service; EndpointSlices have more details.", {
  subsets: t.optional(t.atomicList(Subset, "The programs.")),
});

/** Endpoints in wire form. */
export type Endpoints = ObjectOf<typeof schema>;
type AddressValue = t.Static<typeof Address>;

const LISTS = ["addresses", "notReadyAddresses"] as const;
const PROTOCOLS = ["SCTP", "TCP", "UDP"];

/** Every address, with its path. */
function* addressesOf(object: Endpoints): Generator<[field: string, address: AddressValue]> {
  for (const [i, subset] of (object.subsets ?? []).entries()) {
    for (const list of LISTS) {
      for (const [j, address] of (subset[list] ?? []).entries()) yield [`subsets[${i}].${list}[${j}]`, address];
    }
  }
}

function validate(object: Endpoints, errors: FieldErrors): void {
  object.subsets?.forEach((subset, i) => {
    const field = `subsets[${i}]`;
    if (LISTS.every((list) => (subset[list] ?? []).length === 0)) {
      errors.required(field, "expected addresses or notReadyAddresses");
    }
    const ports = subset.ports ?? [];
    ports.forEach((port, j) => validatePort(port, `${field}.ports[${j}]`, ports.length > 1, errors));
  });
}

/** The addresses, of which there may be many thousands. */
function* validateAddresses(object: Endpoints, errors: FieldErrors): Steps<void> {
  let count = 0;
  for (const [field, address] of addressesOf(object)) {
    validateAddress(address, field, errors);
    if (++count % MEMBERS_A_STEP === 0) yield;
  }
}

/** Accepted values stay valid. */
const isSame = (object: Endpoints, old: Endpoints | undefined): boolean =>
  old !== undefined && same(object.subsets, old.subsets);

function validateAddress({ ip, hostname = "", nodeName }: AddressValue, field: string, errors: FieldErrors): void {
  const wrong = endpointAddressFault(ip);
  if (wrong) errors.invalid(`${field}.ip`, ip, wrong);
  const wrongHost = hostname === "" ? undefined : dnsLabel(hostname);
  if (wrongHost) errors.invalid(`${field}.hostname`, hostname, wrongHost);
  const wrongNode = nodeName === undefined ? undefined : dnsSubdomain(nodeName);
  if (wrongNode) errors.invalid(`${field}.nodeName`, nodeName, wrongNode);
}

function validatePort(port: t.Static<typeof Port>, field: string, isOneOfMany: boolean, errors: FieldErrors): void {
  const { name = "", protocol = "", appProtocol } = port;
  if (name === "" && isOneOfMany) errors.required(`${field}.name`, "expected a name, there are several ports");
  const wrong = name === "" ? undefined : dnsLabel(name);
  if (wrong) errors.invalid(`${field}.name`, name, wrong);
  checkPortNumber(`${field}.port`, port.port, errors);
  if (!PROTOCOLS.includes(protocol)) errors.notSupported(`${field}.protocol`, protocol, PROTOCOLS);
  const wrongApp = appProtocol === undefined ? undefined : qualifiedName(appProtocol);
  if (wrongApp) errors.invalid(`${field}.appProtocol`, appProtocol, wrongApp);
}

const joined = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`);

function placesText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const places = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => joined(ip, port))),
  );
  return firstFew(places);
}

/** The definition of Endpoints. */
export const endpoints = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  deprecated: `v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice`,
  createOnUpdate: true,
  defaults(object) {
    for (const { ports = [] } of object.subsets ?? []) for (const port of ports) port.protocol ||= "TCP";
  },
  validate,
  validateUpdate(object, old, errors) {
    if (!isSame(object, old)) validate(object, errors);
  },
  *validateInSteps(object, old, _subresource, errors) {
    if (!isSame(object, old)) yield* validateAddresses(object, errors);
  },
  *warnings(object) {
    let count = 0;
    for (const [field, { ip }] of addressesOf(object)) {
      yield* addressWarnings(`${field}.ip`, ip);
      if (++count % MEMBERS_A_STEP === 0) yield undefined;
    }
  },
  columns: [textColumn("Endpoints", "The addresses that take requests.", placesText), ageColumn],
});
