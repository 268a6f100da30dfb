/**
 * Who a service account is, by a token that was signed for it (SUP-7, DEC-35).
 *
 * @module
 */
import type { KeyObject } from "node:crypto";
import { unauthorized } from "../meta/status.ts";
import type { Identity } from "./contract.ts";
import type { SignerContext } from "./service-account-tokens.ts";

/** Tokens of service accounts. */
export interface AccountTokens {
  /** Whom a token was signed for. Rejects with `unauthorized()` for any other. */
  identify(token: string): Promise<Identity>;
}

/** What a token has to be. */
export interface AccountTokenOptions {
  /** One of them has signed it. */
  readonly keys: readonly KeyObject[];
  readonly issuers: readonly string[];
  /** It is for one of them. */
  readonly audiences: readonly string[];
  /** The uid of an account that is there: a token does not outlive its account. */
  readonly uidOf: (namespace: string, name: string) => Promise<string | undefined>;
}

interface Named {
  readonly name: string;
  readonly uid: string;
}

/** What the member of a token that Kubernetes has for itself says. */
interface Place {
  readonly namespace: string;
  readonly serviceaccount: Named;
  readonly pod?: Named;
  readonly node?: Named;
}

/** Identities by tokens that are signed with one of some keys. */
export function accountTokens(options: AccountTokenOptions, { dialect, clock }: SignerContext): AccountTokens {
  const { keys, issuers, audiences, uidOf } = options;
  const payloadOf = async (token: string) => {
    // Loaded with the first token: most servers never see one.
    const { jwtVerify } = await import("jose");
    const currentDate = new Date(clock.now());
    for (const key of keys) {
      const found = await jwtVerify(token, key, {
        issuer: [...issuers],
        audience: [...audiences],
        currentDate,
        requiredClaims: ["exp"],
      }).catch(() => undefined);
      if (found) return found.payload;
    }
    throw unauthorized();
  };
  return {
    async identify(token) {
      const { jti, ...payload } = await payloadOf(token);
      const place = payload[dialect.labelDomain] as Place | undefined;
      if (!place) throw unauthorized();
      const { namespace, serviceaccount: account } = place;
      if ((await uidOf(namespace, account.name)) !== account.uid) throw unauthorized();
      return {
        user: `system:serviceaccount:${namespace}:${account.name}`,
        uid: account.uid,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
        extra: extraOf(place, jti, dialect.labelDomain),
      };
    },
  };
}

/** What else is known of the sender, by the names under which reviews show it. */
function extraOf({ pod, node }: Place, jti: string | undefined, domain: string): NonNullable<Identity["extra"]> {
  const said: readonly (readonly [string, string | undefined])[] = [
    ["credential-id", jti && `JTI=${jti}`],
    ["pod-name", pod?.name],
    ["pod-uid", pod?.uid],
    ["node-name", node?.name],
    ["node-uid", node?.uid],
  ];
  return Object.fromEntries(
    said.flatMap(([name, value]) => (value === undefined ? [] : [[`authentication.${domain}/${name}`, [value]]])),
  );
}
