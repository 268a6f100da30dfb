/**
 * The issuer of the flags `--oidc-*` (OIDC-17), as a configuration like that of a file.
 *
 * @module
 */
import type { Configuration } from "./schema.ts";

/** The flags `--oidc-*`; a flag that is not set is empty. */
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

/** The defaults of the flags. */
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

/** Whether any flag is set. */
export const isSet = (flags: OidcFlags): boolean =>
  (Object.keys(NO_ISSUER) as (keyof OidcFlags)[]).some((name) => String(flags[name]) !== String(NO_ISSUER[name]));

/** The configuration of flags. @param ca authorities of the issuer, PEM; empty for those of the machine */
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
        claimValidationRules: requiredClaims.map((flag) => {
          const [claim = "", ...value] = flag.split("=");
          return { claim, requiredValue: value.join("=") };
        }),
      },
    ],
  };
}

/** Without a flag, user names have the issuer as prefix, so that issuers cannot collide; email addresses have none. */
function usernamePrefixOf({ usernamePrefix, usernameClaim, issuerUrl }: OidcFlags): string {
  if (usernamePrefix === "-") return "";
  if (usernamePrefix !== "") return usernamePrefix;
  return usernameClaim === "email" ? "" : `${issuerUrl}#`;
}
