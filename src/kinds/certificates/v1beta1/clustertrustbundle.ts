/**
 * ClusterTrustBundle: certificates of authorities that all users of the cluster may read, such as those of a signer
 * (CERT-11, CERT-12, CERT-14).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain, pathSegmentName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { type PemBlock, certificateOf, isAuthority, pemBlocks } from "../../../pki/index.ts";
import { textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import type { Steps } from "../../../util/steps.ts";
import { shownSigner, validateSigner } from "../signer.ts";

const LARGEST_BUNDLE = 1024 * 1024;

const Spec = t.struct("The certificates, and their signer.", {
  signerName: t.optional(
    t.text("The signer whose certificates they verify; it cannot change, and begins the name of the bundle."),
  ),
  trustBundle: t.required(t.text("The certificates, PEM: one at least, each once, all of authorities.")),
});

type ClusterTrustBundle = ObjectOf<typeof schema>;

/** CERT-12: the name of a bundle begins with its signer, slashes as colons; one without a signer has no colon. */
function wrongName(name: string, signer: string): string | undefined {
  if (signer === "") return name.includes(":") ? "expected no ':' where there is no signer" : dnsSubdomain(name);
  const prefix = `${signer.replaceAll("/", ":")}:`;
  return name.startsWith(prefix) ? dnsSubdomain(name.slice(prefix.length)) : `expected it to begin with "${prefix}"`;
}

function validate(object: ClusterTrustBundle, errors: FieldErrors): void {
  const { name = "", generateName } = object.metadata;
  const { signerName = "" } = object.spec;
  const wrong = wrongName(name, signerName);
  if (wrong !== undefined) errors.invalid("metadata.name", name, wrong);
  // A generated name continues a prefix that ends with a dash.
  const wrongPrefix = generateName ? wrongName(generateName.replace(/.-$/s, "a"), signerName) : undefined;
  if (wrongPrefix !== undefined) errors.invalid("metadata.generateName", generateName, wrongPrefix);
  if (signerName !== "") validateSigner(signerName, "spec.signerName", errors);
}

function validateUpdate(object: ClusterTrustBundle, old: ClusterTrustBundle, errors: FieldErrors): void {
  validate(object, errors);
  const { signerName = "" } = object.spec;
  const before = old.spec.signerName ?? "";
  if (signerName !== before) errors.invalid("spec.signerName", signerName, `field is immutable: expected "${before}"`);
}

const FIELD = "spec.trustBundle";

/** Validates the bundle (CERT-11). With a fault in a block, the bundle as a whole is not validated. */
function* validateBundle(pem: string, errors: FieldErrors): Steps<void> {
  if (Buffer.byteLength(pem) > LARGEST_BUNDLE) return errors.tooLong(FIELD, LARGEST_BUNDLE);
  const wrong = (why: string): void => errors.invalid(FIELD, "<certificates>", why);
  const seen = new Map<string, number>();
  const doubled: string[] = [];
  let isWhole = true;
  let count = 0;
  for (const block of pemBlocks(pem)) {
    const why = wrongBlock(block);
    if (why !== undefined) {
      wrong(`block ${count}: ${why}`);
      isWhole = false;
    }
    const bytes = block.bytes.toString("base64");
    const first = seen.get(bytes);
    if (first !== undefined) doubled.push(`block ${count} is block ${first} again`);
    else seen.set(bytes, count);
    count++;
    yield;
  }
  if (!isWhole) return;
  if (count === 0) wrong("expected one certificate at least, in a PEM block CERTIFICATE");
  for (const why of doubled) wrong(why);
}

function wrongBlock({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `expected CERTIFICATE, found ${type.slice(0, 40)}`;
  if (hasHeaders) return "expected no headers";
  const certificate = certificateOf(bytes);
  if (!certificate) return "expected an X.509 certificate";
  return isAuthority(certificate) ? undefined : "expected the certificate of an authority";
}

const schema = objectSchema(
  "Certificates of authorities, which all users of the cluster may read, and Pods may mount.",
  {
    spec: t.always(Spec),
  },
);

/** The definition of ClusterTrustBundle in v1beta1, which is stored. */
export const clusterTrustBundle = ({ gates, dialect }: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: "certificates.k8s.io",
    version: "v1beta1",
    kind: "ClusterTrustBundle",
    plural: "clustertrustbundles",
    scope: "Cluster",
    served: gates.ClusterTrustBundle,
    ...(dialect.rules.enforceUndocumented
      ? {
          deprecated: "certificates.k8s.io/v1beta1 ClusterTrustBundle is a beta version and will be replaced",
          removedRelease: "1.39",
        }
      : {}),
    nameRule: pathSegmentName,
    versionedUpdate: true,
    selectableFields: { "spec.signerName": (object) => object.spec.signerName ?? "" },
    validate,
    validateUpdate,
    *validateInSteps(object, old, _subresource, errors) {
      const { trustBundle } = object.spec;
      if (!old || trustBundle !== old.spec.trustBundle) yield* validateBundle(trustBundle, errors);
    },
    columns: [textColumn("SignerName", "The signer.", (object) => shownSigner(object.spec.signerName))],
  });
