/**
 * NetworkPolicy: the connections that some Pods may accept and open (KIND-NetworkPolicy-1..8). This server enforces nothing.
 *
 * @module
 */
import {
  type Network,
  isSubnetOf,
  networkOf,
  networkText,
  networkWarnings,
  legacyNetworkFault,
} from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import {
  LabelSelector,
  type LabelSelectorValue,
  validateLabelSelector,
} from "../../../schema/validation/label-selector.ts";
import { hasSentEmptyBelow } from "../../../schema/validation/sent-empty.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { MEMBERS_A_STEP, type Steps } from "../../../util/steps.ts";
import { checkPortNumber, isPortName } from "../../rules/ports.ts";
import { selectorText } from "../../rules/label-selection.ts";
import { orNone } from "../../rules/template-columns.ts";

const Port = t.struct("A port, or some behind one another.", {
  protocol: t.pointer(t.text("TCP, UDP or SCTP.")),
  port: t.pointer(t.intOrString("The number or name; all ports when unset.")),
  endPort: t.pointer(t.int32("The last number, where there are several.")),
});

const Peer = t.struct("The Pods or addresses of a rule.", {
  podSelector: t.pointer(LabelSelector),
  namespaceSelector: t.pointer(LabelSelector),
  ipBlock: t.pointer(
    t.struct("Addresses.", {
      cidr: t.required(t.text("A network.")),
      except: t.optional(t.atomicList(t.text(), "Networks in it that are not meant.")),
    }),
  ),
});

const ports = t.optional(t.atomicList(Port, "The ports; all when there are none."));
const peers = (what: string) => t.optional(t.atomicList(Peer, what));

const schema = objectSchema("The permitted connections to and from some Pods.", {
  spec: t.always(
    t.struct("The selected Pods, and their permitted connections.", {
      podSelector: t.always(LabelSelector),
      ingress: t.optional(
        t.atomicList(
          t.struct("Sources that may connect to the Pods.", {
            ports,
            from: peers("The sources; all when there are none."),
          }),
          "Rules for incoming connections.",
        ),
      ),
      egress: t.optional(
        t.atomicList(
          t.struct("Targets to which the Pods may connect.", {
            ports,
            to: peers("The targets; all when there are none."),
          }),
          "Rules for outgoing connections.",
        ),
      ),
      policyTypes: t.optional(t.atomicList(t.text(), "Ingress, Egress or both: which rules count.")),
    }),
  ),
});

interface PortValue {
  protocol?: string;
  port?: number | string;
  endPort?: number;
}

interface PeerValue {
  podSelector?: LabelSelectorValue;
  namespaceSelector?: LabelSelectorValue;
  ipBlock?: { cidr?: string; except?: string[] };
}

type NetworkPolicy = ObjectOf<typeof schema>;

/** The rules of both directions, with the path of each and of its peers. */
function* rulesOf({ ingress = [], egress = [] }: NetworkPolicy["spec"]) {
  for (const [i, rule] of ingress.entries()) {
    yield { field: `spec.ingress[${i}]`, member: "from", ports: rule.ports ?? [], peers: rule.from ?? [] };
  }
  for (const [i, rule] of egress.entries()) {
    yield { field: `spec.egress[${i}]`, member: "to", ports: rule.ports ?? [], peers: rule.to ?? [] };
  }
}

/** Every network of a policy, with its path, and the network that must contain it. */
function* networksOf(spec: NetworkPolicy["spec"]): Generator<[field: string, network: string, whole?: Network]> {
  for (const { field, member, peers: those } of rulesOf(spec)) {
    for (const [i, { ipBlock }] of those.entries()) {
      if (!ipBlock?.cidr) continue;
      const { cidr, except = [] } = ipBlock;
      const at = `${field}.${member}[${i}].ipBlock`;
      yield [`${at}.cidr`, cidr];
      const whole = networkOf(cidr);
      if (whole) for (const [j, network] of except.entries()) yield [`${at}.except[${j}]`, network, whole];
    }
  }
}

const TYPES = ["Ingress", "Egress"];
const PROTOCOLS = ["TCP", "UDP", "SCTP"];

