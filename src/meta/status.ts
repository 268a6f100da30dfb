/**
 * Status objects and the catalogue of errors.
 *
 * Handlers throw an {@link ApiError}; one filter of the server renders it. Only this catalogue pairs reasons with HTTP codes
 * (DEC-18, DEC-19).
 *
 * @module
 */

/** The machine-readable reason of a failure (DEC-19). */
export type StatusReason =
  | "BadRequest"
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "AlreadyExists"
  | "Conflict"
  | "Expired"
  | "Gone"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "Invalid"
  | "TooManyRequests"
  | "InternalError"
  | "ServiceUnavailable"
  | "StorageFull"
  | "StorageError"
  | "Timeout";

/** The reason of a cause (DEC-19). */
export type CauseReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotFound"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "FieldManagerConflict"
  | "NamespaceTerminating"
  | "DisruptionBudget"
  | "ResourceVersionTooLarge"
  | "InternalError"
  | "UnexpectedServerResponse";

/** One cause of a failure: `field` is a dotted path such as `spec.drivers[0].name`. */
export interface StatusCause {
  readonly reason: CauseReason;
  readonly message: string;
  readonly field?: string;
}

/** A cause that has a message only: what a policy refuses has no field. */
export interface MessageCause {
  readonly message: string;
  readonly reason?: undefined;
  readonly field?: undefined;
}

/** The subject of a Status. `kind` is the plural resource, for `Invalid` the kind (DEC-19). */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly (StatusCause | MessageCause)[];
  readonly retryAfterSeconds?: number;
}

/** The Status object of `meta/v1` (DEC-19). */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string; readonly resourceVersion?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code?: number;
}

const CODES: Record<StatusReason, number> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  StorageError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  StorageFull: 507,
};

/** A failure with the Status that the client gets. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: Status;
  /** Texts for `Warning` headers from before the failure. */
  warnings: readonly string[] = [];
  /** The limit of the server that the request exceeds, by its name in the log; undefined for other failures. */
  readonly limit: string | undefined;
  /** Whether the requested object is the cause, whatever the code: then it is no failure of the server. */
  readonly ofObject: boolean;
  /** Builds the report for clients that request it (see `ownership-reports.ts`); absent where there is none. */
  readonly explain: (() => unknown) | undefined;

  constructor(
    reason: StatusReason,
    message: string,
    options: {
      details?: StatusDetails;
      metadata?: Status["metadata"];
      cause?: unknown;
      limit?: string | undefined;
      explain?: () => unknown;
      /** The requested object is the cause, not the server: it is not logged as a failure. */
      ofObject?: boolean;
      /** The Status has no reason: another program has failed, and no reason is defined for that. */
      unnamed?: boolean;
      /** Members of the Status that another program has chosen. */
      chosen?: Partial<Status>;
    } = {},
  ) {
    // The stack of a refusal is of no use and costs more than the rest of the request.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.limit = options.limit;
    this.ofObject = options.ofObject ?? false;
    this.explain = options.explain;
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: options.metadata ?? {},
      status: "Failure",
      message,
      ...(options.unnamed ? {} : { reason }),
      ...(options.details ? { details: options.details } : {}),
      code: CODES[reason],
      ...options.chosen,
    };
  }

  get code(): number {
    return this.status.code!;
  }

  get reason(): StatusReason {
    return this.status.reason!;
  }
}

/** Whether `error` is an {@link ApiError} of one of these reasons. */
export function hasReason(error: unknown, ...reasons: StatusReason[]): error is ApiError {
  return error instanceof ApiError && reasons.includes(error.reason);
}

/** The object or collection that an error is about. */
export interface ObjectRef {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

const resourceName = (ref: ObjectRef): string => (ref.group ? `${ref.plural}.${ref.group}` : ref.plural);

const details = (ref: ObjectRef, name?: string, more: StatusDetails = {}): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(ref.group ? { group: ref.group } : {}),
  kind: ref.plural,
  ...more,
});

/** 400: the request cannot be understood. */
export const badRequest = (message: string, cause?: unknown): ApiError =>
  new ApiError("BadRequest", message, { cause });

