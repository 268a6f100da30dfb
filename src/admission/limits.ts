/**
 * Limit ranges: the defaults of containers without requests or limits, and the bounds of Pods, containers and claims (QUOTA-10..12).
 *
 * Fields with defaults have no owner: ownership is recorded before admission.
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
import { compareQuantities, multiplyQuantities, quantitySign, wholeNumber } from "../meta/quantity.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Clock } from "../util/clock.ts";
import { forEachOf, inSlices } from "../util/steps.ts";
import { ByNamespace } from "./by-namespace.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import { isPod } from "./pods.ts";
import { type PersistentVolumeClaim, isClaim } from "./storage.ts";

const PODS = { group: "", plural: "pods" };
const CLAIMS = { group: "", plural: "persistentvolumeclaims" };

/** The most violations that a refusal shows. */
const MAX_SHOWN = 20;

/** Whether a request creates a Pod, or resizes its containers: no other write changes what they request. */
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

/** The parts that the step needs. */
export interface LimitParts {
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "loop">;
  /** Reads stored objects, for the cache between requests. */
  readonly lookup: Lookup;
}

/** The step named LimitRanger. An object that is being deleted may stay as it is. */
export function limitRanger({ dialect, clock, lookup }: LimitParts): AdmissionStep {
  const annotation = `${dialect.labelDomain}/limit-ranger`;
  const ranges = new ByNamespace({ lookup, loop: clock.loop }, "limitranges", limitsOf);
  const isDeleted = ({ old }: AdmissionRequest): boolean => old?.metadata.deletionTimestamp !== undefined;
  const inRanges = (found: Iterable<LimitRange>, work: (range: LimitRange) => void): void | Promise<void> =>
    inSlices(forEachOf(found, true, work), clock.loop.slice());
  const withEach = (request: AdmissionRequest, work: (range: LimitRange) => void): void | Promise<void> => {
    const found = ranges.in(request.namespace, request.lookup);
    if (found instanceof Promise) return found.then((all) => all && inRanges(all, work));
    return found && inRanges(found, work);
  };
  return {
    name: "LimitRanger",
    resources: [PODS, CLAIMS],
    mutate(request) {
      const { object } = request;
      if (!isPod(object) || !isOfPod(request) || isDeleted(request)) return undefined;
      return withEach(request, (range) => fillIn(request, object, range, annotation));
    },
    validate(request) {
      const { object } = request;
      if (!object || !(isOfPod(request) || isOfClaim(request)) || isDeleted(request)) return undefined;
      return withEach(request, (range) => checkRange(request, object, range));
    },
  };
}

