/**
 * Limit ranges: what containers get that do not say what they need, and to what Pods, containers and claims are held
 * (QUOTA-10..12).
 *
 * What is filled in has no owner: ownership is recorded before admission.
 *
 * @module
 */
import type { Limit, LimitRange } from "../kinds/core/v1/limit-range.ts";
import type { ContainerValue } from "../kinds/core/v1/pod/container-schema.ts";
import type { Pod } from "../kinds/core/v1/pod/defaults.ts";
import { totalLimits, totalRequests } from "../kinds/core/v1/pod/resource-totals.ts";
import type { PodSpec } from "../kinds/core/v1/pod/spec-schema.ts";
import type { Resources } from "../kinds/rules/quantities.ts";
import type { Dialect } from "../meta/dialect.ts";
import { compareQuantities, multiplyQuantities, quantitySign } from "../meta/quantity.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import { isPod } from "./pods.ts";
import { type PersistentVolumeClaim, isClaim } from "./storage.ts";

const PODS = { group: "", plural: "pods" };
const CLAIMS = { group: "", plural: "persistentvolumeclaims" };

/** Whether a request makes a Pod, or gives its containers another size: nothing else changes what they ask for. */
const isOfPod = (request: AdmissionRequest): boolean => {
  const { operation, subresource } = request;
  if (!concerns(request, PODS)) return false;
  return subresource === "" ? operation === "CREATE" : subresource === "resize" && operation === "UPDATE";
};

const isOfClaim = (request: AdmissionRequest): boolean => {
  const { operation, subresource } = request;
  return concerns(request, CLAIMS) && subresource === "" && (operation === "CREATE" || operation === "UPDATE");
};

const isLimitRange = guardOf<LimitRange>("LimitRange");
const limitsOf = (object: ApiObject): LimitRange | undefined => (isLimitRange(object) ? object : undefined);

/** The step named LimitRanger. What is being deleted may be as it is. */
export function limitRanger({ labelDomain }: Dialect): AdmissionStep {
  const annotation = `${labelDomain}/limit-ranger`;
  const ranges = ({ lookup, namespace }: AdmissionRequest) => lookup.collect("limitranges", limitsOf, namespace);
  const goes = ({ old }: AdmissionRequest): boolean => old?.metadata.deletionTimestamp !== undefined;
  return {
    name: "LimitRanger",
    resources: [PODS, CLAIMS],
    mutate(request) {
      const { object } = request;
      if (!isPod(object) || !isOfPod(request) || goes(request)) return undefined;
      return ranges(request).then((found) => {
        for (const range of found) fillIn(request, object, range, annotation);
      });
    },
    validate(request) {
      const { object } = request;
      if (!object || !(isOfPod(request) || isOfClaim(request)) || goes(request)) return undefined;
      return ranges(request).then((found) => {
        for (const { spec, metadata } of found) {
          const breaches = (spec.limits ?? []).flatMap((limit) => breachesIn(object, limit));
          if (breaches.length > 0) throw refusal(request, `${breaches.join("; ")} (LimitRange ${metadata.name})`);
        }
      });
    },
  };
}

const containersOf = ({ containers, initContainers }: PodSpec): readonly [string, readonly ContainerValue[]][] => [
  ["container", containers ?? []],
  ["init container", initContainers ?? []],
];

/** More than these would be too much for any object. */
const MOST_FILLED = 16_384;

