/**
 * Why a webhook stops a request, in the words of kube-apiserver.
 *
 * @module
 */
import { type ApiError, type Status, badRequest, failedInside, refusedBy } from "../../meta/status.ts";
import { codeOf, messageOf } from "../../util/error.ts";
import { ResponseTimeout } from "../../hooks/response.ts";
import { goQuoted } from "../../util/go-quote.ts";

/** A webhook could not be called, or its response cannot be used: its failure policy decides (HOOK-24). */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  /** The code in metrics. */
  readonly code: number;

  constructor(webhook: string, why: string, code: number, cause?: unknown) {
    super(`failed calling webhook ${goQuoted(webhook)}: ${why}`, { cause });
    this.code = code;
  }
}

const UNAVAILABLE = 503;
const INTERNAL = 500;
const BAD_REQUEST = 400;

/** The webhook has sent no response that can be read. */
export const callFailure = (webhook: string, url: string, error: unknown): CallFailure =>
  new CallFailure(webhook, `failed to call webhook: Post ${goQuoted(url)}: ${whyOf(error)}`, UNAVAILABLE, error);

/** There is no address to call. */
export const addressFailure = (webhook: string, error: unknown): CallFailure =>
  new CallFailure(webhook, `failed to call webhook: ${messageOf(error)}`, INTERNAL, error);

/** The response is no valid review. */
export const responseFailure = (webhook: string, why: string): CallFailure =>
  new CallFailure(webhook, `received invalid webhook response: ${why}`, UNAVAILABLE);

/** The patch of a response cannot be read. */
export const patchFailure = (webhook: string, why: string): CallFailure =>
  new CallFailure(webhook, `received undecodable patch in webhook response: ${why}`, UNAVAILABLE);

/** The type of the patch is not known. */
export const patchTypeFailure = (webhook: string, type: string): CallFailure =>
  new CallFailure(webhook, `unsupported patch type ${goQuoted(type)}`, BAD_REQUEST);

/** The webhook does not know the versions of AdmissionReview. */
export const versionFailure = (webhook: string): CallFailure =>
  new CallFailure(
    webhook,
    "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    BAD_REQUEST,
  );

/** The errors of sockets and of TLS in the messages of kube-apiserver, which people search for. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  ECONNRESET: "EOF",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "no such host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  SELF_SIGNED_CERT_IN_CHAIN: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  CERT_HAS_EXPIRED: "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
  CERT_NOT_YET_VALID: "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
};

function whyOf(error: unknown): string {
  if (error instanceof ResponseTimeout) return `context deadline exceeded: ${error.message}`;
  const words = WORDS[codeOf(error) ?? ""];
  return words === undefined ? messageOf(error) : `${words}: ${messageOf(error)}`;
}

/** 500: the failure of a webhook whose policy is Fail, or a change that cannot be made, whatever the policy is (HOOK-25). */
export const failed = (why: string): ApiError => failedInside(why);

/** 400 for a dry run. */
export const dryRunUnsupported = (webhook: string): ApiError =>
  badRequest(`admission webhook ${goQuoted(webhook)} does not support dry run`);

/** A mutating webhook has sent a patch for a request without an object. */
export const nothingToPatch = (webhook: string): ApiError =>
  failed(
    `admission webhook ${goQuoted(webhook)} attempted to modify the object, which is not supported for this operation`,
  );

/** The status of a refusal, as far as a webhook has sent it. */
export type RefusalStatus = Partial<Pick<Status, "message" | "code" | "details">> & {
  readonly reason?: string;
  readonly status?: string;
};

/** The refusal of a webhook: its code from 400 on, its reason, and its message after its name (HOOK-22). */
export function denied(
  webhook: string,
  { message = "", reason = "", code = 0, details, status }: RefusalStatus,
): ApiError {
  const by = `admission webhook ${goQuoted(webhook)} denied the request`;
  const words = message || reason;
  return refusedBy({
    status: status === undefined || status === "" || status === "Success" ? "Failure" : status,
    message: words === "" ? `${by} without explanation` : `${by}: ${words}`,
    code: code < BAD_REQUEST ? BAD_REQUEST : code,
    ...(reason === "" ? {} : { reason }),
    ...(details ? { details } : {}),
  });
}
