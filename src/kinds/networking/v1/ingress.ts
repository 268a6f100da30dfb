/**
 * Ingress: routes requests from outside to Services (KIND-Ingress-1..11). This server routes nothing.
 *
 * @module
 */
import { addressBytes } from "../../../meta/addresses.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dns1035Label, dnsSubdomain } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { checkPortNumber, isPortName } from "../../rules/ports.ts";
import { oddPlaces, validatePlaces } from "../../rules/load-balancer.ts";
import { validateLocalReference } from "../../rules/local-reference.ts";
import { keepStatus, statusPath } from "../../rules/status.ts";

const Backend = t.struct("The target of requests: a Service, or another object.", {
  service: t.pointer(
    t.struct("A Service of the namespace.", {
      name: t.required(t.text("Its name.")),
      port: t.always(
        t.struct(
          "Its port, by name or number.",
          { name: t.optional(t.text("The name.")), number: t.optional(t.int32("The number.")) },
          { atomic: true },
        ),
      ),
    }),
  ),
  resource: t.pointer(
    t.struct(
      "An object of the namespace.",
      {
        apiGroup: t.nullable(t.text("Its API group.")),
        kind: t.required(t.text("Its kind.")),
        name: t.required(t.text("Its name.")),
      },
      { atomic: true },
    ),
  ),
});

const Path = t.struct("Requests for some paths.", {
  path: t.optional(t.text("The path, or the beginning of it.")),
  pathType: t.requiredOrNull(t.text("Exact, Prefix or ImplementationSpecific.")),
  backend: t.required(Backend),
});

const Rule = t.struct("Requests for a host.", {
  host: t.optional(t.text("The name of the host, `*.` before it for all below it; any when empty.")),
  http: t.pointer(
    t.struct("Requests by their paths.", { paths: t.required(t.atomicList(Path, "The paths, the longest first.")) }),
  ),
});

const Tls = t.struct("Hosts that are spoken to by TLS.", {
  hosts: t.optional(t.atomicList(t.text(), "The names of the hosts.")),
  secretName: t.optional(t.text("The Secret with certificate and key.")),
});

const Place = t.struct("The addresses for requests.", {
  ip: t.optional(t.text("The address.")),
  hostname: t.optional(t.text("The name.")),
  ports: t.optional(
    t.atomicList(
      t.struct("A port there.", {
        port: t.required(t.int32("The number.")),
        protocol: t.required(t.text("TCP, UDP or SCTP.")),
        error: t.pointer(t.text("The error.")),
      }),
      "The ports.",
    ),
  ),
});

const schema = objectSchema("Routes requests from outside to Services.", {
  spec: t.always(
    t.struct("Which requests, and where they go.", {
      ingressClassName: t.pointer(t.text("The class, which defines its controller.")),
      defaultBackend: t.pointer(Backend),
      tls: t.optional(t.atomicList(Tls, "Hosts that are spoken to by TLS.")),
      rules: t.optional(t.atomicList(Rule, "The rules, by host.")),
    }),
  ),
  status: t.always(
    t.struct("The addresses for requests.", {
      loadBalancer: t.always(
        t.struct("The load balancer.", { ingress: t.optional(t.atomicList(Place, "The addresses for requests.")) }),
      ),
    }),
  ),
});

type Ingress = ObjectOf<typeof schema>;

const placesOf = (object: Ingress) => object.status?.loadBalancer?.ingress ?? [];

function validate(object: Ingress, errors: FieldErrors, old?: Ingress): void {
  const { defaultBackend, rules = [], tls = [], ingressClassName } = object.spec;
  if (rules.length === 0 && !defaultBackend) {
    errors.invalid("spec", rules, "expected spec.defaultBackend or spec.rules");
  }
  if (defaultBackend) validateBackend(defaultBackend, "spec.defaultBackend", errors);
  rules.forEach(({ host = "", http }, i) => {
    const field = `spec.rules[${i}]`;
    if (host !== "" && addressBytes(host)) errors.invalid(`${field}.host`, host, "expected a name, not an address");
    if (host !== "") validateHost(host, `${field}.host`, errors);
    if (http) validatePaths(http.paths ?? [], `${field}.http.paths`, errors);
  });
  const hadOddSecret = old && (old.spec.tls ?? []).some(({ secretName }) => wrongSecret(secretName));
  tls.forEach(({ hosts = [], secretName }, i) => {
    const field = `spec.tls[${i}]`;
    hosts.forEach((host, j) => validateHost(host, `${field}.hosts[${j}]`, errors));
    const wrong = hadOddSecret ? undefined : wrongSecret(secretName);
    if (wrong) errors.invalid(`${field}.secretName`, secretName, wrong);
  });
  const wrong = ingressClassName === undefined ? undefined : dnsSubdomain(ingressClassName);
  if (wrong) errors.invalid("spec.ingressClassName", ingressClassName, wrong);
}

const wrongSecret = (name = ""): string | undefined => (name === "" ? undefined : dnsSubdomain(name));

/** A DNS name, or `*` as the first label of one. */
function validateHost(host: string, field: string, errors: FieldErrors): void {
  // A letter replaces the star, so that the length stays.
  const wrong = dnsSubdomain(host.replace(/^\*(?=\.)/, "x"));
  if (wrong) errors.invalid(field, host, host.startsWith("*.") ? `behind '*.': ${wrong}` : wrong);
}