/** Throws 403 where an object breaks the limits of a range. */
function checkRange(request: AdmissionRequest, object: ApiObject, { spec }: LimitRange): void {
  const breaches = new Set((spec.limits ?? []).flatMap((limit) => breachesIn(object, limit)));
  if (breaches.size === 0) return;
  const texts = [...breaches].slice(0, MAX_SHOWN);
  throw refusal(request, texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`);
}

const containersOf = ({ containers, initContainers }: PodSpec): readonly [string, readonly ContainerValue[]][] => [
  ["container", containers ?? []],
  ["init container", initContainers ?? []],
];

/** A limit above the number of any real object. */
const MAX_FILLED = 16_384;

/** Gives containers the missing defaults, and the Pod an annotation that lists them (QUOTA-12). */
function fillIn(request: AdmissionRequest, pod: Pod, { spec }: LimitRange, annotation: string): void {
  const limit = (spec.limits ?? []).find(({ type }) => type === "Container");
  const { default: limits = {}, defaultRequest: requests = {} } = limit ?? {};
  const all = containersOf(pod.spec);
  const count = all.reduce((sum, [, those]) => sum + those.length, 0);
  if (count * (Object.keys(limits).length + Object.keys(requests).length) > MAX_FILLED) {
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

/** Adds the missing defaults to the limits or requests of a container; returns their names. */
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

/** The violations of a limit by a Pod or a claim. */
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
      // Each failing check but one stands for an existing entry, so only these few can exceed the maximum.
      if (breaches.length >= MAX_SHOWN) return breaches.slice(0, MAX_SHOWN);
    }
  }
  return breaches;
}

/** The requests of the containers of a Pod together, or those of the Pod as a whole. */
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

/** The violations of a limit by a claim: its request is compared with both ends. */
function ofClaims({ resources }: PersistentVolumeClaim["spec"], { type, min, max }: Limit): readonly string[] {
  if (type !== "PersistentVolumeClaim") return [];
  const { requests = {} } = resources ?? {};
  return [...below(type, min, requests, {}), ...above(type, max, requests, undefined)];
}

const breachesOf = ({ type, min, max, maxLimitRequestRatio }: Limit, { requests, limits }: Usage): readonly string[] =>
  [
    ...below(type, min, requests, limits),
    ...above(type, max, requests, limits),
    ...apart(type, maxLimitRequestRatio, requests, limits),
  ].slice(0, MAX_SHOWN);

/** Every request, and every limit that is set, is at least the minimum. */
function* below(type: string, min: Resources | undefined, requests: Resources, limits: Resources): Generator<string> {
  for (const [name, least] of Object.entries(min ?? {})) {
    const text = `minimum ${name} usage per ${type} is ${least}`;
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined) yield `${text}.  No request is specified`;
    else if (compareQuantities(request, least) < 0) yield `${text}, but request is ${request}`;
    else if (limit !== undefined && compareQuantities(limit, least) < 0) yield `${text}, but limit is ${limit}`;
  }
}

/** Every limit, and every request that is set, is at most the maximum; requests alone where there are no limits. */
function* above(
  type: string,
  max: Resources | undefined,
  requests: Resources,
  limits: Resources | undefined,
): Generator<string> {
  const needed = limits === undefined ? "request" : "limit";
  for (const [name, most] of Object.entries(max ?? {})) {
    const text = `maximum ${name} usage per ${type} is ${most}`;
    const [request, limit] = [requests[name], limits?.[name]];
    if ((limits === undefined ? request : limit) === undefined) yield `${text}.  No ${needed} is specified`;
    else if (limit !== undefined && compareQuantities(limit, most) > 0) yield `${text}, but limit is ${limit}`;
    else if (request !== undefined && compareQuantities(request, most) > 0) yield `${text}, but request is ${request}`;
  }
}

/** No limit exceeds its request by more than the ratio; both are set, and more than 0. */
function* apart(
  type: string,
  ratios: Resources | undefined,
  requests: Resources,
  limits: Resources,
): Generator<string> {
  for (const [name, ratio] of Object.entries(ratios ?? {})) {
    const text = `${name} max limit to request ratio per ${type} is ${ratio}`;
    const [request = "0", limit = "0"] = [requests[name], limits[name]];
    if (quantitySign(request) === 0) yield `${text}, but no request is specified or request is 0`;
    else if (quantitySign(limit) === 0) yield `${text}, but no limit is specified or limit is 0`;
    else if (compareQuantities(limit, multiplyQuantities(ratio, request)) > 0) {
      yield `${text}, but provided ratio is ${ratioOf(limit, request)}`;
    }
  }
}

/** Larger quantities are shown without thousandths. */
const MAX_WITH_THOUSANDTHS = "9223372036854775";

/** A ratio with six decimal places. */
function ratioOf(limit: string, request: string): string {
  const isLarge = [limit, request].some((one) => compareQuantities(one, MAX_WITH_THOUSANDTHS) > 0);
  const [dividend, divisor] = [limit, request].map((one) =>
    Number(wholeNumber(isLarge ? one : multiplyQuantities(one, "1000"))),
  );
  return (dividend! / divisor!).toFixed(6);
}
