/**
 * Certificates that somebody else has made.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { type Element, TAG, TRUE, elements, oid, only } from "./der.ts";
import { type AltNames, NO_NAMES, readAltNames } from "./names.ts";
import { pemBlocks } from "../util/pem.ts";

/** A certificate from its bytes; undefined where they are none, or more than one. */
export function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(bytes);
    // OpenSSL reads PEM here, too, and does not mind what stands behind.
    return certificate.raw.equals(bytes) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** The first certificate in a PEM text; undefined where the first block is none. */
export function firstCertificate(pem: string): X509Certificate | undefined {
  const { value: block } = pemBlocks(pem).next();
  return block?.type === "CERTIFICATE" ? certificateOf(block.bytes) : undefined;
}

const BASIC_CONSTRAINTS = oid("2.5.29.19");
const SUBJECT_ALT_NAME = oid("2.5.29.17");

/** Whether a certificate says of itself that it may sign others. */
export function isAuthority(certificate: X509Certificate): boolean {
  const value = extensionOf(certificate, BASIC_CONSTRAINTS);
  const [first] = value ? elements(only(value, TAG.sequence).content) : [];
  return first?.whole.equals(TRUE) ?? false;
}

/** The other names of a certificate's subject. @throws DerError */
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

/** The fields of what a certificate certifies. */
export function fieldsOf(certificate: X509Certificate): Element[] {
  const [certified] = elements(elements(certificate.raw)[0]!.content);
  return elements(certified!.content);
}
