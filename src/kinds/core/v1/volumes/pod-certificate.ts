/**
 * A key and a certificate for the Pod as files (PROJ-19..29, LIM-7..10, DEC-53).
 *
 * @module
 */
import { domainPrefixedPath, prefixedName } from "../../../../meta/names.ts";
import * as t from "../../../../meta/types.ts";
import type { Loose, SourceCheck } from "./form.ts";
import { checkInsideVolume } from "./paths.ts";

const KEY_TYPES = ["ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", "RSA3072", "RSA4096"];
const MIN_EXPIRATION = 3600;
const MAX_EXPIRATION = 7_862_400;
const MAX_ANNOTATION_BYTES = 262_144;

/** A key that the node agent generates, and its certificate from a signer. */
export const PodCertificateProjection = t.struct(
  "A key that the node agent makes and the certificate chain that a signer gives for it, renewed in time.",
  {
    signerName: t.required(t.text("The signer, such as `example.com/signer`.")),
    keyType: t.required(t.text("`RSA3072`, `RSA4096`, `ECDSAP256`, `ECDSAP384`, `ECDSAP521` or `ED25519`.")),
    maxExpirationSeconds: t.pointer(
      t.int32("The longest requested lifetime: 3600 to 7862400 seconds, one day when unset."),
    ),
    credentialBundlePath: t.optional(t.text("A file with the private key in PKCS#8 and the certificates, leaf first.")),
    keyPath: t.optional(t.text("A file with the key alone; it may not match the chain while both are being renewed.")),
    certificateChainPath: t.optional(t.text("A file with the certificates alone.")),
    userAnnotations: t.optional(t.map(t.text(), "Annotations for the signer; keys with a domain.")),
  },
);

const PATHS = ["credentialBundlePath", "keyPath", "certificateChainPath"] as const;

function checkAnnotations(
  annotations: Readonly<Record<string, string | undefined>>,
  at: string,
  check: SourceCheck,
): void {
  let bytes = 0;
  for (const [key, value = ""] of Object.entries(annotations)) {
    check.text(at, key, (name) => prefixedName(name.toLowerCase()));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_ANNOTATION_BYTES) check.errors.tooLong(at, MAX_ANNOTATION_BYTES);
}

/** A signer, a key type, at least one file, and a lifetime within the limits (PROJ-19..26, LIM-8, LIM-9). */
export function checkPodCertificate(
  source: Loose<t.Static<typeof PodCertificateProjection>>,
  at: string,
  check: SourceCheck,
): void {
  if (source.signerName) check.text(`${at}.signerName`, source.signerName, domainPrefixedPath);
  else check.errors.required(`${at}.signerName`);
  check.oneOf(`${at}.keyType`, source.keyType ?? "", KEY_TYPES);
  check.range(`${at}.maxExpirationSeconds`, source.maxExpirationSeconds, MIN_EXPIRATION, MAX_EXPIRATION);
  for (const member of PATHS) {
    const path = source[member];
    if (path) checkInsideVolume(`${at}.${member}`, path, check);
  }
  if (!PATHS.some((member) => source[member])) {
    check.errors.required(at, "expected at least one of credentialBundlePath, keyPath, certificateChainPath");
  }
  if (source.userAnnotations) checkAnnotations(source.userAnnotations, `${at}.userAnnotations`, check);
}
