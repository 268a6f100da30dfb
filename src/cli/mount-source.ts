import { type Client, isStatus } from "../client/index.ts";
import {
  type ClusterTrustBundle as Bundle,
  ClusterTrustBundle,
  ConfigMap,
  Node,
  type Pod,
  Secret,
  type TokenRequest,
} from "../client/kinds/index.ts";
import type { ContentSource, TokenOptions } from "../volumes/contract.ts";
import type { MountDocuments } from "./mount-documents.ts";

/** Further sources of contents. */
export interface MountSourceOptions {
  /** Undefined if no server is named. */
  readonly client: Client | undefined;
  readonly placeholders: boolean;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Returns the contents of volumes from the documents, then from a server. */
export const mountSource = (documents: MountDocuments, options: MountSourceOptions): ContentSource => ({
  async configMap(key) {
    return documents.configMap(key.name) ?? (await options.client?.resource(ConfigMap).find(key));
  },
  async secret(key) {
    return documents.secret(key.name) ?? (await options.client?.resource(Secret).find(key));
  },
  async trustBundles() {
    const own = new Set(documents.bundles.map(({ metadata }) => metadata.name));
    const others = options.client ? await bundlesOf(options.client) : [];
    return [...documents.bundles, ...others.filter(({ metadata }) => !own.has(metadata.name))];
  },
  token(pod, wanted) {
    const { client, placeholders } = options;
    if (placeholders)
      return Promise.resolve(
        `placeholder: a token of ${pod.spec.serviceAccountName} for ${wanted.audience ?? "the server"}\n`,
      );
    if (client) return tokenOf(client, pod, wanted);
    return Promise.reject(
      new Error("a token comes from a server (--kubeconfig); --placeholders writes something in its place"),
    );
  },
  certificate(_pod, { signerName }) {
    if (!options.placeholders) {
      throw new Error("a certificate is issued to the node of the Pod; --placeholders writes something in its place");
    }
    const placeholder = (what: string): string => `placeholder: ${what} of ${signerName}\n`;
    return Promise.resolve({ key: placeholder("a key for a certificate"), chain: placeholder("a certificate") });
  },
  allocatable: () => options.allocatable,
});

/** Lists the bundles of a server; none if it does not serve the kind. */
async function bundlesOf(client: Client): Promise<readonly Bundle[]> {
  try {
    return (await client.resource(ClusterTrustBundle).list()).items;
  } catch (error) {
    if (isStatus(error, "NotFound")) return [];
    throw error;
  }
}

/** Requests a token, bound to the Pod if the file has its uid. */
async function tokenOf(
  client: Client,
  { metadata, spec }: Pod,
  { audience, expirationSeconds }: TokenOptions,
): Promise<string> {
  const { namespace = "", name, uid } = metadata;
  const request = {
    audiences: audience === undefined ? [] : [audience],
    expirationSeconds,
    ...(uid === "" ? {} : { boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } }),
  };
  const account = encodeURIComponent(spec.serviceAccountName ?? "default");
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${account}/token`;
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: request };
  return (await client.json<TokenRequest>("POST", path, { body })).status?.token ?? "";
}

/** Reads the allocatable resources of the node of a Pod; none without such a node. */
export async function allocatableOf(
  client: Client | undefined,
  { spec }: Pod,
): Promise<Readonly<Record<string, string>>> {
  if (!client || !spec.nodeName) return {};
  const node = await client.resource(Node).find({ name: spec.nodeName });
  return node?.status.allocatable ?? {};
}
