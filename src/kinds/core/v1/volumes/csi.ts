/**
 * Volumes of CSI drivers (PVS-11..15, VOL-23..26).
 *
 * @module
 */
import { dnsSubdomain } from "../../../../meta/names.ts";
import * as t from "../../../../meta/types.ts";
import { validateDriverName } from "../../../rules/driver-name.ts";
import { type SourceFamily, form } from "./form.ts";
import { checkSecretReference } from "./secret-references.ts";
import { LocalObjectReference, SecretReference } from "../../../rules/references.ts";

const secretFor = (call: string) =>
  t.pointer(
    t.struct(`The Secret that is passed to the driver in ${call}.`, SecretReference.properties, { atomic: true }),
  );

const pvForm = form(
  t.struct("A volume of a CSI driver.", {
    driver: t.required(t.text("Name of the driver.")),
    volumeHandle: t.required(t.text("The unique name of the volume that the driver's CreateVolume gave.")),
    readOnly: t.optional(t.bool("Whether the volume is published read-only.")),
    fsType: t.optional(t.text("File system of the volume, such as `ext4`.")),
    volumeAttributes: t.optional(t.map(t.text(), "Attributes for the driver when it publishes the volume.")),
    controllerPublishSecretRef: secretFor("ControllerPublishVolume and ControllerUnpublishVolume"),
    nodeStageSecretRef: secretFor("NodeStageVolume"),
    nodePublishSecretRef: secretFor("NodePublishVolume"),
    controllerExpandSecretRef: secretFor("ControllerExpandVolume"),
    nodeExpandSecretRef: secretFor("NodeExpandVolume"),
  }),
  (source, at, check) => {
    validateDriverName(source.driver ?? "", `${at}.driver`, check.errors);
    check.need(`${at}.volumeHandle`, source.volumeHandle);
    // Kubernetes does not validate the reference for NodeStageVolume (DEC-39).
    checkSecretReference(source.controllerPublishSecretRef, `${at}.controllerPublishSecretRef`, check);
    checkSecretReference(source.controllerExpandSecretRef, `${at}.controllerExpandSecretRef`, check);
    checkSecretReference(source.nodePublishSecretRef, `${at}.nodePublishSecretRef`, check);
    checkSecretReference(source.nodeExpandSecretRef, `${at}.nodeExpandSecretRef`, check);
  },
);

const inlineForm = form(
  t.struct("A volume that a CSI driver makes for the Pod.", {
    driver: t.required(t.text("Name of the driver.")),
    readOnly: t.pointer(t.bool("Whether the volume is mounted read-only.")),
    fsType: t.pointer(t.text("File system of the volume; the driver decides when unset.")),
    volumeAttributes: t.optional(t.map(t.text(), "Attributes of the volume for the driver.")),
    nodePublishSecretRef: t.pointer(LocalObjectReference),
  }),
  (source, at, check) => {
    validateDriverName(source.driver ?? "", `${at}.driver`, check.errors);
    const ref = source.nodePublishSecretRef;
    if (ref === undefined) return;
    if (!ref.name) check.needUndocumented(`${at}.nodePublishSecretRef.name`, ref.name);
    else if (check.strict) check.text(`${at}.name`, ref.name, dnsSubdomain);
  },
);

/** A volume of a CSI driver. */
export const csi: SourceFamily = { member: "csi", pv: pvForm, inline: inlineForm };
