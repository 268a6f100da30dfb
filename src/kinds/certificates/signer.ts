/**
 * Names of signers, which issue certificates for requests, or are the subject of a bundle (CERT-3).
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../meta/names.ts";

const MAX_DOMAIN_LENGTH = 253;
/** A domain, a slash, and space for a namespace and a name after it. */
const MAX_SIGNER_LENGTH = MAX_DOMAIN_LENGTH + 1 + 253 + 63 + 1;

/** All faults of the name of a signer: `DOMAIN/PATH`, both of DNS labels, the domain with a dot. */
export function validateSigner(name: string, field: string, errors: FieldErrors): void {
  if (name === "") return errors.required(field, "expected the name of a signer, such as 'example.com/signer'");
  const [domain = "", path = "", ...more] = name.split("/", 3);
  if (!name.includes("/") || more.length > 0) {
    return errors.invalid(field, name, "expected a domain, one '/', and a path, such as 'example.com/signer'");
  }
  if (domain.length > MAX_DOMAIN_LENGTH) errors.tooLong(field, MAX_DOMAIN_LENGTH);
  const labels = domain.split(".");
  const wrong = firstWrong(labels, dnsLabel);
  if (wrong !== undefined) errors.invalid(field, domain, `${wrong}, in front of '/'`);
  if (labels.length < 2) errors.invalid(field, domain, "expected a domain of at least two parts");
  const wrongPath = firstWrong(path.split("."), dnsSubdomain);
  if (wrongPath !== undefined) errors.invalid(field, path, `${wrongPath}, behind '/'`);
  if (name.length > MAX_SIGNER_LENGTH) errors.tooLong(field, MAX_SIGNER_LENGTH);
}

/** The fault of the first invalid part. */
function firstWrong(parts: readonly string[], check: (part: string) => string | undefined): string | undefined {
  const part = parts.find((one) => check(one) !== undefined);
  return part === undefined ? undefined : check(part);
}

/** Whether a signer is one of `kubernetes.io` or a domain below it. */
export const isOfKubernetes = (signer: string): boolean => /^(?:[^/]*\.)?kubernetes\.io(?:\/|$)/.test(signer);

/** The column of a signer. */
export const shownSigner = (signer: string | undefined): string => signer || "<none>";
