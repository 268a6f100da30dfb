import { X509Certificate } from "node:crypto";

/** The readable fields of a certificate. */
export interface CertificateFacts {
  /** `server`, `admin`, `ca`, or the caller's name for it. */
  readonly name: string;
  /** As in `CN=keelson:admin, O=system:masters`. */
  readonly subject: string;
  readonly issuer: string;
  /** DNS names and addresses; none for a client certificate. */
  readonly hosts: readonly string[];
  /** Hexadecimal. */
  readonly serial: string;
  /** Milliseconds since the epoch. */
  readonly begins: number;
  readonly ends: number;
  /** When the server renews it; undefined for a certificate that others renew. */
  readonly renewedFrom: number | undefined;
}

/** Reads a PEM certificate; of several the first. */
export function certificateFacts(name: string, pem: string, renewBefore?: number): CertificateFacts {
  const certificate = new X509Certificate(pem);
  const ends = certificate.validToDate.getTime();
  return {
    name,
    subject: inOneLine(certificate.subject),
    issuer: inOneLine(certificate.issuer),
    hosts: hostsOf(certificate),
    serial: certificate.serialNumber.toLowerCase(),
    begins: certificate.validFromDate.getTime(),
    ends,
    renewedFrom: renewBefore === undefined ? undefined : ends - renewBefore,
  };
}

/** The DNS names and addresses of a certificate. */
export const hostsOf = ({ subjectAltName = "" }: X509Certificate): readonly string[] =>
  [...subjectAltName.matchAll(/(?:DNS|IP Address):([^\s,"]+)/g)].map(([, host]) => host!);

const inOneLine = (name: string): string => name.split("\n").toReversed().join(", ");