function validate(object: NetworkPolicy, errors: FieldErrors): void {
  const spec = object.spec;
  const { podSelector, policyTypes = [] } = spec;
  validateLabelSelector(podSelector, "spec.podSelector", errors);
  for (const rule of rulesOf(spec)) {
    rule.ports.forEach((port, i) => validatePort(port, `${rule.field}.ports[${i}]`, errors));
    rule.peers.forEach((peer, i) => validatePeer(peer, `${rule.field}.${rule.member}[${i}]`, errors));
  }
  if (policyTypes.length > TYPES.length) {
    return errors.invalid("spec.policyTypes", policyTypes, `expected at most ${TYPES.length} entries`);
  }
  policyTypes.forEach((type, i) => {
    if (!TYPES.includes(type)) errors.notSupported(`spec.policyTypes[${i}]`, type, TYPES);
  });
}

function validatePort({ protocol, port, endPort }: PortValue, field: string, errors: FieldErrors): void {
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    errors.notSupported(`${field}.protocol`, protocol, PROTOCOLS);
  }
  if (typeof port === "number") {
    checkPortNumber(`${field}.port`, port, errors);
    if (endPort === undefined) return;
    if (endPort < port) errors.invalid(`${field}.endPort`, endPort, `expected ${port} or more`);
    return checkPortNumber(`${field}.endPort`, endPort, errors);
  }
  if (endPort !== undefined) errors.invalid(`${field}.endPort`, endPort, "expected none without the number of a port");
  if (port !== undefined && !isPortName(port)) errors.invalid(`${field}.port`, port, "expected the name of a port");
}

function validatePeer(peer: PeerValue, field: string, errors: FieldErrors): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (podSelector) validateLabelSelector(podSelector, `${field}.podSelector`, errors);
  if (namespaceSelector) validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`, errors);
  if (ipBlock && !ipBlock.cidr) errors.required(`${field}.ipBlock.cidr`, "expected a network");
  if (!podSelector && !namespaceSelector && !ipBlock) errors.required(field, "expected a selector or an ipBlock");
  else if (ipBlock && (podSelector || namespaceSelector)) {
    errors.forbidden(field, "expected an ipBlock alone, or selectors");
  }
}

/** The networks, of which there may be many thousands. */
function* validateNetworks(object: NetworkPolicy, errors: FieldErrors): Steps<void> {
  let count = 0;
  for (const [field, network, whole] of networksOf(object.spec)) {
    const wrong = whole === undefined ? legacyNetworkFault(network) : wrongPart(network, whole);
    if (wrong) errors.invalid(field, network, wrong);
    if (++count % MEMBERS_A_STEP === 0) yield;
  }
}

/** The fault of a network that must be inside another one. */
function wrongPart(network: string, whole: Network): string | undefined {
  const part = networkOf(network);
  if (!part) return legacyNetworkFault(network);
  return isSubnetOf(part, whole) ? undefined : `expected a part of ${networkText(whole)}`;
}

/** Members that get defaults where they are sent empty. */
const FILLED = ["spec.policyTypes"];

/** The definition of NetworkPolicy. */
export const networkPolicy = defineResource(schema, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  shortNames: ["netpol"],
  scope: "Namespaced",
  generation: "fromOne",
  counts: (object, old, ctx) =>
    hasSentEmptyBelow("spec", FILLED, ctx) || !sameMeaning(schema, { spec: object["spec"] }, { spec: old["spec"] }),
  defaults(object) {
    const { spec } = object;
    if (!spec) return;
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of rule.ports ?? []) port.protocol ??= "TCP";
    }
    if ((spec.policyTypes ?? []).length === 0) {
      spec.policyTypes = (spec.egress ?? []).length > 0 ? [...TYPES] : ["Ingress"];
    }
  },
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  validateInSteps: (object, _old, _subresource, errors) => validateNetworks(object, errors),
  *warnings(object) {
    let count = 0;
    for (const [field, network] of networksOf(object.spec)) {
      yield* networkWarnings(field, network);
      if (++count % MEMBERS_A_STEP === 0) yield undefined;
    }
  },
  columns: [
    textColumn("Pod-Selector", "The selected Pods.", (object) => orNone(selectorText(object.spec.podSelector))),
    ageColumn,
  ],
});
