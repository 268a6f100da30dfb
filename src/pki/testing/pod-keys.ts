import { type KeyObject, constants, createPublicKey, sign } from "node:crypto";

/** The key of a Pod, and the proof of its possession, as a PodCertificateRequest of a test contains them. */
export function podKeyOf(key: KeyObject, podUID: string): { pkixPublicKey: string; proofOfPossession: string } {
  const type = key.asymmetricKeyType;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 };
  const proof = sign(type === "ed25519" ? null : "sha256", Buffer.from(podUID), {
    key,
    ...(type === "rsa" ? pss : {}),
  });
  return {
    pkixPublicKey: createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64"),
    proofOfPossession: proof.toString("base64"),
  };
}
