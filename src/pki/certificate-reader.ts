/**
 * Reads certificates of any issuer.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { type Element, TAG, TRUE, elements, oid, only } from "./der.ts";
import { type AltNames, NO_NAMES, readAltNames } from "./names.ts";
import { pemBlocks } from "../util/pem.ts";

/** A certificate from its DER bytes; undefined for other bytes, and for more than one. */
export function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(bytes);
    // OpenSSL also accepts PEM here, and ignores trailing bytes.
    return certificate.raw.equals(bytes) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** The first certificate in a PEM text; undefined where the first block is another one. */
export function firstCertificate(pem: string): X509Certificate | undefined {
  const { value: block } = pemBlocks(pem).next();
  return block?.type === "CERTIFICATE" ? certificateOf(block.bytes) : undefined;
}

const BASIC_CONSTRAINTS = oid("2.5.29.19");
const SUBJECT_ALT_NAME = oid("2.5.29.17");

/** Whether the basic constraints of a certificate say that it is an authority. */
export function isAuthority(certificate: X509Certificate): boolean {
  const value = extensionOf(certificate, BASIC_CONSTRAINTS);
  const [first] = value ? elements(only(value, TAG.sequence).content) : [];
  return first?.whole.equals(TRUE) ?? false;
}

/** The alternative names of a certificate's subject. @throws DerError */
export function altNamesOf(certificate: X509Certificate): AltNames {
  const value = extensionOf(certificate, SUBJECT_ALT_NAME);
  return value ? readAltNames(value) : NO_NAMES;
}

const EXTENSIONS = 0xa3;

/** The value of an extension; undefined where the certificate does not have it. */
export function extensionOf(certificate: X509Certificate, id: Buffer): Buffer | undefined {
  const list = fieldsOf(certificate).find(({ tag }) => tag === EXTENSIONS);
  const all = list ? elements(elements(list.content)[0]!.content).map(({ content }) => elements(content)) : [];
  return all.find(([first]) => first!.whole.equals(id))?.at(-1)!.content;
}

/** The fields of TBSCertificate. */
export function fieldsOf(certificate: X509Certificate): Element[] {
  const [certified] = elements(elements(certificate.raw)[0]!.content);
  return elements(certified!.content);
}
