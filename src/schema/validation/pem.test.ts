import { expect, test } from "vitest";
import { pairFault } from "./pem.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const block = (label: string, content = "AAAA"): string =>
  `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`;

const CERTIFICATE = block("CERTIFICATE");
const KEY = block("EC PRIVATE KEY");

test.each([
  [CERTIFICATE, KEY, undefined],
  [KEY + CERTIFICATE, block("EC PARAMETERS") + block("PRIVATE KEY"), undefined],
  [block("CERTIFICATE", "A: b\nC: d\n\nAA\r\nAA"), KEY, undefined],
  ["", KEY, "tls: failed to find any PEM data in certificate input"],
  // What only looks like PEM.
  [block("CERTIFICATE", "not base64!"), KEY, "tls: failed to find any PEM data in certificate input"],
  [block("CERTIFICATE", "AAA"), KEY, "tls: failed to find any PEM data in certificate input"],
  ["-----BEGIN CERTIFICATE-----\nAAAA\n", KEY, "tls: failed to find any PEM data in certificate input"],
  [KEY, CERTIFICATE, /did find a private key; PEM inputs may have been switched$/],
  [block("X509 CRL"), KEY, /^tls: failed to find "CERTIFICATE" PEM block .*: \[X509 CRL\]$/],
  [CERTIFICATE, "", "tls: failed to find any PEM data in key input"],
  [CERTIFICATE, block("PRIVATE KEY", "?"), "tls: failed to find any PEM data in key input"],
  [CERTIFICATE, CERTIFICATE, "tls: found a certificate rather than a key in the PEM for the private key"],
  [CERTIFICATE, block("A") + block("B"), /^tls: failed to find PEM block with type .*: \[A B\]$/],
])("of the pair %j and %j is told: %s", (certificate, key, fault) => {
  expect(pairFault(base64(certificate), base64(key)) ?? "none").toMatch(fault ?? /^none$/);
});
