/**
 * What the hook server answers to an AdmissionReview: as the path of the webhook says (see `hooks.ts`).
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";

/** An AdmissionReview with its request. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly object?: Reviewed | null;
    readonly oldObject?: Reviewed | null;
  };
}

interface Reviewed {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

type Response = Readonly<Record<string, unknown>>;
/** The members of the path: `code=403`. */
type Options = Readonly<Record<string, string>>;

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const patchOf = ({ p = "" }: Options): string => base64(Buffer.from(p, "base64url").toString());
const annotationsOf = (object: Reviewed | null | undefined): Readonly<Record<string, string>> | undefined =>
  object?.metadata?.annotations;

/** The response of a behaviour; one that is not here allows. */
const RESPONSES: Readonly<
  Record<string, (allowed: Response, options: Options, review: AdmissionReview) => Response | Promise<Response>>
> = {
  slow: async (allowed, { ms }) => {
    await pause(Number(ms));
    return allowed;
  },
  deny: (allowed, options) => {
    const status = statusOf(options);
    return { ...allowed, allowed: false, ...(Object.keys(status).length > 0 ? { status } : {}) };
  },
  patch: (allowed, options) => ({ ...allowed, patchType: options["type"] ?? "JSONPatch", patch: patchOf(options) }),
  "no-patch-type": (allowed, options) => ({ ...allowed, patch: patchOf(options) }),
  "bad-patch": (allowed) => ({ ...allowed, patchType: "JSONPatch", patch: base64("this is no patch") }),
  warn: (allowed, { w = "mind this", n = "1", deny }) => ({
    ...allowed,
    warnings: Array.from({ length: Number(n) }, (_, i) => `${w}${i || ""}`),
    ...(deny ? { allowed: false } : {}),
  }),
  audit: (allowed, { k = "k", v = "v" }) => ({ ...allowed, auditAnnotations: { [k]: v } }),
  "wrong-uid": (allowed) => ({ ...allowed, uid: "other" }),
  "no-allowed": ({ uid }) => ({ uid }),
  "own-name": (allowed, _, { request: { object, oldObject } }) => ({
    ...allowed,
    allowed: annotationsOf(object ?? oldObject)?.["allow"] !== undefined,
  }),
  stamp: (allowed, { tag = "" }, { request: { object } }) =>
    !object || annotationsOf(object)?.[tag]
      ? allowed
      : { ...allowed, patchType: "JSONPatch", patch: base64(JSON.stringify(stampOf(object, tag))) },
};

/** Behaviours that change the review around the response. */
const REVIEWS: Readonly<Record<string, (review: Response) => Response>> = {
  "wrong-kind": (review) => ({ ...review, kind: "Pod" }),
  "wrong-version": (review) => ({ ...review, apiVersion: "admission.k8s.io/v9" }),
  "no-response": ({ apiVersion, kind }) => ({ apiVersion, kind }),
};

/** The review that answers another one. */
export async function reviewed(review: AdmissionReview, behaviour: string, options: Options): Promise<Response> {
  const { apiVersion, kind, request } = review;
  const allowed = { uid: request.uid, allowed: true };
  const response = (await RESPONSES[behaviour]?.(allowed, options, review)) ?? allowed;
  const answer = { apiVersion, kind, response };
  return REVIEWS[behaviour]?.(answer) ?? answer;
}

const statusOf = ({ code, message, reason }: Options): Response => ({
  ...(code ? { code: Number(code) } : {}),
  ...(message ? { message } : {}),
  ...(reason ? { reason } : {}),
});

/** The patch that annotates an object with a tag. */
const stampOf = (object: Reviewed, tag: string): readonly unknown[] => [
  ...(annotationsOf(object) ? [] : [{ op: "add", path: "/metadata/annotations", value: {} }]),
  { op: "add", path: `/metadata/annotations/${tag}`, value: "stamped" },
];
