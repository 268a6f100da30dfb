/**
 * The default objects of every namespace in the kubernetes dialect: the ServiceAccount `default`, and the ConfigMap
 * `kube-root-ca.crt` with the certificate that clients trust. Each has its controller.
 */
import { type ApiObject, type Kind, type MergePatch, type NewObject, attempt } from "../../client/index.ts";
import { ConfigMap, Namespace, ServiceAccount } from "../../client/kinds/index.ts";
import { type Controller, type Result, defineController, sharedInformer, watches } from "../../runtime/index.ts";

/** Keeps the ServiceAccount of Pods without one. */
export const defaultServiceAccount: Controller = perNamespace("keelson-serviceaccount", ServiceAccount, {
  metadata: { name: "default" },
});

const ABOUT_CA =
  "The certificate with which clients inside the cluster verify the API server; it is good for nothing else.";

/** Keeps the ConfigMap with the CA of the server. */
export const rootCaPublisher = (certificate: string): Controller =>
  perNamespace("keelson-root-ca", ConfigMap, {
    metadata: { name: "kube-root-ca.crt", annotations: { "kubernetes.io/description": ABOUT_CA } },
    data: { "ca.crt": certificate },
  });

/**
 * How long memory is waited for when another client has created the object: where it is deleted before memory has seen it, no event reports
 * that.
 */
const LOOK_AGAIN: Result = { requeueAfter: "1m" };

type WithData = { readonly data?: Readonly<Record<string, unknown>> };

/** Returns a controller that creates an object in every namespace and corrects its data. */
function perNamespace<T extends ApiObject>(
  name: string,
  kind: Kind<T, "Namespaced">,
  wanted: NewObject<T> & { readonly metadata: { readonly name: string } } & WithData,
): Controller {
  const copies = sharedInformer(kind, { fieldSelector: `metadata.name=${wanted.metadata.name}` });
  return defineController({
    name,
    for: Namespace,
    // The controller itself creates them.
    sources: [watches(copies, namespaceOf, ({ type }) => type !== "added")],
    async reconcile({ object, client, informer }) {
      if (object.metadata.deletionTimestamp !== undefined) return undefined;
      const key = { namespace: object.metadata.name, name: wanted.metadata.name };
      const there: (T & WithData) | undefined = informer(copies).get(key);
      if (!there) {
        const made = Object.assign({}, wanted, { metadata: { ...wanted.metadata, namespace: key.namespace } });
        const done = await attempt(client.resource(kind).create(made), "AlreadyExists", "NotFound", "Forbidden");
        return !done.ok && done.reason === "AlreadyExists" ? LOOK_AGAIN : undefined;
      } else if (differs(there, wanted)) {
        const patch = patchOf(there, wanted) as MergePatch<T & WithData>;
        await attempt(client.resource(kind).patch(key, patch), "NotFound");
      }
      return undefined;
    },
  });
}

function namespaceOf({ metadata: { namespace } }: ApiObject): { name: string }[] {
  return namespace === undefined ? [] : [{ name: namespace }];
}

type Comparable = WithData & { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };

/** Whether the data is different or an annotation is missing; labels do not count (CTL-SA-2). */
function differs({ data: got, metadata: { annotations = {} } }: Comparable, { data, metadata }: Comparable): boolean {
  const [had, expected] = [Object.entries(got ?? {}), Object.entries(data ?? {})];
  if (data && (had.length !== expected.length || expected.some(([key, value]) => got?.[key] !== value))) return true;
  return Object.keys(metadata.annotations ?? {}).some((name) => annotations[name] === undefined);
}

function patchOf({ data = {}, metadata }: Comparable, wanted: Comparable): object {
  const surplus = Object.keys(data).map((key) => [key, null] as const);
  const annotations = { ...wanted.metadata.annotations, ...metadata.annotations };
  return { metadata: { annotations }, data: { ...Object.fromEntries(surplus), ...wanted.data } };
}
