/**
 * What every namespace has in the kubernetes dialect: an object by a fixed name, made when it is missing.
 *
 * Two controllers are made of it: the ServiceAccount `default`, and the ConfigMap `kube-root-ca.crt` with the
 * certificate that clients in the namespace trust.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import { Informer, type ResourceRef, isStatus } from "../client/index.ts";
import { WorkQueue } from "../util/work-queue.ts";
import type { Controller, ControllerContext, RunningController } from "./controller.ts";

const NAMESPACES: ResourceRef = { group: "", version: "v1", plural: "namespaces" };

/** The ServiceAccount that pods without one of their own run as. */
export const defaultServiceAccount: Controller = perNamespace(
  "serviceaccount",
  { group: "", version: "v1", plural: "serviceaccounts" },
  () => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } }),
);

/** The ConfigMap with the server's CA. */
export const rootCaPublisher = (certificate: string): Controller =>
  perNamespace("root-ca", { group: "", version: "v1", plural: "configmaps" }, () => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "kube-root-ca.crt",
      annotations: {
        "kubernetes.io/description":
          "The certificate with which clients inside the cluster verify the API server; it is good for nothing else.",
      },
    },
    data: { "ca.crt": certificate },
  }));

function perNamespace(name: string, ref: ResourceRef, make: () => ApiObject): Controller {
  return {
    name,
    async start({ client, clock, random, log }: ControllerContext): Promise<RunningController> {
      const objects = client.resource(ref);
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
            await objects.patch(wanted.metadata.name!, { data: wanted["data"] }, { namespace });
        },
        failed(namespace, error) {
          if (isStatus(error, "AlreadyExists", "NotFound", "Forbidden")) return;
          log.warn(`${wanted.kind} ${wanted.metadata.name} could not be made`, { namespace, error: String(error) });
        },
      });
      const look = (namespace: ApiObject): void => queue.add(namespace.metadata.name!);
      const lookAgain = (object: ApiObject): void => queue.add(object.metadata.namespace!);
      const namespaces = new Informer(client.resource(NAMESPACES), { clock, random, handlers: { added: look } });
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
function differs(there: ApiObject, wanted: ApiObject): boolean {
  const [got, expected] = [there["data"] ?? {}, wanted["data"] ?? {}] as Record<string, string>[];
  return Object.keys(expected!).some((key) => got![key] !== expected![key]);
}
