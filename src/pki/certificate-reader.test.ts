import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { authority, client, issue, serving } from "./certificate.ts";
import { altNamesOf, certificateOf, firstCertificate, isAuthority } from "./certificate-reader.ts";
import { readRequest } from "./request.ts";
import { requestPem } from "./testing/requests.ts";

const term = { now: Date.UTC(2026, 0, 1), days: 10 };
const ca = authority(term);
const jane = client(ca, "jane", [], term);
const der = (pem: string): Buffer => new X509Certificate(pem).raw;

test("CERT-11: a certificate is one whole of DER", () => {
  expect(certificateOf(der(jane.cert))?.subject).toBe("CN=jane");
  for (const bytes of [Buffer.from(jane.cert), Buffer.concat([der(jane.cert), Buffer.of(0)]), Buffer.alloc(0)]) {
    expect(certificateOf(bytes)).toBeUndefined();
  }
  expect(firstCertificate(`x\n${jane.cert}${ca.cert}`)?.subject).toBe("CN=jane");
  expect(firstCertificate(jane.key)).toBeUndefined();
});

test("CERT-11: authorities say that they are", () => {
  expect([ca, jane].map(({ cert }) => isAuthority(new X509Certificate(cert)))).toEqual([true, false]);
});

test("names of a certificate", () => {
  const { cert } = serving(ca, ["a.example", "10.0.0.1"], term);
  const names = { dns: ["a.example"], emails: [], uris: [], addresses: [Buffer.of(10, 0, 0, 1)] };
  expect(altNamesOf(new X509Certificate(cert))).toEqual(names);
  expect(altNamesOf(new X509Certificate(jane.cert)).dns).toEqual([]);
});

test("CERT-10: a certificate has the subject, the names and the key of its request, and the lifetime and usages of its signer", () => {
  const request = readRequest(
    requestPem({ commonName: "n", organizations: ["o"], dns: ["a.example"], emails: ["e@x"] }),
  );
  const [begins, ends] = [term.now, term.now + 3_600_000];
  const certificate = new X509Certificate(issue(ca, request, { begins, ends, usages: ["client auth"] }));
  expect(certificate.subject).toBe("O=o\nCN=n");
  expect(altNamesOf(certificate)).toEqual(request.names);
  expect(certificate.publicKey.equals(request.key)).toBe(true);
  expect(certificate.verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
  expect([certificate.validFromDate.getTime(), certificate.validToDate.getTime()]).toEqual([begins, ends]);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(isAuthority(certificate)).toBe(false);
  const both = { begins, ends, usages: ["server auth", "client auth", "key encipherment"] as const };
  expect(new X509Certificate(issue(ca, request, both)).keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
});