/** 400: the body cannot be an object of this kind; clients parse the beginning of the message. */
export const unrecognised = (kind: string, why: string, cause?: unknown): ApiError =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`, cause);

/** 401: no valid credential (AUTH-1, ERR-1); the message does not contain the reason (AUTHN-5). */
export const unauthorized = (): ApiError => new ApiError("Unauthorized", "Unauthorized");

/** 403: the user may not do it; also creates in a namespace that is being deleted (DEC-34). `name` may be empty. */
export const forbidden = (ref: ObjectRef, name: string, why: string, causes?: StatusDetails["causes"]): ApiError =>
  new ApiError("Forbidden", `${resourceName(ref)}${name === "" ? "" : ` "${name}"`} is forbidden: ${why}`, {
    details: details(ref, name, causes ? { causes } : {}),
  });

/** 404 for an object that does not exist. */
export const notFound = (ref: ObjectRef, name: string): ApiError =>
  new ApiError("NotFound", `${resourceName(ref)} "${name}" not found`, { details: details(ref, name) });

/** 404 for a path that is not served. */
export const unknownPath = (hint = ""): ApiError =>
  new ApiError("NotFound", `the server could not find the requested resource${hint}`, { details: {} });

/** 405: the path has no such method (DEC-18). */
export const methodNotAllowed = (ref: ObjectRef, method: string): ApiError =>
  new ApiError("MethodNotAllowed", `${method} is not supported on resources of kind "${resourceName(ref)}"`, {
    details: details(ref),
  });

/** 406: the server has none of the media types that the client accepts. */
export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError("NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);

/** 409: an object with the name exists. */
export const alreadyExists = (ref: ObjectRef, name: string): ApiError =>
  new ApiError("AlreadyExists", `${resourceName(ref)} "${name}" already exists`, { details: details(ref, name) });

/** 409: another version, uid or precondition than expected (DEC-31). */
export const conflict = (ref: ObjectRef, name: string, why: string): ApiError =>
  new ApiError("Conflict", `Operation cannot be fulfilled on ${resourceName(ref)} "${name}": ${why}`, {
    details: details(ref, name),
  });

/** 409 of an apply: fields that other managers own (DEC-20); no name, kind or group in its details (DEC-19). */
export const applyConflict = (message: string, causes: readonly StatusCause[], explain: () => unknown): ApiError =>
  new ApiError("Conflict", message, { details: { causes }, explain });

/** Why an update of an older version is refused, as in Kubernetes. */
export const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

/** 410: the requested version is compacted; `continueToken` continues with the current state (DEC-25). */
export const expired = (message: string, continueToken?: string): ApiError =>
  new ApiError("Expired", message, continueToken === undefined ? {} : { metadata: { continue: continueToken } });

/** 413: the body, the object or the patch is too large; `limit` is the name of the limit for the log. */
export const tooLarge = (why: string, limit = "object size"): ApiError =>
  new ApiError("RequestEntityTooLarge", `Request entity too large: ${why}`, { limit });

/** 415: the body has a media type that is not accepted (DEC-17). */
export const unsupportedMediaType = (got: string, expected: readonly string[]): ApiError =>
  new ApiError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${expected.join(", ")}; got ${got || "none"}`,
  );

/** 422: the object or the options are invalid; every violation is a cause (ERR-5). `kind` may be empty. */
export const invalid = (
  kind: { readonly group?: string; readonly kind: string },
  name: string,
  causes: readonly StatusCause[],
): ApiError => {
  const what = causes.map((c) => (c.field ? `${c.field}: ${c.message}` : c.message));
  const list = what.length === 1 ? what[0] : `[${what.join(", ")}]`;
  const full = kind.group ? `${kind.kind}.${kind.group}` : kind.kind;
  return new ApiError("Invalid", `${full} "${name}" is invalid: ${list}`, {
    details: {
      ...(name ? { name } : {}),
      ...(kind.group ? { group: kind.group } : {}),
      ...(kind.kind ? { kind: kind.kind } : {}),
      causes,
    },
  });
};

