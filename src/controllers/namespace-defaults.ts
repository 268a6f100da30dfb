/**
 * What every namespace has in the kubernetes dialect: an object by a fixed name, made when it is missing.
 *
 * Two controllers are made of it: the ServiceAccount `default`, and the ConfigMap `kube-root-ca.crt` with the
 * certificate that clients in the namespace trust.
 *
 * @module
 */
import { Informer, type Kind, type NewObject, type UntypedObject, isStatus } from "../client/index.ts";
import { ConfigMap, Namespace, ServiceAccount } from "../client/kinds/index.ts";
import { WorkQueue } from "../util/work-queue.ts";
import type { Controller, ControllerContext, RunningController } from "./controller.ts";

type Untyped = Kind<UntypedObject, "Namespaced">;

/** The ServiceAccount that pods without one of their own run as. */
export const defaultServiceAccount: Controller = perNamespace("serviceaccount", ServiceAccount as Untyped, () => ({
  metadata: { name: "default" },
}));

/** The ConfigMap with the server's CA. */
export const rootCaPublisher = (certificate: string): Controller =>
  perNamespace("root-ca", ConfigMap as Untyped, () => ({
    metadata: {
      name: "kube-root-ca.crt",
      annotations: {
        "kubernetes.io/description":
          "The certificate with which clients inside the cluster verify the API server; it is good for nothing else.",
      },
    },
    data: { "ca.crt": certificate },
  }));

function perNamespace(name: string, kind: Untyped, make: () => NewObject<UntypedObject>): Controller {
  return {
    name,
    async start({ client, clock, random, log }: ControllerContext): Promise<RunningController> {
      const objects = client.resource(kind);
      const wanted = make();
      const queue = new WorkQueue({
        clock,
        random,
        async work(namespace) {
          const owner = namespaces.get("", namespace);
          if (!owner || owner.metadata.deletionTimestamp !== undefined) return;
          const there = copies.get(namespace, wanted.metadata.name!);
          if (!there) await objects.create({ ...make(), metadata: { ...wanted.metadata, namespace } });
          else if (differs(there, wanted))
            await objects.patch({ namespace, name: wanted.metadata.name! }, { data: wanted["data"] });
        },
        failed(namespace, error) {
          if (isStatus(error, "AlreadyExists", "NotFound", "Forbidden")) return;
          log.warn(`${kind.kind} ${wanted.metadata.name} could not be made`, { namespace, error: String(error) });
        },
      });
      const look = (namespace: Namespace): void => queue.add(namespace.metadata.name);
      const lookAgain = (object: UntypedObject): void => queue.add(object.metadata.namespace!);
      const namespaces = new Informer(client.resource(Namespace), { clock, random, handlers: { added: look } });
      const copies = new Informer(objects, {
        clock,
        random,
        fieldSelector: `metadata.name=${wanted.metadata.name}`,
        handlers: { changed: lookAgain, deleted: lookAgain },
      });
      await copies.start();
      await namespaces.start();
      return {
        async stop() {
          await Promise.all([queue.close(), namespaces.stop(), copies.stop()]);
        },
      };
    },
  };
}

/** Whether the data that we look after is not as it should be. */
function differs(there: UntypedObject, wanted: NewObject<UntypedObject>): boolean {
  const [got, expected] = [there["data"] ?? {}, wanted["data"] ?? {}] as Record<string, string>[];
  return Object.keys(expected!).some((key) => got![key] !== expected![key]);
}
