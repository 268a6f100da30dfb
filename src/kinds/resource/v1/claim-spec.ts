/**
 * The spec of a claim: requested devices, and constraints of all of them (KIND-ResourceClaim-1..3). Claims and templates of claims have it.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import type { WriteContext } from "../../../schema/definition.ts";
import { nearest } from "../../rules/counts.ts";
import type { Feature } from "../../rules/gated-field.ts";
import { CONFIGURATION, validateConfiguration } from "./configuration.ts";
import { checkList, checkSet } from "./lists.ts";
import { tell, validateFullName } from "./names.ts";
import { type Placed, expressionsOf, selectors, validateSelectors } from "./selectors.ts";
import { tolerations, validateToleration } from "./taints.ts";

/** The devices of a request, or of one of its alternatives. */
const DEVICES = {
  deviceClassName: t.required(t.text("The DeviceClass that the devices are of.")),
  selectors: selectors("Further expressions that must all be true for each device; at most 32."),
  allocationMode: t.optional(t.text("ExactCount: `count` devices; All: all matching devices. ExactCount by default.")),
  count: t.optional(t.int64("How many, for ExactCount; 1 by default.")),
} as const;

const MORE = {
  tolerations,
  capacity: t.pointer(
    t.struct("The requested capacity of each device.", {
      requests: t.optional(t.map(t.quantity(), "Amounts by the names of the capacities.")),
    }),
  ),
} as const;

const Exactly = t.struct("A class of devices.", {
  ...DEVICES,
  adminAccess: t.pointer(
    t.bool("Whether to look after devices that others use; for namespaces that are marked for it."),
  ),
  ...MORE,
});

const SubRequest = t.struct("Devices that would do.", {
  name: t.required(t.text("The name of it, a DNS label.")),
  ...DEVICES,
  ...MORE,
});

const Request = t.struct("Requested devices.", {
  name: t.required(t.text("The name of the request, a DNS label.")),
  exactly: t.pointer(Exactly),
  firstAvailable: t.optional(
    t.atomicList(SubRequest, "Devices of several sorts, of which the first do that can be had; at most 8."),
  ),
});

const ofRequests = (description: string) => t.optional(t.atomicList(t.text(), description));

const Constraint = t.struct("A constraint of several devices.", {
  requests: ofRequests(
    "The requests whose devices it is about, as `request` or `request/alternative`; all by default.",
  ),
  matchAttribute: t.pointer(t.text("An attribute that is the same in all of them, with its domain.")),
  distinctAttribute: t.pointer(t.text("An attribute that differs in all of them, with its domain.")),
});

const Configuration = t.struct("A configuration of devices.", {
  requests: ofRequests("The requests whose devices it is for, as `request` or `request/alternative`; all by default."),
  ...CONFIGURATION,
});

/** The schema of the requests of a claim. */
export const ClaimSpecSchema = t.struct("The requests of the claim.", {
  devices: t.always(
    t.struct("Devices.", {
      requests: t.nullable(t.atomicList(Request, "The requested devices; at most 32.")),
      constraints: t.optional(t.atomicList(Constraint, "Constraints of several of them; at most 32.")),
      config: t.optional(t.atomicList(Configuration, "Configurations for drivers; at most 32.")),
    }),
  ),
});

/** The requests of a claim. */
export type ClaimSpec = t.Static<typeof ClaimSpecSchema>;

/** The class and the number of devices of a request. */
export type RequestedDevices = t.Static<typeof SubRequest> | t.Static<typeof Exactly>;

type RequestValue = t.Static<typeof Request>;

const requestsOf = (spec: Partial<ClaimSpec> | undefined): readonly RequestValue[] => spec?.devices?.requests ?? [];

/** All requests and alternatives, with their paths. */
function* askedOf(spec: Partial<ClaimSpec> | undefined, at: string): Iterable<readonly [RequestedDevices, string]> {
  for (const [i, { exactly, firstAvailable = [] }] of requestsOf(spec).entries()) {
    const place = `${at}.devices.requests[${i}]`;
    if (exactly) yield [exactly, `${place}.exactly`];
    for (const [j, one] of firstAvailable.entries()) yield [one, `${place}.firstAvailable[${j}]`];
  }
}

