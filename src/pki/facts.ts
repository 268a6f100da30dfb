import { X509Certificate } from "node:crypto";

/** What there is to know of a certificate. */
export interface CertificateFacts {
  /** `server`, `admin`, `ca`, or what else calls it. */
  readonly name: string;
  /** As in `CN=keelson:admin, O=system:masters`. */
  readonly subject: string;
  readonly issuer: string;
  /** Names and addresses that it is good for; none for what serves nothing. */
  readonly hosts: readonly string[];
  /** Hexadecimal. */
  readonly serial: string;
  /** Milliseconds since the epoch. */
  readonly begins: number;
  readonly ends: number;
  /** From when on it is made anew; undefined for what others make. */
  readonly renewedFrom: number | undefined;
}

/** Reads a certificate, PEM; of several the first. */
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

/** The names and addresses in a certificate. */
export const hostsOf = ({ subjectAltName = "" }: X509Certificate): readonly string[] =>
  [...subjectAltName.matchAll(/(?:DNS|IP Address):([^\s,"]+)/g)].map(([, host]) => host!);

const inOneLine = (name: string): string => name.split("\n").toReversed().join(", ");
