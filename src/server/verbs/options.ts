/**
 * The options of every verb, from the query (and for deletions from the body), with all of their faults.
 *
 * An option that cannot be read gets 400 (a limit that is no number); one that can be read and is not allowed gets 422 with
 * the name of the options as kind (DEC-18..28).
 *
 * @module
 */
import { checkDeleteOptions, readDryRun } from "../../meta/delete-options.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { validateFieldManager } from "../../meta/object-meta-rules.ts";
import { parseFieldSelector, parseLabelSelector } from "../../meta/selectors.ts";
import { badRequest, invalid } from "../../meta/status.ts";
import { isResourceVersion } from "../../meta/versions.ts";
import type { DeleteOptions, ListOptions, PatchOptions, WatchOptions, WriteOptions } from "../../registry/contract.ts";
import type { PatchType } from "../../schema/patch-types.ts";
import { type Value, getMember, isObject } from "../../value/value.ts";
import type { Query } from "../request/query.ts";

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions" | "ListOptions";

const refuse = (kind: OptionsKind, errors: FieldErrors): void => {
  if (errors.any) throw invalid({ group: "meta.k8s.io", kind }, "", errors.causes);
};

const VALIDATIONS = ["Ignore", "Warn", "Strict"] as const;
const MATCHES = ["Exact", "NotOlderThan"] as const;

const PLAIN_WRITE: WriteOptions = { dryRun: false, fieldManager: "", fieldValidation: "Warn" };

/** The options of a create or an update (DEC-21..24). */
export function writeOptions(query: Query, kind: "CreateOptions" | "UpdateOptions"): WriteOptions {
  const errors = new FieldErrors();
  const options = readWriteOptions(query, errors);
  refuse(kind, errors);
  return options;
}

function readWriteOptions(query: Query, errors: FieldErrors): WriteOptions {
  const fieldManager = query.text("fieldManager");
  const validation = query.text("fieldValidation");
  const dryRun = readDryRun(query.all("dryRun"), errors);
  if (fieldManager === "" && validation === "" && !dryRun) return PLAIN_WRITE;
  validateFieldManager(fieldManager, "fieldManager", errors);
  const known = validation === "" ? "Warn" : VALIDATIONS.find((name) => name === validation);
  if (!known) errors.notSupported("fieldValidation", validation, VALIDATIONS);
  return { dryRun, fieldManager, fieldValidation: known ?? "Warn" };
}

/** The options of a patch: an apply needs a manager, nothing else may be forced (DEC-18, APPLY rules). */
export function patchOptions(query: Query, type: PatchType): PatchOptions {
  const errors = new FieldErrors();
  const options = readWriteOptions(query, errors);
  if (type === "apply") {
    if (options.fieldManager === "") errors.required("fieldManager", "expected the name of the applier, got none");
  } else if (query.has("force")) {
    errors.forbidden("force", "expected it with an apply patch only");
  }
  refuse("PatchOptions", errors);
  return { ...options, type, force: type === "apply" && query.flag("force") };
}

/** The options of a list (DEC-25). */
export function listOptions(query: Query): ListOptions {
  const options = readListOptions(query);
  const errors = new FieldErrors();
  const match = options.resourceVersionMatch;
  if (match !== "") {
    const field = "resourceVersionMatch";
    if (options.continue !== "") errors.forbidden(field, "expected none together with continue");
    if (options.resourceVersion === "") errors.forbidden(field, "expected none without resourceVersion");
    if (!isMatch(match)) errors.notSupported(field, match, MATCHES);
    else if (match === "Exact" && options.resourceVersion === "0") {
      errors.forbidden(field, "expected a resourceVersion other than 0 together with Exact");
    }
  }
  if (query.has("sendInitialEvents")) errors.forbidden("sendInitialEvents", "expected it with a watch only");
  refuseList(options, errors);
  checkVersion(options.resourceVersion);
  return options;
}

/** Malformed selectors (400) are reported before options that are not allowed (422). */
function refuseList(options: Pick<ListOptions, "labelSelector" | "fieldSelector">, errors: FieldErrors): void {
  if (!errors.any) return;
  parseLabelSelector(options.labelSelector);
  parseFieldSelector(options.fieldSelector);
  refuse("ListOptions", errors);
}

const isMatch = (match: string): boolean => match === "Exact" || match === "NotOlderThan";

function readListOptions(query: Query): ListOptions {
  const limit = readInteger(query, "limit");
  // Only watches use it, but it must be a number everywhere (DEC-18).
  timeoutSeconds(query);
  return {
    labelSelector: query.text("labelSelector"),
    fieldSelector: query.text("fieldSelector"),
    limit: limit === undefined || limit < 0 ? 0 : limit,
    continue: query.text("continue"),
    resourceVersion: query.text("resourceVersion"),
    // The verb that uses it checks whether it is a known value.
    resourceVersionMatch: query.text("resourceVersionMatch") as ListOptions["resourceVersionMatch"],
  };
}

