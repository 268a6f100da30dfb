import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A key and certificate, PEM. */
export interface TestPair {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority for a test, and what it signs. */
export interface TestAuthority {
  readonly cert: string;
  sign(subject: string): Promise<TestPair>;
}

/** Makes a certificate authority. */
export async function testAuthority(): Promise<TestAuthority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const name = "CN=test-ca";
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    cert: ca.toString("pem"),
    async sign(subject) {
      const own = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
      const cert = await x509.X509CertificateGenerator.create({
        subject,
        issuer: name,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])],
      });
      const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", own.privateKey), "PRIVATE KEY");
      return { key, cert: cert.toString("pem") };
    },
  };
}
