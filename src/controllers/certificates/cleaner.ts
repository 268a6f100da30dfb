/**
 * Deletes old certificate requests: an hour after the decision, pending ones after a day, and those whose certificate
 * has expired (CERT-10); requests of Pods after 15 minutes.
 */
import { CertificateSigningRequest, PodCertificateRequest } from "../../client/kinds/index.ts";
import { parseTime } from "../../meta/time.ts";
import { firstCertificate } from "../../pki/index.ts";
import { type Controller, defineController } from "../../runtime/index.ts";
import { deleteObject } from "../../runtime/writes.ts";
import { conditionOf, isIssued, textOf } from "./requests.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** After this time the node has created another request. */
const POD_REQUEST_TTL_MS = HOUR_MS / 4;

/** The controller named `csrcleaner`. */
export const certificateCleaner: Controller = defineController({
  name: "keelson-csrcleaner",
  for: CertificateSigningRequest,
  async reconcile({ object, client, clock }) {
    const left = endOf(object) - clock.now();
    if (left > 0) return Number.isFinite(left) ? { requeueAfter: left } : undefined;
    const { resourceVersion } = object.metadata;
    await deleteObject(client, CertificateSigningRequest, object, { resourceVersion });
    return undefined;
  },
});

/** The controller named `podcertificaterequestcleaner`. */
export const podCertificateCleaner: Controller = defineController({
  name: "keelson-podcertificaterequestcleaner",
  for: PodCertificateRequest,
  async reconcile({ object, client, clock }) {
    const left = (parseTime(object.metadata.creationTimestamp ?? "") ?? 0) + POD_REQUEST_TTL_MS - clock.now();
    if (left > 0) return { requeueAfter: left };
    await deleteObject(client, PodCertificateRequest, object);
    return undefined;
  },
});

/** When a request can be deleted, in milliseconds since the epoch; Infinity where it is undecided. */
function endOf(request: CertificateSigningRequest): number {
  const since = (type: string): number => parseTime(conditionOf(request, type)?.lastUpdateTime ?? "") ?? Infinity;
  const ended = firstCertificate(textOf(request.status?.certificate))?.validToDate.getTime() ?? Infinity;
  const isPending = !request.status?.conditions?.length;
  return Math.min(
    since("Denied") + HOUR_MS,
    since("Failed") + HOUR_MS,
    since("Approved") + (isIssued(request) ? HOUR_MS : DAY_MS),
    isPending ? (parseTime(request.metadata.creationTimestamp ?? "") ?? Infinity) + DAY_MS : Infinity,
    ended,
  );
}
