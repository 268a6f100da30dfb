/**
 * Keeps the certificate that verifies the server in a ClusterTrustBundle of the signer
 * `kubernetes.io/kube-apiserver-serving`, for Pods to mount.
 */
import { createHash } from "node:crypto";
import { attempt } from "../../client/index.ts";
import { ClusterTrustBundle } from "../../client/kinds/index.ts";
import { type Controller, defineKeyController, sharedInformer } from "../../runtime/index.ts";

const signerName = "kubernetes.io/kube-apiserver-serving";
const KEY = "bundle";
const bundles = sharedInformer(ClusterTrustBundle, { fieldSelector: `spec.signerName=${signerName}` });

/** The controller named `trust-bundle-publisher`, for a certificate, PEM. */
export const trustBundlePublisher = (certificate: string): Controller =>
  defineKeyController({
    name: "keelson-trust-bundle-publisher",
    begin(parts, add) {
      const informer = parts.informer(bundles);
      informer.on(() => add(KEY));
      add(KEY);
      return informer;
    },
    async reconcile({ client, kinds, memory }) {
      if (certificate === "" || !(await kinds.serves(ClusterTrustBundle))) return undefined;
      const resource = client.resource(ClusterTrustBundle);
      const name = nameOf(certificate);
      const spec = { signerName, trustBundle: certificate };
      const { ok: isNew } = await attempt(resource.create({ metadata: { name }, spec }), "AlreadyExists");
      const { items } = await resource.list({ fieldSelector: `spec.signerName=${signerName}` });
      for (const bundle of items) {
        if (bundle.metadata.name !== name) await attempt(resource.delete(bundle), "NotFound");
        else if (bundle.spec.trustBundle !== certificate) {
          await attempt(resource.update({ ...bundle, spec }), "NotFound", "Conflict");
        }
      }
      // Where another client created it, and it is deleted before memory has seen it, no event reports the deletion.
      return isNew || memory.get({ name }) ? undefined : { requeueAfter: "1m" };
    },
  });

const nameOf = (certificate: string): string =>
  `${signerName.replace("/", ":")}:${createHash("sha256").update(certificate).digest("hex").slice(0, 32)}`;