/** Gives containers what they lack of the defaults, and the Pod an annotation that says so (QUOTA-12). */
function fillIn(request: AdmissionRequest, pod: Pod, { spec }: LimitRange, annotation: string): void {
  const limit = (spec.limits ?? []).find(({ type }) => type === "Container");
  const { default: limits = {}, defaultRequest: requests = {} } = limit ?? {};
  const all = containersOf(pod.spec);
  const count = all.reduce((sum, [, those]) => sum + those.length, 0);
  if (count * (Object.keys(limits).length + Object.keys(requests).length) > MOST_FILLED) {
    throw refusal(request, `the defaults of a LimitRange for ${count} containers are too much for an object`);
  }
  const texts = all.flatMap(([what, those]) =>
    those.flatMap((container) => {
      const filled = { request: fill(container, "requests", requests), limit: fill(container, "limits", limits) };
      return Object.entries(filled).flatMap(([part, names]) =>
        names.length > 0 ? [`${names.toSorted().join(", ")} ${part} for ${what} ${container.name}`] : [],
      );
    }),
  );
  if (texts.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${texts.join("; ")}`,
  };
}

/** Puts what a container lacks into its limits or requests; the names of it. */
function fill(container: ContainerValue, part: "limits" | "requests", defaults: Resources): string[] {
  const own = container.resources?.[part];
  const added = Object.entries(defaults).filter(([name]) => own?.[name] === undefined);
  if (added.length > 0)
    container.resources = { ...container.resources, [part]: { ...own, ...Object.fromEntries(added) } };
  return added.map(([name]) => name);
}

/** Requests and limits of a Pod, a container or a claim. */
interface Usage {
  readonly requests: Resources;
  readonly limits: Resources;
}

/** What a Pod or a claim breaks of a limit. */
function breachesIn(object: ApiObject, limit: Limit): readonly string[] {
  if (isPod(object)) return ofPods(object.spec, limit);
  return isClaim(object) ? ofClaims(object.spec, limit) : [];
}

function ofPods(pod: PodSpec, limit: Limit): readonly string[] {
  if (limit.type === "Pod") return breachesOf(limit, wholeOf(pod));
  if (limit.type !== "Container") return [];
  const breaches: string[] = [];
  for (const [, containers] of containersOf(pod)) {
    for (const { resources } of containers) {
      breaches.push(...breachesOf(limit, { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} }));
      // Each check but one that fails stands for an entry that is there, so that these few are all that can be too many.
      if (breaches.length >= MOST_TOLD) return breaches.slice(0, MOST_TOLD);
    }
  }
  return breaches;
}

/** What the containers of a Pod ask for together, or the Pod as a whole. */
function wholeOf(pod: PodSpec): Usage {
  const part = (totals: Resources, whole: Resources = {}): Resources => {
    const own = Object.entries(whole).filter(([name]) => name === "cpu" || name === "memory");
    return { ...totals, ...Object.fromEntries(own) };
  };
  return {
    requests: part(totalRequests(pod), pod.resources?.requests),
    limits: part(totalLimits(pod), pod.resources?.limits),
  };
}

/** What a claim breaks of a limit: what it asks for is held to both ends. */
function ofClaims({ resources }: PersistentVolumeClaim["spec"], { type, min, max }: Limit): readonly string[] {
  if (type !== "PersistentVolumeClaim") return [];
  const { requests = {} } = resources ?? {};
  return [...below(type, min, requests, {}), ...above(type, max, requests, undefined)];
}

const MOST_TOLD = 20;

const breachesOf = ({ type, min, max, maxLimitRequestRatio }: Limit, { requests, limits }: Usage): readonly string[] =>
  [
    ...below(type, min, requests, limits),
    ...above(type, max, requests, limits),
    ...apart(type, maxLimitRequestRatio, requests, limits),
  ].slice(0, MOST_TOLD);

/** Every request, and every limit that there is, is at least the minimum. */
function* below(type: string, min: Resources | undefined, requests: Resources, limits: Resources): Generator<string> {
  for (const [name, least] of Object.entries(min ?? {})) {
    const said = `minimum ${name} usage per ${type} is ${least}`;
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined) yield `${said}, but no request is specified`;
    else if (compareQuantities(request, least) < 0) yield `${said}, but request is ${request}`;
    else if (limit !== undefined && compareQuantities(limit, least) < 0) yield `${said}, but limit is ${limit}`;
  }
}

/** Every limit, and every request that there is, is at most the maximum; requests alone where there are no limits. */
function* above(
  type: string,
  max: Resources | undefined,
  requests: Resources,
  limits: Resources | undefined,
): Generator<string> {
  const needed = limits === undefined ? "request" : "limit";
  for (const [name, most] of Object.entries(max ?? {})) {
    const said = `maximum ${name} usage per ${type} is ${most}`;
    const [request, limit] = [requests[name], limits?.[name]];
    if ((limits === undefined ? request : limit) === undefined) yield `${said}, but no ${needed} is specified`;
    else if (limit !== undefined && compareQuantities(limit, most) > 0) yield `${said}, but limit is ${limit}`;
    else if (request !== undefined && compareQuantities(request, most) > 0) yield `${said}, but request is ${request}`;
  }
}

/** No limit exceeds its request by more than the ratio; both are there, and more than nothing. */
function* apart(
  type: string,
  ratios: Resources | undefined,
  requests: Resources,
  limits: Resources,
): Generator<string> {
  for (const [name, ratio] of Object.entries(ratios ?? {})) {
    const said = `${name} max limit to request ratio per ${type} is ${ratio}`;
    const [request = "0", limit = "0"] = [requests[name], limits[name]];
    if (quantitySign(request) === 0) yield `${said}, but no request is specified or it is 0`;
    else if (quantitySign(limit) === 0) yield `${said}, but no limit is specified or it is 0`;
    else if (compareQuantities(limit, multiplyQuantities(ratio, request)) > 0) {
      yield `${said}, but limit is ${limit} and request is ${request}`;
    }
  }
}
