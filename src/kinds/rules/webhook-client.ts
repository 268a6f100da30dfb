/**
 * The address of a webhook: its schema, and the form of its URL or of the reference to its service (CRD-24, HOOK-2).
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dnsSubdomain } from "../../meta/names.ts";
import * as t from "../../meta/types.ts";
import { parseGoUrl } from "../../util/go-url.ts";

/** The schema of the address of a webhook. */
export const WebhookClientConfig = t.struct("The address of the webhook: a URL or a service.", {
  url: t.pointer(t.text("Its address, `https://...`.")),
  service: t.pointer(
    t.struct("The Service of the webhook.", {
      namespace: t.required(t.text("The namespace of the service.")),
      name: t.required(t.text("The name of the service.")),
      path: t.pointer(t.text("The path of the URL.")),
      port: t.pointer(t.int32("The port of the service, 443 by default.")),
    }),
  ),
  caBundle: t.optional(t.bytes("PEM: the certificates that the one of the webhook must be signed by.")),
});

/** The service of a webhook. */
export interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const FORM = "; desired format: https://host[/path]";

/** Validates the URL of a webhook: https, with a host, and without user, query and fragment. */
export function validateWebhookUrl(text: string, field: string, errors: FieldErrors): void {
  const url = parseGoUrl(text);
  if (typeof url === "string") return errors.required(field, `url must be a valid URL: ${url}${FORM}`);
  const { scheme, host, user, fragment, rawQuery } = url;
  if (scheme !== "https") errors.invalid(field, scheme, `'https' is the only allowed URL scheme${FORM}`);
  if (host === "") errors.invalid(field, host, `host must be specified${FORM}`);
  // A port above 65535 is valid for Kubernetes; no call could be made.
  else if (!URL.canParse(text)) errors.invalid(field, text, `expected a host and a port that can be called${FORM}`);
  if (user !== undefined) errors.invalid(field, user, "user information is not permitted in the URL");
  if (fragment !== "") errors.invalid(field, fragment, "fragments are not permitted in the URL");
  if (rawQuery !== "") errors.invalid(field, rawQuery, "query parameters are not permitted in the URL");
}

/** Validates a service: with name and namespace, an absolute path, and a port of 16 bits. */
export function validateWebhookService(
  service: WebhookService,
  field: string,
  errors: FieldErrors,
  { rules }: Dialect,
): void {
  const { port, path } = service;
  for (const [member, other] of [
    ["name", "namespace"],
    ["namespace", "name"],
  ] as const) {
    // Kubernetes reports each of the two at the path of the other one.
    if (!service[member]) errors.required(`${field}.${rules.recordedCauseNames ? other : member}`);
  }
  if (port !== undefined && (port < 1 || port > MAX_PORT)) {
    errors.invalid(`${field}.port`, port, `port is not valid: must be between 1 and ${MAX_PORT}, inclusive`);
  }
  if (path !== undefined) validatePath(path, `${field}.path`, errors);
}

const MAX_PORT = 65_535;

function validatePath(path: string, field: string, errors: FieldErrors): void {
  if (path === "/" || path === "") return;
  if (path === "//") return errors.invalid(field, path, "segment[0] may not be empty");
  if (!path.startsWith("/")) errors.invalid(field, path, "must start with a '/'");
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  for (const [i, segment] of segments.entries()) {
    const why = segment === "" ? " may not be empty" : wrongSegment(segment);
    if (why !== undefined) errors.invalid(field, path, `segment[${i}]${why}`);
  }
}

function wrongSegment(segment: string): string | undefined {
  const why = dnsSubdomain(segment);
  return why === undefined ? undefined : `: ${why}`;
}
