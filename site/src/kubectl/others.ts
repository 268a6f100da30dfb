/**
 * The smaller commands: `api-resources`, `api-versions`, `version`, `auth`, `top`, `cluster-info`.
 *
 * @module
 */
import { apiVersionOf } from "../../../src/client/kind.ts";
import { type ApiJson, Failure, type Json, textOf } from "./api.ts";
import { type Command, namespaceOf } from "./context.ts";
import { alignedRows, jsonText, yamlText } from "./print.ts";

/** Runs `kubectl api-resources`. */
export async function apiResources({ api, streams, flags }: Command): Promise<number> {
  const group = flags.get("api-group");
  const isShown = flags.get("namespaced");
  const kinds = (await api.kinds())
    .filter((kind) => group === undefined || kind.group === group)
    .filter((kind) => isShown === undefined || (kind.scope === "Namespaced") === (isShown === "true"));
  if (flags.get("output") === "name") {
    for (const { plural, group: own } of kinds) streams.out(`${own === "" ? plural : `${plural}.${own}`}\n`);
    return 0;
  }
  const rows = kinds
    .toSorted((a, b) => (a.group === b.group ? (a.plural < b.plural ? -1 : 1) : a.group < b.group ? -1 : 1))
    .map((kind) => [
      kind.plural,
      kind.shortNames.join(","),
      apiVersionOf(kind),
      String(kind.scope === "Namespaced"),
      kind.kind,
    ]);
  streams.out(alignedRows([["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"], ...rows]));
  return 0;
}

/** Runs `kubectl api-versions`. */
export async function apiVersions({ api, streams }: Command): Promise<number> {
  const versions = new Set((await api.kinds()).map(apiVersionOf));
  streams.out(
    [...versions]
      .toSorted()
      .map((one) => `${one}\n`)
      .join(""),
  );
  return 0;
}

/** Runs `kubectl version`. */
export async function version({ api, streams, flags }: Command): Promise<number> {
  const server = await api.json<Json>("GET", "/version");
  const output = flags.get("output");
  if (output === "json") streams.out(jsonText({ serverVersion: server }));
  else if (output === "yaml") streams.out(yamlText({ serverVersion: server }));
  else
    streams.out(
      `Client Version: v1.35.0 (the small kubectl of this page)\nServer Version: ${textOf(server["gitVersion"])}\n`,
    );
  return 0;
}

/** Runs `kubectl auth can-i` and `kubectl auth whoami`. */
export async function auth(command: Command): Promise<number> {
  const { api, flags, streams } = command;
  const [what = "", verb = "", type = ""] = flags.words;
  if (what === "whoami") {
    const review = await api.json<ApiJson & { status: { userInfo: { username: string; groups: readonly string[] } } }>(
      "POST",
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      { body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" } },
    );
    const { username, groups } = review.status.userInfo;
    streams.out(
      alignedRows([
        ["ATTRIBUTE", "VALUE"],
        ["Username", username],
        ["Groups", `[${groups.join(" ")}]`],
      ]),
    );
    return 0;
  }
  if (what !== "can-i") throw new Failure(`error: expected auth can-i or auth whoami, got auth ${what}`);
  const [resource = "", name = ""] = type.split("/");
  const kind = resource === "*" ? { plural: "*", group: "*" } : await api.findKind(resource);
  const asked = { namespace: namespaceOf(command), verb, group: kind.group, resource: kind.plural, name };
  const user = flags.get("as");
  const path = user === undefined ? "selfsubjectaccessreviews" : "subjectaccessreviews";
  const review = await api.json<ApiJson & { status: { allowed: boolean; reason?: string } }>(
    "POST",
    `/apis/authorization.k8s.io/v1/${path}`,
    {
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: user === undefined ? "SelfSubjectAccessReview" : "SubjectAccessReview",
        spec: { resourceAttributes: asked, ...(user === undefined ? {} : { user }) },
      },
    },
  );
  streams.out(review.status.allowed ? "yes\n" : "no\n");
  return review.status.allowed ? 0 : 1;
}

interface Usage {
  readonly metadata: { readonly name: string };
  readonly containers?: readonly { readonly usage: Readonly<Record<string, string>> }[];
  readonly usage?: Readonly<Record<string, string>>;
}

/** A quantity of CPU in thousandths, and one of memory in MiB. */
const milli = (text: string): number =>
  text.endsWith("n")
    ? Number(text.slice(0, -1)) / 1e6
    : text.endsWith("u")
      ? Number(text.slice(0, -1)) / 1e3
      : text.endsWith("m")
        ? Number(text.slice(0, -1))
        : Number(text) * 1000;
const mebi = (text: string): number =>
  text.endsWith("Ki")
    ? Number(text.slice(0, -2)) / 1024
    : text.endsWith("Mi")
      ? Number(text.slice(0, -2))
      : text.endsWith("Gi")
        ? Number(text.slice(0, -2)) * 1024
        : Number(text) / 1048576;

/** Runs `kubectl top pods` and `kubectl top nodes`. */
export async function top(command: Command): Promise<number> {
  const { api, flags, streams } = command;
  const [what = ""] = flags.words;
  const isNodes = what.startsWith("no");
  const place = isNodes ? "nodes" : flags.on("all-namespaces") ? "pods" : `namespaces/${namespaceOf(command)}/pods`;
  const { items } = await api.json<{ items: readonly Usage[] }>("GET", `/apis/metrics.k8s.io/v1beta1/${place}`);
  const rows = items.map(({ metadata, containers, usage }) => {
    const used = containers?.map((one) => one.usage) ?? [usage ?? {}];
    const cpu = used.reduce((sum, one) => sum + milli(one["cpu"] ?? "0"), 0);
    const memory = used.reduce((sum, one) => sum + mebi(one["memory"] ?? "0"), 0);
    return [metadata.name, `${Math.ceil(cpu)}m`, `${Math.floor(memory)}Mi`];
  });
  streams.out(alignedRows([["NAME", "CPU(cores)", "MEMORY(bytes)"], ...rows]));
  return 0;
}

/** Runs `kubectl cluster-info`. */
export function clusterInfo({ streams }: Command): Promise<number> {
  streams.out("Kubernetes control plane is running in this page\n");
  return Promise.resolve(0);
}
