/**
 * PEM blocks in Secrets, and what a pair of certificate and key lacks.
 *
 * @module
 */

// A chain has a few blocks; in a value of nothing but beginnings, each costs a search to the end.
const MAX_BLOCKS = 20;

/** The labels of the first twenty blocks in base64 bytes, without blocks that have no end or no base64 content. */
function labelsOf(base64: string): string[] {
  const text = Buffer.from(base64, "base64").toString("latin1");
  const begin = /-----BEGIN ([A-Z0-9 ]+)-----/g;
  const labels: string[] = [];
  for (let i = 0; i < MAX_BLOCKS; i++) {
    const match = begin.exec(text);
    if (!match) break;
    const name = match[1]!;
    const end = text.indexOf(`-----END ${name}-----`, begin.lastIndex);
    if (end >= 0 && isContent(text.slice(begin.lastIndex, end))) labels.push(name);
  }
  return labels;
}

/** Whether a text is base64 in lines, behind headers where there are some. */
function isContent(text: string): boolean {
  const headers = text.includes(":") ? text.indexOf("\n\n") : 0;
  if (headers < 0) return false;
  const content = text.slice(headers).replaceAll(/[\r\n]/g, "");
  return content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
}

const isCertificate = (label: string): boolean => label === "CERTIFICATE";
const isKey = (label: string): boolean => label === "PRIVATE KEY" || label.endsWith(" PRIVATE KEY");

/** The labels as Go prints a list of texts. */
const listed = (labels: readonly string[]): string => `[${labels.join(" ")}]`;

/** Why a certificate and its key, as base64 bytes, are no pair, with the messages of Go's `crypto/tls`. */
export function pairFault(certificate: string, key: string): string | undefined {
  return certificateFault(labelsOf(certificate)) ?? keyFault(labelsOf(key));
}

function certificateFault(labels: readonly string[]): string | undefined {
  if (labels.some(isCertificate)) return undefined;
  if (labels.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (labels.length === 1 && labels[0]!.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  const found = listed(labels);
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${found}`;
}

function keyFault(labels: readonly string[]): string | undefined {
  if (labels.some(isKey)) return undefined;
  if (labels.length === 0) return "tls: failed to find any PEM data in key input";
  if (labels.length === 1 && isCertificate(labels[0]!)) {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  const found = listed(labels);
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${found}`;
}
