/**
 * Trust anchors as a file (PROJ-10..16).
 *
 * @module
 */
import { dnsSubdomain, domainPrefixedPath } from "../../../../meta/names.ts";
import * as t from "../../../../meta/types.ts";
import { LabelSelector, validateLabelSelector } from "../../../../schema/validation/label-selector.ts";
import type { Loose, SourceCheck } from "./form.ts";
import { checkRequiredPath } from "./paths.ts";

/** Trust anchors of one bundle, or of all bundles of a signer. */
export const ClusterTrustBundleProjection = t.struct("Trust anchors as a file of PEM certificates.", {
  name: t.pointer(t.text("One bundle by name; not together with signerName or labelSelector.")),
  signerName: t.pointer(t.text("All bundles of a signer; their certificates are united.")),
  labelSelector: t.pointer(LabelSelector),
  optional: t.pointer(t.bool("Whether the Pod may start when no bundle is there.")),
  path: t.required(t.text("The file, relative to the volume.")),
});

/** The name of a bundle: that of a signer first, with `:` for `/`, and a name after the last colon. */
function checkName(name: string, at: string, check: SourceCheck): void {
  if (name === "") check.errors.required(at);
  check.text(at, name.slice(name.lastIndexOf(":") + 1), dnsSubdomain);
}

/** By name or by signer, labels with a signer only (PROJ-11, PROJ-12, PROJ-14). */
export function checkTrustBundle(
  source: Loose<t.Static<typeof ClusterTrustBundleProjection>>,
  at: string,
  check: SourceCheck,
): void {
  const { name, signerName, labelSelector } = source;
  if (name !== undefined && signerName !== undefined) {
    check.errors.invalid(at, source, "expected name or signerName, got both");
  } else if (name !== undefined) {
    checkName(name, `${at}.name`, check);
    if (labelSelector) check.errors.invalid(`${at}.labelSelector`, labelSelector, "expected none together with a name");
  } else if (signerName !== undefined) {
    if (signerName === "") check.errors.required(`${at}.signerName`);
    else check.text(`${at}.signerName`, signerName, domainPrefixedPath);
    if (labelSelector) validateLabelSelector(labelSelector, `${at}.labelSelector`, check.errors);
  } else {
    check.errors.required(at, "expected name or signerName, got none");
  }
  checkRequiredPath(`${at}.path`, source.path, check);
}
