/**
 * Checks the response of a webhook. Every member is validated: it must have its type, and belong to this review.
 *
 * @module
 */
import type { StatusCause, StatusDetails } from "../../meta/status.ts";
import { goQuoted } from "../../util/go-quote.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import type { ReviewVersion } from "./configuration.ts";
import type { RefusalStatus } from "./errors.ts";

/** A valid response. */
export interface ReviewResponse {
  readonly allowed: boolean;
  readonly status: RefusalStatus;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** The bytes of the patch; undefined where there is none. */
  readonly patch: Buffer | undefined;
  readonly patchType: string;
}

/** The review that a response must belong to. */
export interface ExpectedReview {
  readonly uid: string;
  readonly version: ReviewVersion;
  /** Whether it may have a patch. */
  readonly isMutating: boolean;
}

/** Throws an error that names the fault of a response. */
export class InvalidResponse extends Error {
  override readonly name = "InvalidResponse";
}

const refuse = (why: string): never => {
  throw new InvalidResponse(why);
};

/** Reads a response. @throws InvalidResponse */
export function readResponse(review: Value, expected: ExpectedReview): ReviewResponse {
  if (!isObject(review)) return refuse(`expected an AdmissionReview, got ${nameOf(review)}`);
  const response = review["response"];
  if (response === undefined || response === null) return refuse("webhook response was absent");
  if (!isObject(response)) return refuse(`expected response to be an object, got ${nameOf(response)}`);
  if (expected.version === "v1") checkReview(review, response, expected.uid);
  return {
    allowed: member(response, "allowed", "boolean") ?? false,
    status: statusOf(response),
    warnings: textsOf(response, "warnings"),
    auditAnnotations: textMapOf(response, "auditAnnotations"),
    ...(expected.version === "v1"
      ? patchOf(response, expected.isMutating)
      : betaPatchOf(response, expected.isMutating)),
  };
}

/** A review of v1 names the request and its own kind. */
function checkReview({ apiVersion, kind }: ValueObject, response: ValueObject, uid: string): void {
  const returned = member(response, "uid", "string") ?? "";
  if (returned !== uid) refuse(`expected response.uid=${goQuoted(uid)}, got ${goQuoted(returned)}`);
  if (apiVersion === "admission.k8s.io/v1" && kind === "AdmissionReview") return;
  const got = `${textOf(apiVersion)}, Kind=${textOf(kind)}`;
  refuse(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
}

type Patch = Pick<ReviewResponse, "patch" | "patchType">;

function patchOf(response: ValueObject, isMutating: boolean): Patch {
  const patch = bytesOf(response);
  const patchType = member(response, "patchType", "string");
  if (!isMutating) {
    if (patch) refuse("validating webhook may not return response.patch");
    if (patchType !== undefined) refuse("validating webhook may not return response.patchType");
  }
  if (patch && patchType === undefined) refuse("webhook returned response.patch but not response.patchType");
  if (!patch && patchType !== undefined) refuse("webhook returned response.patchType but not response.patch");
  if (patchType === "") refuse('webhook returned invalid response.patchType of ""');
  return { patch, patchType: patchType ?? "" };
}

/** v1beta1 has one type of patches, which is not named. */
function betaPatchOf(response: ValueObject, isMutating: boolean): Patch {
  const patch = bytesOf(response);
  return isMutating && patch ? { patch, patchType: "JSONPatch" } : { patch: undefined, patchType: "" };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of the patch; undefined for an empty one. */
function bytesOf(response: ValueObject): Buffer | undefined {
  const text = (member(response, "patch", "string") ?? "").replaceAll(/[\r\n]/g, "");
  if (text.length % 4 !== 0 || !BASE64.test(text)) refuse("expected response.patch to be base64, got another text");
  return text === "" ? undefined : Buffer.from(text, "base64");
}

/** The members of a response's status that are used. */
function statusOf(response: ValueObject): RefusalStatus {
  const found = member(response, "status", "object");
  if (!found) return {};
  const code = member(found, "code", "number");
  const details = member(found, "details", "object");
  const texts = ["message", "reason", "status"] as const;
  return {
    ...Object.fromEntries(texts.map((name) => [name, member(found, name, "string") ?? ""])),
    ...(code === undefined ? {} : { code: Math.trunc(code) }),
    ...(details ? { details: detailsOf(details) } : {}),
  };
}

function detailsOf(details: ValueObject): StatusDetails {
  const texts = ["name", "group", "kind", "uid"] as const;
  const causes = details["causes"];
  const retryAfterSeconds = member(details, "retryAfterSeconds", "number");
  const named = texts.map((name) => [name, member(details, name, "string")] as const);
  return {
    ...Object.fromEntries(named.filter(([, text]) => text)),
    ...(Array.isArray(causes) && causes.length > 0
      ? { causes: causes.filter((one) => isObject(one)).map(causeOf) }
      : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.trunc(retryAfterSeconds) }),
  };
}

/** A cause as a webhook has sent it: its reason need not be a known one. */
const causeOf = (cause: ValueObject): StatusCause =>
  Object.fromEntries(
    ["reason", "message", "field"]
      .map((name) => [name, member(cause, name, "string") ?? ""])
      .filter(([, text]) => text !== ""),
  ) as unknown as StatusCause;

interface Types {
  readonly boolean: boolean;
  readonly string: string;
  readonly number: number;
  readonly object: ValueObject;
}

/** A member of a type; undefined where it is missing or null. */
function member<T extends keyof Types>(object: ValueObject, name: string, type: T): Types[T] | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined || value === null) return undefined;
  const fits = type === "object" ? isObject(value) : typeof value === type;
  return fits ? (value as Types[T]) : refuse(`expected ${name} to be of the type ${type}, got ${nameOf(value)}`);
}

function textsOf(object: ValueObject, name: string): readonly string[] {
  const list = object[name] ?? [];
  if (!Array.isArray(list)) return refuse(`expected ${name} to be a list, got ${nameOf(list)}`);
  const isTexts = list.every((one) => typeof one === "string");
  return isTexts ? list : refuse(`expected ${name} to have strings only`);
}

function textMapOf(object: ValueObject, name: string): Readonly<Record<string, string>> {
  const map = member(object, name, "object") ?? {};
  const isTexts = Object.values(map).every((one) => typeof one === "string");
  return isTexts ? (map as Record<string, string>) : refuse(`expected ${name} to have strings only`);
}

const textOf = (value: Value | undefined): string => (typeof value === "string" ? value.slice(0, 200) : "");

const nameOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
