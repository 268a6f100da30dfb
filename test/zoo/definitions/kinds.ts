/**
 * The kinds of the zoo: small, as tutorials of controllers have them.
 *
 * @module
 */
import { type Kind, defineKind } from "../../../src/client/index.ts";
import type { Manifest } from "../../../src/client/index.ts";

const names = { group: "zoo.example.com", version: "v1", scope: "Namespaced" } as const;
const text = { type: "string" } as const;
const label = { type: "string", maxLength: 63, pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$" } as const;
const count = { type: "integer" } as const;
const texts = { type: "array", items: text } as const;
const phase = { type: "object", properties: { phase: text } } as const;

/** A certificate of a host. */
export const Certificate = defineKind({
  ...names,
  kind: "Certificate",
  plural: "certificates",
  spec: { type: "object", required: ["host"], properties: { host: text } },
});

/** A runner that takes jobs of a repository. */
export const Runner = defineKind({
  ...names,
  kind: "Runner",
  plural: "runners",
  spec: { type: "object", required: ["repository"], properties: { repository: text } },
  status: { type: "object", properties: { slot: text } },
});

/** A number of equal members. */
export const Pool = defineKind({
  ...names,
  kind: "Pool",
  plural: "pools",
  spec: { type: "object", required: ["size"], properties: { size: { type: "integer", minimum: 0, maximum: 5 } } },
  status: { type: "object", properties: { members: count } },
});

/** A user whose settings are stored. */
export const Tenant = defineKind({
  ...names,
  kind: "Tenant",
  plural: "tenants",
  spec: { type: "object", properties: { contact: text } },
});

/** A feature that is on or off. */
export const Feature = defineKind({
  ...names,
  kind: "Feature",
  plural: "features",
  spec: {
    type: "object",
    required: ["enabled"],
    properties: { enabled: { type: "boolean" }, message: text },
  },
});

/** An invoice for an order. */
export const Order = defineKind({
  ...names,
  kind: "Order",
  plural: "orders",
  spec: { type: "object", required: ["amount"], properties: { amount: count } },
});

/** Something with replicas. */
export const Worker = defineKind({
  ...names,
  kind: "Worker",
  plural: "workers",
  spec: { type: "object", required: ["replicas"], properties: { replicas: count, load: count } },
});

/** People, by name. */
export const Team = defineKind({
  ...names,
  kind: "Team",
  plural: "teams",
  spec: { type: "object", required: ["members"], properties: { members: texts } },
  status: { type: "object", properties: { known: texts, unknown: texts } },
});

/** One of them. */
export const Member = defineKind({
  ...names,
  kind: "Member",
  plural: "members",
  spec: { type: "object", properties: { mail: text } },
});

/** A check of a host. */
export const Probe = defineKind({
  ...names,
  kind: "Probe",
  plural: "probes",
  spec: { type: "object", required: ["host"], properties: { host: text } },
  status: { type: "object", properties: { healthy: { type: "boolean" }, checked: text } },
});

/** A right for some time. */
export const Grant = defineKind({
  ...names,
  kind: "Grant",
  plural: "grants",
  spec: { type: "object", required: ["minutes"], properties: { minutes: count } },
  status: phase,
});

/** A page that is rendered. */
export const Page = defineKind({
  ...names,
  kind: "Page",
  plural: "pages",
  spec: { type: "object", required: ["title"], properties: { title: text } },
  status: { type: "object", properties: { observedGeneration: count } },
});

/** Settings under a name that the user chooses. */
export const Alias = defineKind({
  ...names,
  kind: "Alias",
  plural: "aliases",
  spec: { type: "object", required: ["target", "value"], properties: { target: label, value: text } },
});

/** A program that logs. */
export const Logger = defineKind({
  ...names,
  kind: "Logger",
  plural: "loggers",
  spec: {
    type: "object",
    required: ["file"],
    properties: { file: text, level: { type: "string", enum: ["debug", "info", "error"] } },
  },
});

/** A cache with a size such as `64Mi`. */
export const Cache = defineKind({
  ...names,
  kind: "Cache",
  plural: "caches",
  spec: { type: "object", required: ["size"], properties: { size: text } },
  status: { type: "object", properties: { phase: text, message: text } },
});

/** A rule with an expression. */
export const Alert = defineKind({
  ...names,
  kind: "Alert",
  plural: "alerts",
  spec: { type: "object", required: ["expression"], properties: { expression: text } },
  status: { type: "object", properties: { valid: { type: "boolean" }, message: text } },
});

/** Work at some hours. */
export const Schedule = defineKind({
  ...names,
  kind: "Schedule",
  plural: "schedules",
  spec: { type: "object", properties: { hours: text } },
});

/** A password that is replaced with each version. */
export const Rotation = defineKind({
  ...names,
  kind: "Rotation",
  plural: "rotations",
  spec: { type: "object", required: ["version"], properties: { version: count } },
  status: { type: "object", properties: { version: count } },
});

/** A program that uses the password of a rotation. */
export const App = defineKind({
  ...names,
  kind: "App",
  plural: "apps",
  spec: { type: "object", required: ["rotation"], properties: { rotation: text } },
  status: { type: "object", properties: { checksum: text } },
});

/** A mailbox. */
export const Mailbox = defineKind({
  ...names,
  kind: "Mailbox",
  plural: "mailboxes",
  spec: { type: "object", required: ["address"], properties: { address: text } },
});

/** A message that is added to a ConfigMap of another owner. */
export const Banner = defineKind({
  ...names,
  kind: "Banner",
  plural: "banners",
  spec: { type: "object", required: ["target", "text"], properties: { target: text, text } },
});

/** A copy of some settings at one time. */
export const Backup = defineKind({
  ...names,
  kind: "Backup",
  plural: "backups",
  spec: { type: "object", required: ["source"], properties: { source: text } },
  status: phase,
});

/** A bucket of an object store, whose record is kept in the namespace `storage`. */
export const Bucket = defineKind({
  ...names,
  kind: "Bucket",
  plural: "buckets",
  spec: { type: "object", required: ["region"], properties: { region: text } },
});

/** Claims for data, one for each replica. */
export const Database = defineKind({
  ...names,
  kind: "Database",
  plural: "databases",
  spec: { type: "object", required: ["replicas"], properties: { replicas: { type: "integer", minimum: 0 } } },
});

/** The CustomResourceDefinition of a kind of the zoo. */
export function definitionOf({ definition }: Kind): Manifest {
  if (!definition) throw new Error("expected a kind with a definition");
  const { group, version, kind, plural, scope, spec = {}, status } = definition;
  const schema = { type: "object", required: ["spec"], properties: { spec, ...(status ? { status } : {}) } };
  const served = { name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ ...served, ...(status ? { subresources: { status: {} } } : {}) }],
    },
  };
}

/** An object of a kind of the zoo, in the namespace `default`. */
export const objectOf = ({ group, version, kind }: Kind, name: string, spec: object): Manifest => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name, namespace: "default" },
  spec,
});

/** A ConfigMap in the namespace `default`. */
export const configMap = (
  name: string,
  data: Readonly<Record<string, string>>,
  labels?: Readonly<Record<string, string>>,
): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...(labels ? { labels } : {}) },
  data,
});

/** A namespace. */
export const namespaceNamed = (name: string): Manifest => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

/** The names of an object of the zoo, for a step. */
export const named = (
  { group, version, kind }: Kind,
  name: string,
): { apiVersion: string; kind: string; name: string } => ({ apiVersion: `${group}/${version}`, kind, name });
