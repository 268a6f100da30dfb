/**
 * Where a webhook is: its schema, and the form of its URL or of the reference to its service (CRD-24, HOOK-2).
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dnsSubdomain } from "../../meta/names.ts";
import * as t from "../../meta/types.ts";

/** The schema of the address of a webhook. */
export const WebhookClientConfig = t.struct("Where the webhook is: a URL or a service.", {
  url: t.pointer(t.text("Its address, `https://...`.")),
  service: t.pointer(
    t.struct("The service that answers.", {
      namespace: t.required(t.text("The namespace of the service.")),
      name: t.required(t.text("The name of the service.")),
      path: t.pointer(t.text("The path of the URL.")),
      port: t.pointer(t.int32("The port of the service, 443 by default.")),
    }),
  ),
  caBundle: t.optional(t.bytes("PEM: the certificates that the one of the webhook must be signed by.")),
});

/** The service that answers for a webhook. */
export interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

/** A URL of a webhook: https, with a host, and without user, query and fragment. */
export function validateWebhookUrl(text: string, field: string, errors: FieldErrors): void {
  const wrong = (why: string): void => errors.invalid(field, text, `${why}: https://HOST[:PORT][/PATH]`);
  const url = URL.parse(text);
  if (!url) return wrong("expected a URL of the form");
  if (url.protocol !== "https:") wrong("expected https in");
  if (url.host === "") wrong("expected a host in");
  if (url.username !== "" || url.password !== "") wrong("expected no user in");
  if (url.hash !== "") wrong("expected no fragment in");
  if (url.search !== "") wrong("expected no query in");
}

/** A service: with name and namespace; its path is absolute, its port a number of 16 bits. */
export function validateWebhookService(service: WebhookService, field: string, errors: FieldErrors): void {
  const { name, namespace, path, port } = service;
  if (!name) errors.required(`${field}.name`, "expected the name of a service");
  if (!namespace) errors.required(`${field}.namespace`, "expected the namespace of the service");
  if (port !== undefined && (port < 1 || port > 65_535)) {
    errors.invalid(`${field}.port`, port, "expected a number from 1 to 65535");
  }
  if (path !== undefined) validatePath(path, `${field}.path`, errors);
}

function validatePath(path: string, field: string, errors: FieldErrors): void {
  if (path === "/" || path === "") return;
  if (!path.startsWith("/")) errors.invalid(field, path, 'expected it to begin with "/"');
  const segments = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  for (const [i, segment] of segments.entries()) {
    const why = dnsSubdomain(segment);
    if (why !== undefined) errors.invalid(field, path, `segment ${i}: ${why}`);
  }
}
