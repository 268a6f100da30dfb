/** Checks of the server in a kubeconfig: the file, the connection, the clock, the certificate, the rights. */
import { type Check, fail, ok, warn } from "./check.ts";

const DAY_MS = 86_400_000;

/** What is known about a server. */
export interface ServerFindings {
  readonly context: string;
  readonly url: string;
  /** The response of `/version`; a text with the reason where there is none. */
  readonly version: { readonly gitVersion?: string } | string;
  /** Milliseconds by which the clock of the server is ahead of ours, to a second. */
  readonly skewMillis: number | undefined;
  /** When the client certificate ends, in ms since the epoch; undefined for none. */
  readonly certificateEnds: number | undefined;
  /** The user, as the server reports it; undefined where it did not. */
  readonly user: string | undefined;
  /** Whether the user may do everything; undefined where there was no response. */
  readonly isAdmin: boolean | undefined;
}

/** Checks the server. */
export function serverChecks(found: ServerFindings, now: number): Check[] {
  const { context, url, version } = found;
  const kubeconfig = ok("kubeconfig", context === "" ? url : `context ${context}, ${url}`);
  if (typeof version === "string") {
    return [kubeconfig, ...certificateChecks(found, now), fail("server", version, adviceFor(version))];
  }
  return [
    kubeconfig,
    ok("server", version.gitVersion ?? "of unknown version"),
    ...clockChecks(found),
    ...certificateChecks(found, now),
    rightsCheck(found),
  ];
}

function adviceFor(message: string): string {
  if (/ECONNREFUSED|ECONNRESET|no response/.test(message))
    return "start it (keelson serve), or choose another --context";
  if (/certificate|CERT_|SELF_SIGNED/i.test(message))
    return "the kubeconfig is of another server: create a new one (keelson kubeconfig)";
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return "the name of the server cannot be resolved here";
  if (/\b401\b/.test(message)) return "the credential is no longer valid: create a new kubeconfig (keelson kubeconfig)";
  return "see the message";
}

/** A skew from which on tokens and certificates are invalid, and times are wrong. */
const GOOD_SKEW_MS = 5000;
const MOST_SKEW_MS = 300_000;

function clockChecks({ skewMillis }: ServerFindings): Check[] {
  if (skewMillis === undefined) return [];
  const seconds = Math.round(Math.abs(skewMillis) / 1000);
  const found = seconds === 0 ? "as the server's" : `the server is ${seconds} s ${skewMillis > 0 ? "ahead" : "behind"}`;
  const advice = "set both clocks by NTP: tokens and certificates are valid by the clock";
  if (Math.abs(skewMillis) > MOST_SKEW_MS) return [fail("clock", found, advice)];
  return [Math.abs(skewMillis) > GOOD_SKEW_MS ? warn("clock", found, advice) : ok("clock", found)];
}

function certificateChecks({ certificateEnds }: ServerFindings, now: number): Check[] {
  if (certificateEnds === undefined) return [];
  const days = Math.floor((certificateEnds - now) / DAY_MS);
  const date = new Date(certificateEnds).toISOString().slice(0, 10);
  const advice = "create a new kubeconfig: keelson kubeconfig, or keelson user add";
  if (certificateEnds <= now) return [fail("client certificate", `ended on ${date}`, advice)];
  return [
    days < 14 ? warn("client certificate", `ends on ${date}`, advice) : ok("client certificate", `until ${date}`),
  ];
}

function rightsCheck({ user, isAdmin }: ServerFindings): Check {
  const who = user === undefined ? "unknown user" : user;
  if (isAdmin === undefined) return warn("rights", who, "the server did not return it; try kubectl auth whoami");
  if (user === "system:anonymous")
    return fail("rights", who, "the kubeconfig has no credential: create a new one (keelson kubeconfig)");
  return ok("rights", isAdmin ? `${who}, may do everything` : `${who}, some: kubectl auth can-i --list`);
}
