/**
 * The headers of the console's page: what the browser may load and do there.
 *
 * @module
 */
import type { OutHeaders } from "../../server/index.ts";

/** Nothing from elsewhere, nothing inline but styles with the nonce of the response, and in no frame. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const PERMISSIONS =
  "accelerometer camera display-capture geolocation gyroscope hid magnetometer microphone midi payment serial usb"
    .split(" ")
    .map((name) => `${name}=()`)
    .join(", ");

/** The headers of every response below `/console/`, of files and of sessions. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": PERMISSIONS,
};

/** The headers of a page, with the nonce that its style elements have. */
export const pageHeaders = (nonce: string): OutHeaders => ({
  ...SAFE_HEADERS,
  "content-security-policy": policyOf(nonce),
});
