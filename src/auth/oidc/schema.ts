import { type Static, atomicList, bool, optional, pointer, required, struct, text } from "../../meta/types.ts";

const prefixed = struct("A claim, with a text in front of each value, or an expression.", {
  claim: optional(text("The claim.")),
  prefix: pointer(text("What stands in front; needed beside a claim, may be empty.")),
  expression: optional(text("CEL over `claims`.")),
});

const Issuer = struct("Who makes the tokens, and for whom they are.", {
  url: required(
    text("The `iss` of the tokens, an https URL; `/.well-known/openid-configuration` behind it leads to the keys."),
  ),
  discoveryURL: pointer(text("Where to read that document instead.")),
  certificateAuthority: optional(text("Certificates that the issuer is verified with, PEM.")),
  audiences: optional(atomicList(text(), "For whom tokens must be: one of these.")),
  audienceMatchPolicy: optional(text("MatchAny, which several audiences need.")),
  egressSelectorType: optional(text("Ways out of the network, which there are none of here.")),
});

const Jwt = struct("An issuer of tokens, and who their bearers are.", {
  issuer: required(Issuer),
  claimValidationRules: optional(
    atomicList(
      struct("What claims must be: a claim with a text, or an expression that must be true.", {
        claim: optional(text("The claim.")),
        requiredValue: optional(text("What it must be.")),
        expression: optional(text("CEL over `claims`.")),
        message: optional(text("What is told where the expression is false.")),
      }),
    ),
  ),
  claimMappings: required(
    struct("Who the bearer of a token is.", {
      username: required(prefixed),
      groups: optional(prefixed),
      uid: optional(struct("A claim or an expression.", { claim: optional(text()), expression: optional(text()) })),
      extra: optional(
        atomicList(struct("A further attribute.", { key: required(text()), valueExpression: required(text()) })),
      ),
    }),
  ),
  userValidationRules: optional(
    atomicList(
      struct("What users must be.", {
        expression: required(text("CEL over `user`, which must be true.")),
        message: optional(text("What is told where it is false.")),
      }),
    ),
  ),
});

/** The schema of an AuthenticationConfiguration (`apiserver.config.k8s.io`). */
export const AuthenticationConfiguration = struct("How bearers of tokens are known.", {
  apiVersion: required(text()),
  kind: required(text()),
  jwt: optional(atomicList(Jwt)),
  anonymous: pointer(
    struct("Whether requests without a credential are let in, and on which paths.", {
      enabled: required(bool()),
      conditions: optional(atomicList(struct("A path.", { path: required(text()) }))),
    }),
  ),
});

/** An AuthenticationConfiguration as it was read. */
export type Configuration = Static<typeof AuthenticationConfiguration>;

/** One issuer of a configuration. */
export type JwtSettings = Static<typeof Jwt>;
