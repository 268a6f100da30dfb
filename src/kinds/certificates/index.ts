import type { DefinitionFactory } from "../../schema/definition.ts";
import { olderVersion } from "../rules/older-version.ts";
import { certificateSigningRequest } from "./v1/certificatesigningrequest.ts";
import { clusterTrustBundle } from "./v1beta1/clustertrustbundle.ts";
import { podCertificateRequest } from "./v1beta1/podcertificaterequest.ts";

/** The certificates group, with the same name in both dialects: requests, trust bundles (also in their alpha version), requests of Pods. */
export const certificatesGroup: DefinitionFactory = (ctx) => {
  const bundle = clusterTrustBundle(ctx);
  const older = ctx.dialect.rules.enforceDocumented ? [] : [olderVersion(bundle, "v1alpha1", "1.37")];
  return [certificateSigningRequest, bundle, ...older, podCertificateRequest(ctx)];
};
