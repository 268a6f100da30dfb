/**
 * `kubectl create` of an object that flags describe.
 *
 * @module
 */
import { type ApiJson, ApiFailure, Failure, type Json, type JsonValue } from "./api.ts";
import { createFromFiles, createObject } from "./apply.ts";
import { type Command, namespaceOf } from "./context.ts";

type Maker = (command: Command, name: string) => ApiJson;

const objectOf = (apiVersion: string, kind: string, name: string, more: Json = {}): ApiJson => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});

/** The pairs of `--from-literal=a=b` and the texts of `--from-file=[key=]file`. */
function dataOf({ flags, streams }: Command): ReadonlyMap<string, string> {
  const data = new Map<string, string>();
  for (const pair of flags.all("from-literal")) {
    const at = pair.indexOf("=");
    if (at < 0) throw new Failure(`error: invalid literal source ${pair}, expected key=value`);
    data.set(pair.slice(0, at), pair.slice(at + 1).replace(/^(?:"(.*)"|'(.*)')$/, "$1$2"));
  }
  for (const source of flags.all("from-file")) {
    const at = source.indexOf("=");
    const file = source.slice(at + 1);
    const text = streams.shell.files.read(file);
    if (text === undefined) throw new Failure(`error: error reading ${file}: no such file or directory`);
    data.set(at < 0 ? file.slice(file.lastIndexOf("/") + 1) : source.slice(0, at), text);
  }
  return data;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const pairsOf = (text: string): Json =>
  Object.fromEntries(
    text.split(",").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );

const required = ({ flags }: Command, name: string): string => {
  const value = flags.get(name);
  if (value === undefined) throw new Failure(`error: required flag(s) "${name}" not set`);
  return value;
};

const containersOf = (command: Command, named?: string): JsonValue[] =>
  required(command, "image")
    .split(",")
    .map((image): Json => {
      const own = image
        .split("/")
        .at(-1)!
        .split(/[:@]/)[0]!
        .replace(/[^a-z0-9-]/g, "-");
      const { rest } = command.flags;
      return { image, name: named ?? own, resources: {}, ...(rest.length > 0 ? { command: [...rest] } : {}) };
    });

const jobSpec = (command: Command, name: string): Json => ({
  template: { metadata: {}, spec: { containers: containersOf(command, name), restartPolicy: "Never" } },
});

const rulesOf = ({ flags }: Command): JsonValue[] => {
  const list = (name: string): string[] => flags.all(name).flatMap((texts) => texts.split(","));
  const verbs = list("verb");
  const resources = list("resource");
  const nonResourceURLs = list("non-resource-url");
  const apiGroups = [...new Set(resources.map((one) => one.split(".").slice(1).join(".")))];
  return [
    ...(resources.length > 0 || nonResourceURLs.length === 0
      ? [{ apiGroups, resources: resources.map((one) => one.split(".")[0]!), verbs }]
      : []),
    ...(nonResourceURLs.length > 0 ? [{ nonResourceURLs, verbs }] : []),
  ];
};

const subjectsOf = ({ flags }: Command): JsonValue[] => [
  ...flags.all("user").map((name): Json => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name })),
  ...flags.all("group").map((name): Json => ({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name })),
  ...flags.all("serviceaccount").map((account): Json => {
    const [namespace = "", name = ""] = account.split(":");
    return { kind: "ServiceAccount", name, namespace };
  }),
];

function roleRefOf({ flags }: Command): Json {
  const [kind, name] = flags.has("clusterrole")
    ? ["ClusterRole", flags.get("clusterrole")!]
    : ["Role", flags.get("role") ?? ""];
  return { apiGroup: "rbac.authorization.k8s.io", kind, name };
}

const RBAC = "rbac.authorization.k8s.io/v1";