const MAX_HOSTS = 3;
const TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const BAD_PARTS = ["//", "/./", "/../", "%2f", "%2F"];
const BAD_ENDS = ["/..", "/."];

function validatePaths(paths: readonly t.Static<typeof Path>[], field: string, errors: FieldErrors): void {
  if (paths.length === 0) errors.required(field, "expected a path");
  paths.forEach(({ path = "", pathType, backend }, i) => {
    const at = `${field}[${i}]`;
    if (pathType == null) return errors.required(`${at}.pathType`, `expected one of ${TYPES.join(", ")}`);
    if (!TYPES.includes(pathType)) errors.notSupported(`${at}.pathType`, pathType, TYPES);
    else validatePath(path, pathType, `${at}.path`, errors);
    validateBackend(backend, `${at}.backend`, errors);
  });
}

function validatePath(path: string, type: string, field: string, errors: FieldErrors): void {
  const isOpen = type === "ImplementationSpecific";
  if (!path.startsWith("/") && !(isOpen && path === ""))
    errors.invalid(field, path, "expected a path that begins with /");
  if (isOpen) return;
  for (const part of BAD_PARTS) if (path.includes(part)) errors.invalid(field, path, `expected no ${part} in it`);
  for (const end of BAD_ENDS) if (path.endsWith(end)) errors.invalid(field, path, `expected no ${end} at its end`);
}

function validateBackend({ service, resource }: t.Static<typeof Backend>, field: string, errors: FieldErrors): void {
  if (service && resource) return errors.invalid(field, "", "expected a service or a resource, not both");
  if (resource) return validateLocalReference(resource, `${field}.resource`, errors);
  if (!service) return errors.invalid(field, "", "expected a service or a resource");
  const {
    name,
    port: { name: portName = "", number = 0 },
  } = service;
  const wrong = name === "" ? undefined : dns1035Label(name);
  if (name === "") errors.required(`${field}.service.name`);
  if (wrong) errors.invalid(`${field}.service.name`, name, wrong);
  if (portName !== "" && number !== 0) errors.invalid(field, "", "expected the name or the number of a port, not both");
  else if (portName === "" && number === 0) errors.required(field, "expected the name or the number of a port");
  else if (number !== 0) checkPortNumber(`${field}.service.port.number`, number, errors);
  else if (!isPortName(portName)) errors.invalid(`${field}.service.port.name`, portName, "expected the name of a port");
}

/** The first hosts; later rules count, too, even those for any host. */
function hostsText(object: Ingress): string {
  const rules = object.spec.rules ?? [];
  const hosts: string[] = [];
  for (const { host = "" } of rules) {
    if (hosts.length === MAX_HOSTS) return `${hosts.join(",")} + ${rules.length - MAX_HOSTS} more...`;
    if (host !== "") hosts.push(host);
  }
  return hosts.join(",") || "*";
}

function placesText(object: Ingress): string {
  const texts = new Set(placesOf(object).map(({ ip, hostname }) => ip || hostname || ""));
  texts.delete("");
  return [...texts].toSorted().join(",");
}

/** The definition of Ingress. */
export function ingress({ dialect }: ApiContext): ResourceDefinition {
  const classAnnotation = `${dialect.labelDomain}/ingress.class`;
  const classOf = ({ metadata }: ApiObject): string | undefined => metadata.annotations?.[classAnnotation];
  return defineResource(schema, {
    group: "networking.k8s.io",
    version: "v1",
    kind: "Ingress",
    plural: "ingresses",
    shortNames: ["ing"],
    scope: "Namespaced",
    generation: "fromOne",
    resetFields: ["status"],
    prepareForCreate(object) {
      object["status"] = { loadBalancer: {} };
    },
    prepareForUpdate: keepStatus,
    validate(object, errors) {
      validate(object, errors);
      const [said, named] = [classOf(object), object.spec.ingressClassName];
      if (said === undefined || named === undefined || said === named) return;
      errors.invalid(`annotations.${classAnnotation}`, said, "expected what spec.ingressClassName says");
    },
    validateUpdate: (object, old, errors) => validate(object, errors, old),
    *warnings(object, old) {
      if (old || classOf(object) === undefined || object.spec.ingressClassName !== undefined) return;
      yield `the annotation ${classAnnotation} is deprecated, use spec.ingressClassName`;
    },
    subresources: {
      status: statusPath({
        uncounted: true,
        validateUpdate(object, old, errors) {
          validatePlaces(placesOf(object), "status.loadBalancer.ingress", errors, placesOf(old));
        },
        warnings: (object) => oddPlaces(placesOf(object), "status.loadBalancer.ingress"),
      }),
    },
    columns: [
      textColumn("Class", "The class.", (object) => object.spec.ingressClassName ?? "<none>"),
      textColumn("Hosts", "The hosts of the rules.", hostsText),
      textColumn("Address", "The addresses for requests.", placesText),
      textColumn("Ports", "The ports for requests.", (object) =>
        (object.spec.tls ?? []).length > 0 ? "80, 443" : "80",
      ),
      ageColumn,
    ],
  });
}
