import { type Static, atomicList, bool, optional, pointer, required, struct, text } from "../../meta/types.ts";

const prefixed = struct("A claim with a prefix, or an expression.", {
  claim: optional(text("The claim.")),
  prefix: pointer(text("The prefix of each value; required with a claim, may be empty.")),
  expression: optional(text("CEL over `claims`.")),
});

const Issuer = struct("The issuer and the audiences of tokens.", {
  url: required(
    text("The `iss` of the tokens, an https URL; its `/.well-known/openid-configuration` has the URL of the keys."),
  ),
  discoveryURL: pointer(text("The URL of the discovery document, where it is another one.")),
  certificateAuthority: optional(text("The authorities of the certificate of the issuer, PEM.")),
  audiences: optional(atomicList(text(), "The accepted audiences: tokens must have one of these.")),
  audienceMatchPolicy: optional(text("MatchAny, which is required with several audiences.")),
  egressSelectorType: optional(text("Not supported.")),
});

const Jwt = struct("An issuer of tokens, and how claims are mapped to users.", {
  issuer: required(Issuer),
  claimValidationRules: optional(
    atomicList(
      struct("A claim with its required value, or an expression that must be true.", {
        claim: optional(text("The claim.")),
        requiredValue: optional(text("The required value.")),
        expression: optional(text("CEL over `claims`.")),
        message: optional(text("The message where the expression is false.")),
      }),
    ),
  ),
  claimMappings: required(
    struct("How claims are mapped to a user.", {
      username: required(prefixed),
      groups: optional(prefixed),
      uid: optional(struct("A claim or an expression.", { claim: optional(text()), expression: optional(text()) })),
      extra: optional(
        atomicList(struct("An extra attribute.", { key: required(text()), valueExpression: required(text()) })),
      ),
    }),
  ),
  userValidationRules: optional(
    atomicList(
      struct("A rule that users must meet.", {
        expression: required(text("CEL over `user`, which must be true.")),
        message: optional(text("The message where it is false.")),
      }),
    ),
  ),
});

/** The schema of an AuthenticationConfiguration (`apiserver.config.k8s.io`). */
export const AuthenticationConfiguration = struct("The configuration of authentication.", {
  apiVersion: required(text()),
  kind: required(text()),
  jwt: optional(atomicList(Jwt)),
  anonymous: pointer(
    struct("Whether anonymous requests are allowed, and on which paths.", {
      enabled: required(bool()),
      conditions: optional(atomicList(struct("A path.", { path: required(text()) }))),
    }),
  ),
});

/** An AuthenticationConfiguration as it was read. */
export type Configuration = Static<typeof AuthenticationConfiguration>;

/** One issuer of a configuration. */
export type JwtSettings = Static<typeof Jwt>;