/** The options of a watch (DEC-28): `resourceVersionMatch` and `sendInitialEvents` come together or not at all. */
export function watchOptions(query: Query): WatchOptions {
  const { limit: _limit, continue: next, ...options } = readListOptions(query);
  const sendInitialEvents = query.has("sendInitialEvents") ? query.flag("sendInitialEvents") : undefined;
  // A watch without a version, or from zero, begins with the existing objects; a bookmark marks their end.
  const fromStart = options.resourceVersion === "" || options.resourceVersion === "0";
  const match: string = options.resourceVersionMatch;
  const field = "resourceVersionMatch";
  const errors = new FieldErrors();
  const implied = sendInitialEvents === undefined && match === "" && fromStart ? true : undefined;
  // The initial objects come at once: such a watch has no page to continue with.
  if (next !== "" && (match !== "" || implied)) errors.forbidden(field, "expected none together with continue");
  if (sendInitialEvents !== undefined && match === "") {
    errors.forbidden(field, "expected NotOlderThan together with sendInitialEvents");
  } else if (match !== "" && (sendInitialEvents === undefined || match !== "NotOlderThan")) {
    errors.forbidden(field, "expected it, as NotOlderThan, together with sendInitialEvents only");
  }
  if (match !== "" && match !== "NotOlderThan") errors.notSupported(field, match, ["NotOlderThan"]);
  refuseList(options, errors);
  checkVersion(options.resourceVersion);
  return {
    ...options,
    sendInitialEvents: sendInitialEvents ?? implied,
    allowWatchBookmarks: query.flag("allowWatchBookmarks"),
  };
}

/** The timeout of the client in seconds; undefined when it has sent none. */
export const timeoutSeconds = (query: Query): number | undefined => readInteger(query, "timeoutSeconds");

/** The resourceVersion of a get: empty, `0` or a decimal number. */
export function getVersion(query: Query): string {
  const version = query.text("resourceVersion");
  checkVersion(version);
  return version;
}

const MAX_INT64 = 9_223_372_036_854_775_807n;

function checkVersion(version: string): void {
  if (version === "" || isResourceVersion(version)) return;
  throw badRequest(`expected resourceVersion to be a decimal number, got ${JSON.stringify(version)}`);
}

/** An int64 of the query; numbers beyond 2^53 are cut to it. */
function readInteger(query: Query, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined) return undefined;
  const fits = /^[+-]?\d{1,40}$/.test(text) && inInt64(BigInt(text.startsWith("+") ? text.slice(1) : text));
  if (!fits) throw badRequest(`expected ${name} to be an integer of 64 bits, got ${JSON.stringify(text)}`);
  return Math.max(Math.min(Number(text), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

const inInt64 = (value: bigint): boolean => value <= MAX_INT64 && value >= -MAX_INT64 - 1n;

const UNREAD = "ignoreStoreReadErrorWithClusterBreakingPotential";

/** DeleteOptions of the query; the query is used only without a body (DEC-26). */
export function deleteOptionsOfQuery(query: Query): DeleteOptions {
  const uid = query.first("uid");
  const resourceVersion = query.first("resourceVersion");
  const conditions = uid !== undefined || resourceVersion !== undefined;
  return checkDeleteOptions({
    dryRun: query.has("dryRun") ? query.all("dryRun") : undefined,
    gracePeriodSeconds: readInteger(query, "gracePeriodSeconds"),
    orphanDependents: query.has("orphanDependents") ? query.flag("orphanDependents") : undefined,
    propagationPolicy: query.first("propagationPolicy"),
    preconditions: conditions ? { uid, resourceVersion } : undefined,
    [UNREAD]: query.has(UNREAD) ? query.flag(UNREAD) : undefined,
  });
}

/**
 * DeleteOptions of a body: any apiVersion, only its own kind; unknown members never fail (DEC-26). Members that are known and not used must
 * still have their type.
 */
export function deleteOptionsOfBody(value: Value): DeleteOptions {
  if (value !== null && !isObject(value)) throw badRequest("expected the body to be DeleteOptions, got no object");
  const body = value ?? {};
  const kind = member(body, "kind", "string");
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
    throw badRequest(`expected a body of kind DeleteOptions, got ${JSON.stringify(kind)}`);
  }
  const apiVersion = member(body, "apiVersion", "string");
  if (apiVersion !== undefined && apiVersion.split("/").length > 2) {
    throw badRequest(`unexpected GroupVersion string: expected 'group/version', got ${JSON.stringify(apiVersion)}`);
  }
  const unread = member(body, UNREAD, "boolean");
  const conditions = getMember(body, "preconditions") ?? undefined;
  if (conditions !== undefined && !isObject(conditions)) throw badRequest("expected preconditions to be an object");
  const grace = member(body, "gracePeriodSeconds", "number");
  if (grace !== undefined && !Number.isInteger(grace)) throw badRequest("expected gracePeriodSeconds to be an integer");
  return checkDeleteOptions({
    dryRun: strings(getMember(body, "dryRun") ?? undefined),
    gracePeriodSeconds: grace,
    orphanDependents: member(body, "orphanDependents", "boolean"),
    propagationPolicy: member(body, "propagationPolicy", "string"),
    [UNREAD]: unread,
    preconditions: conditions && {
      uid: member(conditions, "uid", "string"),
      resourceVersion: member(conditions, "resourceVersion", "string"),
    },
  });
}

interface Types {
  string: string;
  number: number;
  boolean: boolean;
}

/** A member of one type, undefined when it is absent or null; 400 when it is of another type. */
function member<T extends keyof Types>(body: Value, name: string, type: T): Types[T] | undefined {
  const value = isObject(body) ? getMember(body, name) : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw badRequest(`expected ${name} to be a ${type}, got ${typeof value}`);
  return value as Types[T];
}

function strings(value: Value | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw badRequest("expected dryRun to be a list of strings");
}
