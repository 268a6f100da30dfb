/**
 * APIService: the server of a group and version (KIND-APIService-1..4). It is stored and shown; this server proxies no request to another
 * one.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dns1035Label, dnsSubdomain, pathSegmentName } from "../../../meta/names.ts";
import { formatTime } from "../../../meta/time.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { Column, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { keepAllButStatus, keepStatus } from "../../rules/status.ts";

const Spec = t.struct("The group and version, and its server.", {
  service: t.pointer(
    t.struct("The Service of the server that responds; none where this one does.", {
      namespace: t.optional(t.text("The namespace of the Service.")),
      name: t.optional(t.text("The name of the Service.")),
      port: t.pointer(t.int32("Its port; 443 by default.")),
    }),
  ),
  group: t.optional(t.text("The group; empty for the core group.")),
  version: t.optional(t.text("The version.")),
  insecureSkipTLSVerify: t.optional(t.bool("Whether the certificate of the server is not checked.")),
  caBundle: t.optional(t.bytes("Certificates in PEM by which that of the server is checked.")),
  groupPriorityMinimum: t.required(t.int32("The priority of the group: the highest comes first.")),
  versionPriority: t.required(t.int32("The priority of the version within its group: the highest comes first.")),
});

const Condition = t.struct("A condition of the server.", {
  type: t.required(t.text("The type of the condition, such as Available.")),
  status: t.required(t.text("True, False or Unknown.")),
  lastTransitionTime: t.nullable(t.time("When the status changed last.")),
  reason: t.optional(t.text("Why, in one word.")),
  message: t.optional(t.text("Why, for people.")),
});

const Status = t.struct("The status of the server.", {
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the server.")),
});

const schema = objectSchema("The server of a group and version.", {
  spec: t.always(Spec),
  status: t.always(Status),
});

type ApiService = ObjectOf<typeof schema>;

const HTTPS = 443;

function setDefaults(object: ApiService): void {
  const service = object.spec?.service;
  if (service) service.port ??= HTTPS;
}

/** A local APIService is always available. */
function newStatus({ spec }: ApiService, { clock }: WriteContext): t.Static<typeof Status> {
  if (spec.service) return {};
  const condition = {
    type: "Available",
    status: "True",
    lastTransitionTime: formatTime(clock.now()),
    reason: "Local",
    message: "Local APIServices are always available",
  };
  return { conditions: [condition] };
}

function checkWithin(number: number, most: number, field: string, errors: FieldErrors): void {
  if (number < 1 || number > most) errors.invalid(field, number, `expected 1 to ${most}`);
}

function checkGroupVersion({ metadata, spec }: ApiService, errors: FieldErrors): void {
  const { group = "", version = "" } = spec;
  const { name = "" } = metadata;
  const expected = `${version}.${group}`;
  if (name !== expected) errors.invalid("metadata.name", name, `expected VERSION.GROUP, ${expected}`);
  if (group === "" && version !== "v1") errors.required("spec.group", "expected a group: only v1 has none");
  const wrongGroup = group === "" ? undefined : dnsSubdomain(group);
  if (wrongGroup !== undefined) errors.invalid("spec.group", group, wrongGroup);
  const wrongVersion = dns1035Label(version);
  if (wrongVersion !== undefined) errors.invalid("spec.version", version, wrongVersion);
}

function checkServer(
  { service, caBundle, insecureSkipTLSVerify = false }: ApiService["spec"],
  errors: FieldErrors,
): void {
  if (!service) {
    if (caBundle) errors.invalid("spec.caBundle", caBundle, "expected none without a service");
    if (insecureSkipTLSVerify) errors.invalid("spec.insecureSkipTLSVerify", true, "expected false without a service");
    return;
  }
  const { namespace, name, port = HTTPS } = service;
  if (!namespace) errors.required("spec.service.namespace");
  if (!name) errors.required("spec.service.name");
  checkWithin(port, 65_535, "spec.service.port", errors);
  if (caBundle && insecureSkipTLSVerify) {
    errors.invalid("spec.insecureSkipTLSVerify", true, "expected false together with caBundle");
  }
}

function validate(object: ApiService, errors: FieldErrors): void {
  const { spec } = object;
  checkGroupVersion(object, errors);
  checkWithin(spec.groupPriorityMinimum, 20_000, "spec.groupPriorityMinimum", errors);
  checkWithin(spec.versionPriority, 1000, "spec.versionPriority", errors);
  checkServer(spec, errors);
}

const STATES = ["True", "False", "Unknown"];

function validateStatus(object: ApiService, errors: FieldErrors): void {
  const { conditions = [] } = object.status ?? {};
  for (const [i, { status }] of conditions.entries()) {
    if (!STATES.includes(status)) errors.notSupported(`status.conditions[${i}].status`, status, STATES);
  }
}

/** The availability of the server, with the reason. */
function available(object: ApiService): string {
  const { conditions = [] } = object.status ?? {};
  const found = conditions.find(({ type }) => type === "Available");
  if (!found) return "Unknown";
  return found.status === "True" || !found.reason ? found.status : `${found.status} (${found.reason})`;
}

const columns: readonly Column<ApiService>[] = [
  textColumn("Service", "The Service of the server that responds, or Local.", (object) => {
    const { service } = object.spec;
    return service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "Local";
  }),
  textColumn("Available", "Whether the server can be reached.", available),
  ageColumn,
];

/** The definition of APIService. Its group has the same name in every dialect. */
export const apiService = defineResource(schema, {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  categories: ["api-extensions"],
  scope: "Cluster",
  bareFinalizers: true,
  nameRule: pathSegmentName,
  versionedUpdate: true,
  resetFields: ["status"],
  defaults: setDefaults,
  prepareForCreate(object, ctx) {
    object["status"] = newStatus(object, ctx);
  },
  prepareForUpdate: keepStatus,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  subresources: {
    status: {
      verbs: ["get", "patch", "update"],
      resetFields: ["spec", "metadata"],
      prepareForUpdate: keepAllButStatus,
      validateUpdate: (object, _old, errors) => validateStatus(object, errors),
    },
  },
  columns,
});
