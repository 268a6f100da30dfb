/**
 * Who asks through a proxy in front: the proxy shows its own certificate and says in headers whom it has authenticated
 * (AUTHN-18). Without a certificate of the proxies' authority the headers mean nothing.
 *
 * @module
 */
import { unescaped } from "../meta/unescaped.ts";
import type { Credentials, Identity } from "./contract.ts";
import { known } from "./known.ts";

/** The headers that proxies use, and which proxies may. Names of headers in any case, the first that was sent counts. */
export interface FrontProxyRules {
  readonly userHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** All of these count. */
  readonly groupHeaders: readonly string[];
  /** What names of headers with further attributes begin with; the rest is the key. */
  readonly extraPrefixes: readonly string[];
  /** Common names of the proxies; empty for every certificate of the authority. */
  readonly allowedNames: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The user that a proxy names; undefined where no proxy asks, or it names nobody. */
export function frontProxy(rules: FrontProxyRules): (credentials: Credentials) => Identity | undefined {
  const [users, uids, groups, prefixes] = [
    rules.userHeaders,
    rules.uidHeaders,
    rules.groupHeaders,
    rules.extraPrefixes,
  ].map((names) => names.map((name) => name.toLowerCase())) as [string[], string[], string[], string[]];
  const isProxy = ({ connection: { certificate } }: Credentials): boolean =>
    certificate !== undefined &&
    certificate.signedBy.includes("proxy") &&
    certificate.notAfter >= rules.now() &&
    (rules.allowedNames.length === 0 || rules.allowedNames.includes(certificate.commonName));
  return (credentials) => {
    if (!isProxy(credentials)) return undefined;
    const first = (names: readonly string[]): string =>
      names.map((name) => credentials.lines(name)[0]?.trim() ?? "").find((value) => value !== "") ?? "";
    const user = first(users);
    if (user === "") return undefined;
    const uid = first(uids);
    const extra = extraOf(credentials, prefixes);
    return known({
      user,
      ...(uid === "" ? {} : { uid }),
      groups: groups.flatMap((name) => credentials.lines(name)),
      ...(extra ? { extra } : {}),
    });
  };
}

/** Further attributes by their key; undefined where there are none. */
function extraOf(credentials: Credentials, prefixes: readonly string[]): Identity["extra"] | undefined {
  const found = new Map<string, string[]>();
  for (const name of credentials.names()) {
    const prefix = prefixes.find((start) => name.startsWith(start));
    if (prefix === undefined) continue;
    const key = unescaped(name.slice(prefix.length));
    const values = found.get(key) ?? [];
    for (const line of credentials.lines(name)) values.push(line);
    found.set(key, values);
  }
  return found.size > 0 ? Object.fromEntries(found) : undefined;
}