/** Sets the default of one device for each request; changes `spec`. */
export function defaultClaimSpec(spec: Partial<ClaimSpec> | undefined): void {
  for (const [asked] of askedOf(spec, "")) {
    asked.allocationMode ||= "ExactCount";
    if (asked.allocationMode === "ExactCount") asked.count ||= 1;
  }
}

const requestPlaces = (spec: ClaimSpec, at: string): (readonly [RequestValue, string])[] =>
  requestsOf(spec).map((request, i) => [request, `${at}.devices.requests[${i}]`]);

/** The gated features of a request at a path. */
export const specFeatures = (at: string): readonly Feature<ClaimSpec>[] => [
  {
    gate: "DRAPrioritizedList",
    members: (spec) => requestPlaces(spec, at).map(([request, place]) => [request, place, ["firstAvailable"]]),
  },
  {
    gate: "DRADeviceTaints",
    members: (spec) => [...askedOf(spec, at)].map(([asked, place]) => [asked, place, ["tolerations"]]),
  },
  {
    gate: "DRAAdminAccess",
    members: (spec) =>
      requestPlaces(spec, at).map(([{ exactly }, place]) => [exactly, `${place}.exactly`, ["adminAccess"]]),
  },
  {
    gate: "DRAConsumableCapacity",
    *members(spec) {
      for (const [i, constraint] of (spec.devices.constraints ?? []).entries()) {
        yield [constraint, `${at}.devices.constraints[${i}]`, ["distinctAttribute"]];
      }
      for (const [asked, place] of askedOf(spec, at)) yield [asked, place, ["capacity"]];
    },
  },
];

/** The names of requests and of their alternatives, as in references. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** The names of the requests of a claim. */
export const requestNames = (spec: ClaimSpec): RequestNames =>
  new Map(
    requestsOf(spec).map(({ name, firstAvailable = [] }) => [
      name,
      new Set(firstAvailable.map((alternative) => alternative.name)),
    ]),
  );

const EXPECTED = "expected the name of a request, or one with '/' and the name of an alternative of it";

/** Reports names of no request, and of no alternative of one. */
export function validateReference(reference: string, names: RequestNames, field: string, errors: FieldErrors): void {
  const parts = reference.split("/");
  if (parts.length > 2) return errors.invalid(field, reference, EXPECTED);
  for (const part of parts) tell(part, dnsLabel, field, errors);
  const [request = "", alternative] = parts;
  const alternatives = names.get(request);
  if (!alternatives || (alternative !== undefined && !alternatives.has(alternative))) {
    errors.invalid(field, reference, EXPECTED);
  }
}

const MAX_ENTRIES = 32;
const MAX_ALTERNATIVES = 8;

/** The same for a list of them, each once. */
export function validateReferences(
  references: readonly string[] | undefined,
  names: RequestNames,
  field: string,
  errors: FieldErrors,
): void {
  const check = (reference: string, at: string): void => validateReference(reference, names, at, errors);
  checkSet(references, MAX_ENTRIES, field, errors, check, (reference) => reference);
}

/** Validates the requests, without the expressions of selectors. */
export function validateClaimSpec(spec: ClaimSpec, at: string, errors: FieldErrors, ctx: WriteContext): void {
  const { requests, constraints, config } = spec.devices;
  const names = requestNames(spec);
  const field = `${at}.devices`;
  checkSet(
    requests,
    MAX_ENTRIES,
    `${field}.requests`,
    errors,
    (request, place) => validateRequest(request, place, errors),
    ({ name }) => name,
  );
  checkList(constraints, MAX_ENTRIES, `${field}.constraints`, errors, (constraint, place) => {
    validateReferences(constraint.requests, names, `${place}.requests`, errors);
    validateConstraint(constraint, place, errors, ctx);
  });
  checkList(config, MAX_ENTRIES, `${field}.config`, errors, (configuration, place) => {
    validateReferences(configuration.requests, names, `${place}.requests`, errors);
    validateConfiguration(configuration, place, errors);
  });
}