const MAKERS: Readonly<Record<string, Maker>> = {
  configmap: (command, name) => {
    const data = dataOf(command);
    return objectOf("v1", "ConfigMap", name, data.size === 0 ? {} : { data: Object.fromEntries(data) });
  },
  namespace: (_, name) => objectOf("v1", "Namespace", name),
  serviceaccount: (_, name) => objectOf("v1", "ServiceAccount", name),
  quota: (command, name) =>
    objectOf("v1", "ResourceQuota", name, {
      spec: command.flags.has("hard") ? { hard: pairsOf(command.flags.get("hard")!) } : {},
    }),
  deployment: (command, name) =>
    objectOf("apps/v1", "Deployment", name, {
      metadata: { name, labels: { app: name } },
      spec: {
        replicas: Number(command.flags.get("replicas") ?? 1),
        selector: { matchLabels: { app: name } },
        strategy: {},
        template: { metadata: { labels: { app: name } }, spec: { containers: containersOf(command) } },
      },
      status: {},
    }),
  job: (command, name) => objectOf("batch/v1", "Job", name, { spec: jobSpec(command, name), status: {} }),
  cronjob: (command, name) =>
    objectOf("batch/v1", "CronJob", name, {
      spec: {
        schedule: required(command, "schedule"),
        jobTemplate: { metadata: { name }, spec: jobSpec(command, name) },
      },
    }),
  role: (command, name) => objectOf(RBAC, "Role", name, { rules: rulesOf(command) }),
  clusterrole: (command, name) => objectOf(RBAC, "ClusterRole", name, { rules: rulesOf(command) }),
  rolebinding: (command, name) =>
    objectOf(RBAC, "RoleBinding", name, { roleRef: roleRefOf(command), subjects: subjectsOf(command) }),
  clusterrolebinding: (command, name) =>
    objectOf(RBAC, "ClusterRoleBinding", name, { roleRef: roleRefOf(command), subjects: subjectsOf(command) }),
  priorityclass: (command, name) =>
    objectOf("scheduling.k8s.io/v1", "PriorityClass", name, { value: Number(command.flags.get("value") ?? 0) }),
};

const SHORT: Readonly<Record<string, string>> = {
  cm: "configmap",
  ns: "namespace",
  sa: "serviceaccount",
  resourcequota: "quota",
  deploy: "deployment",
  cj: "cronjob",
};

/** Runs `kubectl create`. */
export async function create(command: Command): Promise<number> {
  const { flags, streams, api } = command;
  if (flags.has("filename")) return createFromFiles(command);
  const [type = "", ...words] = flags.words;
  const isSecret = type === "secret";
  const what = SHORT[type] ?? type;
  const name = isSecret ? words[1] : words[0];
  const make = isSecret ? makeSecret(words[0]) : Object.hasOwn(MAKERS, what) ? MAKERS[what] : undefined;
  if (!make) throw new Failure(`error: expected -f or one of ${Object.keys(MAKERS).join(", ")}, secret; got ${type}`);
  if (name === undefined) throw new Failure(`error: exactly one NAME is required, got 0`);
  const object = make(command, name);
  const kind = await api.kindOf(object, "the command line");
  const namespace = kind.scope === "Namespaced" ? namespaceOf(command) : undefined;
  const placed =
    namespace === undefined || !flags.has("namespace")
      ? object
      : { ...object, metadata: { ...object.metadata, namespace } };
  try {
    await createObject(command, { kind, namespace, object: placed });
    return 0;
  } catch (error) {
    if (!(error instanceof ApiFailure) || what === "namespace") throw error;
    streams.err(`error: failed to create ${what}: ${error.status.message ?? ""}\n`);
    return 1;
  }
}

function makeSecret(type: string | undefined): Maker | undefined {
  if (type !== "generic") return undefined;
  return (command, name) => {
    const data = [...dataOf(command)].map(([key, value]): [string, string] => [key, base64(value)]);
    const kind = command.flags.get("type");
    return objectOf("v1", "Secret", name, {
      ...(data.length > 0 ? { data: Object.fromEntries(data) } : {}),
      ...(kind === undefined ? {} : { type: kind }),
    });
  };
}
