/**
 * One issuer as flags name it (OIDC-17); it comes to the same rules as one of a file.
 *
 * @module
 */
import type { Configuration } from "./schema.ts";

/** The flags `--oidc-*`, empty where they are not given. */
export interface OidcFlags {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  /** Each `CLAIM=VALUE`. */
  readonly requiredClaims: readonly string[];
  readonly algorithms: readonly string[];
}

/** What the flags are where none is given. */
export const NO_ISSUER: OidcFlags = {
  issuerUrl: "",
  clientId: "",
  usernameClaim: "sub",
  usernamePrefix: "",
  groupsClaim: "",
  groupsPrefix: "",
  requiredClaims: [],
  algorithms: ["RS256"],
};

/** Whether any of the flags says something. */
export const isSaid = (flags: OidcFlags): boolean =>
  (Object.keys(NO_ISSUER) as (keyof OidcFlags)[]).some((name) => String(flags[name]) !== String(NO_ISSUER[name]));

/** The configuration that flags stand for. @param ca authorities of the issuer, PEM; empty for those of the machine */
export function configurationOfFlags(flags: OidcFlags, ca: string): Configuration {
  const { issuerUrl: url, clientId, usernameClaim, groupsClaim, groupsPrefix, requiredClaims } = flags;
  return {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url, audiences: [clientId], ...(ca === "" ? {} : { certificateAuthority: ca }) },
        claimMappings: {
          username: { claim: usernameClaim, prefix: usernamePrefixOf(flags) },
          ...(groupsClaim === "" ? {} : { groups: { claim: groupsClaim, prefix: groupsPrefix } }),
        },
        claimValidationRules: requiredClaims.map((said) => {
          const [claim = "", ...value] = said.split("=");
          return { claim, requiredValue: value.join("=") };
        }),
      },
    ],
  };
}

/** Names of different issuers are told apart, unless somebody says otherwise; an address of mail is one name everywhere. */
function usernamePrefixOf({ usernamePrefix, usernameClaim, issuerUrl }: OidcFlags): string {
  if (usernamePrefix === "-") return "";
  if (usernamePrefix !== "") return usernamePrefix;
  return usernameClaim === "email" ? "" : `${issuerUrl}#`;
}