/** 429: try again after `retryAfterSeconds`; `limit` is the name of the limit for the log. */
export const tooManyRequests = (message: string, limit?: string, retryAfterSeconds = 1): ApiError =>
  new ApiError("TooManyRequests", message, { limit, details: { retryAfterSeconds } });

/** 500: a fault of the server; the message has no internals. */
export const internalError = (cause?: unknown): ApiError =>
  new ApiError("InternalError", "an internal error occurred; the server's log has the details", { cause });

/**
 * 500: an object has no number of replicas at the path of its definition, so it has no scale (CRD-35). The code is that of
 * kube-apiserver; clients would retry 409 forever.
 */
export const replicasMissing = (path: string): ApiError =>
  failedInside(`the spec replicas field ${JSON.stringify(path)} does not exist`);

/** 500 for a failure of another program on which the request depends; the message names it. */
export const failedInside = (why: string): ApiError =>
  new ApiError("InternalError", `Internal error occurred: ${why}`, {
    // As in kube-apiserver, the cause has neither a reason nor a field.
    details: { causes: [{ message: why } as StatusCause] },
    ofObject: true,
  });

/** 500: admission has given a new object a resourceVersion, with the message of kube-apiserver. */
export const versionOfNew = (): ApiError =>
  new ApiError("InternalError", "resourceVersion should not be set on objects to be created", {
    ofObject: true,
    unnamed: true,
  });

/** The status that another program has chosen for a refusal. */
export interface ForeignStatus {
  readonly status: string;
  readonly message: string;
  /** 400 to 999; any other code is 500. */
  readonly code: number;
  readonly reason?: string;
  readonly details?: StatusDetails;
}

/** A refusal with the code, the reason and the message of another program, such as an admission webhook. */
export function refusedBy({ status, message, code, reason, details: about }: ForeignStatus): ApiError {
  const known = code >= 400 && code <= 999 ? code : 500;
  const chosen = { status, code: known, ...(reason === undefined ? {} : { reason }) } as Partial<Status>;
  return new ApiError("Forbidden", message, {
    ...(about ? { details: about } : {}),
    ofObject: true,
    unnamed: true,
    chosen,
  });
}

/** 503: the server cannot handle the request now, for example while it shuts down. */
export const unavailable = (message: string, retryAfterSeconds = 1): ApiError =>
  new ApiError("ServiceUnavailable", message, { details: { retryAfterSeconds } });

/** 504: a timeout; the request may still have taken effect, unless `retryAfterSeconds` is set. */
export const timeout = (message: string, retryAfterSeconds?: number): ApiError =>
  new ApiError("Timeout", message, retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } });

/** 504: the server has not reached the requested resourceVersion (DEC-25). */
export const resourceVersionTooLarge = (requested: number, current: number): ApiError =>
  new ApiError("Timeout", `Too large resource version: ${requested}, current: ${current}`, {
    details: {
      retryAfterSeconds: 1,
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    },
  });

/** 507: the disk is full; reads and deletes still work. */
export const storageFull = (): ApiError =>
  new ApiError(
    "StorageFull",
    "the store has no space for this write; reads and deletes still work, free space and try again",
  );

/** 500: a stored object with a wrong checksum, which is not served. */
export const storageCorrupt = (ref: ObjectRef, name: string): ApiError =>
  new ApiError("StorageError", `the stored ${resourceName(ref)} "${name}" is damaged and not served`, {
    details: details(ref, name),
  });

/** 500: a stored object that cannot be decrypted, by its key below its resource, without its content (CRYPT-9). */
export const storageUnreadable = (key: string): ApiError =>
  new ApiError(
    "InternalError",
    `the stored object ${JSON.stringify(key)} cannot be read: no key of this server fits it`,
  );

/** The Status of a delete that does not return the object (DEC-19). */
export const deleted = (ref: ObjectRef, name: string, uid: string): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  details: details(ref, name, { uid }),
});

/** The Status of a successful delete-collection (EP-21). */
export const success = (ref: ObjectRef): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  details: details(ref),
});

/** 201: the request is done, and there is no object to return. */
export const done = (): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
});