function validateRequest({ name, exactly, firstAvailable = [] }: RequestValue, at: string, errors: FieldErrors): void {
  tell(name, dnsLabel, `${at}.name`, errors);
  const hasAlternatives = firstAvailable.length > 0;
  if (!exactly && !hasAlternatives) errors.required(at, "expected exactly or firstAvailable");
  else if (exactly && hasAlternatives) errors.invalid(at, name, "expected either exactly or firstAvailable, got both");
  else if (exactly) validateAsked(exactly, `${at}.exactly`, errors);
  else {
    const check = (alternative: t.Static<typeof SubRequest>, place: string): void => {
      tell(alternative.name, dnsLabel, `${place}.name`, errors);
      validateAsked(alternative, place, errors);
    };
    checkSet(
      firstAvailable,
      MAX_ALTERNATIVES,
      `${at}.firstAvailable`,
      errors,
      check,
      (alternative) => alternative.name,
    );
  }
}

function validateAsked(asked: RequestedDevices, at: string, errors: FieldErrors): void {
  const { deviceClassName: className, tolerations: tolerated = [] } = asked;
  if (className === "") errors.required(`${at}.deviceClassName`, "expected the name of a DeviceClass");
  else tell(className, dnsSubdomain, `${at}.deviceClassName`, errors);
  validateSelectors(asked.selectors, `${at}.selectors`, errors);
  validateCount(asked, at, errors);
  tolerated.forEach((toleration, i) => validateToleration(toleration, `${at}.tolerations[${i}]`, errors));
}

const MODES = ["All", "ExactCount"];

function validateCount(
  { allocationMode: mode = "", count = 0 }: RequestedDevices,
  at: string,
  errors: FieldErrors,
): void {
  const number = nearest(count);
  if (!MODES.includes(mode)) errors.notSupported(`${at}.allocationMode`, mode, MODES);
  else if (mode === "All" && number !== 0) errors.invalid(`${at}.count`, count, "expected none for All");
  else if (mode === "ExactCount" && number <= 0) errors.invalid(`${at}.count`, count, "expected 1 or more");
}

function validateConstraint(
  { matchAttribute, distinctAttribute }: t.Static<typeof Constraint>,
  at: string,
  errors: FieldErrors,
  { gates }: WriteContext,
): void {
  if (matchAttribute !== undefined) validateFullName(matchAttribute, `${at}.matchAttribute`, errors);
  else if (distinctAttribute !== undefined) validateFullName(distinctAttribute, `${at}.distinctAttribute`, errors);
  else if (gates.DRAConsumableCapacity) errors.required(at, "expected matchAttribute or distinctAttribute");
  else errors.required(`${at}.matchAttribute`, "expected the name of an attribute");
}

/** The expressions of selectors to validate: those of requests without other faults. */
export function* claimExpressions(spec: ClaimSpec, at: string): Iterable<Placed> {
  if (requestsOf(spec).length > MAX_ENTRIES) return;
  for (const [{ exactly, firstAvailable = [] }, place] of requestPlaces(spec, at)) {
    if (exactly && firstAvailable.length > 0) continue;
    if (exactly) yield* expressionsOf(exactly.selectors, `${place}.exactly.selectors`);
    if (firstAvailable.length > MAX_ALTERNATIVES) continue;
    for (const [j, one] of firstAvailable.entries()) {
      yield* expressionsOf(one.selectors, `${place}.firstAvailable[${j}].selectors`);
    }
  }
}

/** Reports a request for admin access in a namespace without the label for it. The field has no path elements that later versions added. */
export function validateAdminAccess(spec: ClaimSpec, namespace: string, errors: FieldErrors, ctx: WriteContext): void {
  const i = requestsOf(spec).findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (i >= 0) demandAdminAccess(`spec.devices.requests[${i}].adminAccess`, namespace, errors, ctx);
}

/** Reports admin access at `field`, unless the namespace has the label for it. */
export function demandAdminAccess(field: string, namespace: string, errors: FieldErrors, ctx: WriteContext): void {
  const label = `resource.${ctx.dialect.labelDomain}/admin-access`;
  if (ctx.namespaceLabels?.(namespace)?.[label] === "true") return;
  errors.forbidden(field, `expected the namespace to have the label ${label}: "true"`);
}
