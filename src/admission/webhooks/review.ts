/**
 * The AdmissionReview that a webhook gets (HOOK-20, HOOK-21).
 *
 * @module
 */
import type { Identity } from "../../auth/contract.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { exactText } from "../../value/exact-text.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { MatchedResource } from "../rules/contract.ts";
import { optionsOf } from "../rules/options.ts";
import { namespaceOf, requestedResource } from "../rules/request.ts";
import type { ReviewVersion } from "./configuration.ts";

/** More than the members besides the objects take, unless a user has many groups. */
const HEAD_BYTES = 4096;

/** The texts of objects, which several webhooks get; kept until the last review is written. */
export class ObjectTexts {
  readonly #texts = new Map<ApiObject, string>();
  #reviews: number;

  /** @param reviews how many reviews are written of the same objects */
  constructor(reviews: number) {
    this.#reviews = reviews;
  }

  of(object: ApiObject | undefined): string {
    if (!object) return "null";
    let text = this.#texts.get(object);
    if (text === undefined) this.#texts.set(object, (text = exactText(object)));
    return text;
  }

  /** The approximate size in bytes of a review of a request. */
  sizeOf({ object, old }: Pick<AdmissionRequest, "object" | "old">): number {
    return HEAD_BYTES + this.of(object).length + this.of(old).length;
  }

  /** A review is written. */
  written(): void {
    if (--this.#reviews <= 0) this.#texts.clear();
  }
}

/** The subject of a review. */
export interface ReviewedRequest {
  readonly request: AdmissionRequest;
  readonly matched: MatchedResource;
  /** The request in the version that the rule names. */
  readonly shown: AdmissionRequest;
}

/** The text of a review. */
export function reviewText(version: ReviewVersion, uid: string, reviewed: ReviewedRequest, texts: ObjectTexts): string {
  const { request, shown } = reviewed;
  const head = JSON.stringify({ uid, ...headOf(reviewed) });
  const tail = JSON.stringify({ dryRun: request.options.dryRun, options: optionsOf(request) });
  const objects = `"object":${texts.of(shown.object)},"oldObject":${texts.of(shown.old)}`;
  texts.written();
  const members = `${head.slice(0, -1)},${objects},${tail.slice(1)}`;
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${members}}`;
}

function headOf({ request, matched }: ReviewedRequest): object {
  const { subresource, name, operation, identity } = request;
  const requested = requestedResource(request);
  const namespace = namespaceOf(request);
  const optional = (member: string, text: string): object => (text === "" ? {} : { [member]: text });
  return {
    kind: matched.kind,
    resource: matched.resource,
    ...optional("subResource", subresource),
    requestKind: requested.kind,
    requestResource: requested.resource,
    ...optional("requestSubResource", subresource),
    ...optional("name", name),
    ...optional("namespace", namespace),
    operation,
    userInfo: userInfo(identity),
  };
}

const userInfo = ({ user, uid, groups, extra }: Identity): object => ({
  ...(user === "" ? {} : { username: user }),
  ...(uid ? { uid } : {}),
  ...(groups.length === 0 ? {} : { groups }),
  ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
});
