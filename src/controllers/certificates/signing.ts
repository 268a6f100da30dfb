/** Signs approved requests for the built-in signers with the CA of the cluster (CERT-10). */
import { X509Certificate } from "node:crypto";
import { CertificateSigningRequest } from "../../client/kinds/index.ts";
import { type KeyPair, issue } from "../../pki/index.ts";
import { type Controller, defineController } from "../../runtime/index.ts";
import { REQUEUE_SOON, writeStatus } from "../../runtime/writes.ts";
import { SIGNERS, requestIn, conditionOf, grantedOf, isIssued, problemWith } from "./requests.ts";

const MINUTE_MS = 60_000;
const MIN_LIFETIME_MS = 10 * MINUTE_MS;
const MAX_LIFETIME_MS = 365 * 24 * 60 * MINUTE_MS;
/** Certificates are valid from a little earlier, for clients whose clock is behind; long ones end as much earlier. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;
const SHORT_LIFETIME_MS = 8 * 60 * MINUTE_MS;

/**
 * The controller named `csrsigning`; it reads the CA for each signature.
 *
 * @param wallTime the time of clients, where it is not that of the controller
 */
export const certificateSigning = (ca: () => KeyPair, wallTime?: () => number): Controller =>
  defineController({
    name: "keelson-csrsigning",
    for: CertificateSigningRequest,
    async reconcile({ object, client, clock }) {
      const { signerName, usages = [], expirationSeconds } = object.spec;
      if (!(Object.values(SIGNERS) as string[]).includes(signerName) || !isApproved(object)) return undefined;
      const requested = requestIn(object);
      if (!requested) return { terminal: "expected spec.request to be a request for a certificate" };
      const wrong = problemWith(signerName, requested, usages);
      if (wrong !== undefined) return (await refuse(wrong)) ? undefined : REQUEUE_SOON;
      const lifetime = lifetimeOf(expirationSeconds, wallTime?.() ?? clock.now(), ca());
      if (!lifetime) return { terminal: "expected the CA to be good for longer than now" };
      const certificate = Buffer.from(issue(ca(), requested, { ...lifetime, usages: grantedOf(usages) })).toString(
        "base64",
      );
      const signed = { ...object, status: { ...object.status, certificate } };
      return (await writeStatus(client, CertificateSigningRequest, signed)) ? undefined : REQUEUE_SOON;

      function refuse(message: string): Promise<unknown> {
        const failed = { type: "Failed", status: "True", reason: "SignerValidationFailure", message };
        const conditions = [...(object.status?.conditions ?? []), failed];
        const status = { ...object.status, conditions };
        return writeStatus(client, CertificateSigningRequest, { ...object, status });
      }
    },
  });

/** Whether a request is approved and not signed yet. */
const isApproved = (request: CertificateSigningRequest): boolean =>
  conditionOf(request, "Approved")?.status === "True" && !conditionOf(request, "Failed") && !isIssued(request);

/** The validity of a certificate: as requested, at most a year, and not longer than the CA. */
function lifetimeOf(
  requested: number | undefined,
  now: number,
  ca: KeyPair,
): { readonly begins: number; readonly ends: number } | undefined {
  const millis = Math.min(MAX_LIFETIME_MS, Math.max(MIN_LIFETIME_MS, (requested ?? MAX_LIFETIME_MS) * 1000));
  const last = new X509Certificate(ca.cert).validToDate.getTime();
  const ends = Math.min(last, now + millis - (millis < SHORT_LIFETIME_MS ? 0 : CLOCK_SKEW_MS));
  return last > now ? { begins: now - CLOCK_SKEW_MS, ends } : undefined;
}
