/**
 * Volumes of single vendors and of scripts: datasetVolA, flexVolume, vendorD to vendorG (PVS-32..35, PVS-47, PVS-48,
 * PVS-52..59).
 *
 * @module
 */
import { dnsLabel } from "../../../../meta/names.ts";
import * as t from "../../../../meta/types.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { type SourceCheck, type SourceFamily, form } from "./form.ts";
import { needName, needNameAndNamespace } from "./secret-references.ts";
import { LocalObjectReference, ObjectReference, SecretReference } from "../../../rules/references.ts";

const readOnly = t.optional(t.bool("Whether the volume is read-only."));
const fsType = t.optional(t.text("File system of the volume; ext4 when unset."));

const datasetForm = form(
  t.struct("A dataset of a data manager; deprecated.", {
    datasetName: t.optional(t.text("Name of the dataset; or datasetUUID.")),
    datasetUUID: t.optional(t.text("UUID of the dataset; or datasetName.")),
  }),
  (source, at, check) => {
    const { datasetName, datasetUUID } = source;
    if (!datasetName && !datasetUUID) check.errors.required(at, "expected datasetName or datasetUUID, got none");
    if (datasetName && datasetUUID) check.errors.invalid(at, source, "expected datasetName or datasetUUID, got both");
    if (check.strict && datasetName?.includes("/")) {
      check.errors.invalid(`${at}.datasetName`, datasetName, "expected a name without '/'");
    }
  },
);

/** A dataset of a data manager (PVS-35). */
export const datasetVolA = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("datasetVolA"),
  pv: datasetForm,
  inline: datasetForm,
  deprecated: { text: "deprecated in v1.22, non-functional in v1.25+", pv: false, inline: true },
});

const RESERVED_OPTIONS = [".kubernetes.io", ".k8s.io"];

/** Options of scripts may not use the domains that the node agent uses: Kubernetes only. */
function checkOptions(at: string, options: Readonly<Record<string, string | undefined>>, check: SourceCheck): void {
  for (const key of Object.keys(options)) {
    const domain = `.${key.split("/", 1)[0]!.toLowerCase()}`;
    if (RESERVED_OPTIONS.some((reserved) => domain.endsWith(reserved))) {
      check.errors.invalid(`${at}.options[${key}]`, key, "expected a key outside of kubernetes.io and k8s.io");
    }
  }
}

const flexForm = (secret: t.TSchema) =>
  form(
    t.struct("A volume of a script on the node; deprecated.", {
      driver: t.required(t.text("Name of the script.")),
      fsType: t.optional(t.text("File system of the volume; the script decides when unset.")),
      secretRef: t.pointer(secret),
      readOnly,
      options: t.optional(t.map(t.text(), "Options for the script.")),
    }),
    (source, at, check) => {
      check.need(`${at}.driver`, source.driver);
      if (check.strict && source.options) checkOptions(at, source.options, check);
    },
  );

/** A volume of a script on the node (PVS-32..34). */
export const flexVolume: SourceFamily = {
  member: "flexVolume",
  pv: flexForm(SecretReference),
  inline: flexForm(LocalObjectReference),
  mayBeSecond: "pv",
};

const vendorDForm = form(
  t.struct("A volume of vendor D.", {
    volumeID: t.required(t.text("The identifier of the volume.")),
    fsType,
    readOnly,
  }),
  (source, at, check) => check.need(`${at}.volumeID`, source.volumeID),
);

/** A volume of vendor D (PVS-47, PVS-48). */
export const vendorD = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("vendorDVolume"),
  pv: vendorDForm,
  inline: vendorDForm,
});

/** A volume of vendor E (PVS-52..55). The documents require the secretRef, Kubernetes prints an unset one as null and requires the volumeName. */
export function vendorE(ctx: ApiContext): SourceFamily {
  const make = (secret: t.TSchema) =>
    form(
      t.struct("A volume of vendor E; deprecated.", {
        gateway: t.required(t.text("Address of the gateway.")),
        system: t.required(t.text("Name of the storage system.")),
        secretRef: t.nullable(secret),
        sslEnabled: t.optional(t.bool("Whether the gateway is spoken to by TLS.")),
        protectionDomain: t.optional(t.text("Name of the protection domain.")),
        storagePool: t.optional(t.text("The pool of the protection domain.")),
        storageMode: t.optional(t.text("`ThickProvisioned` or `ThinProvisioned`.", { default: "ThinProvisioned" })),
        volumeName: t.optional(t.text("Name of the volume in the storage system.")),
        fsType: t.optional(t.text("File system of the volume.", { default: "xfs" })),
        readOnly,
      }),
      (source, at, check) => {
        check.need(`${at}.gateway`, source.gateway);
        check.need(`${at}.system`, source.system);
        check.needUndocumented(`${at}.volumeName`, source.volumeName);
        if (!check.ctx.dialect.rules.enforceDocumented) return;
        if (source.secretRef === undefined || source.secretRef === null) check.errors.required(`${at}.secretRef`);
        check.oneOf(`${at}.storageMode`, source.storageMode, ["ThickProvisioned", "ThinProvisioned"]);
      },
    );
  return {
    member: ctx.dialect.vendor("vendorEVolume"),
    pv: make(SecretReference),
    inline: make(LocalObjectReference),
    deprecated: { text: "deprecated in v1.16, non-functional in v1.22+", pv: true, inline: true },
  };
}

const vendorFMembers = {
  volumeName: t.optional(t.text("Name of the volume, unique in its namespace.")),
  volumeNamespace: t.optional(t.text("Namespace of the volume at the vendor.")),
  fsType,
  readOnly,
};

const checkVendorF = (
  source: { readonly volumeName?: string | undefined; readonly volumeNamespace?: string | undefined },
  at: string,
  check: SourceCheck,
): void => {
  check.needUndocumented(`${at}.volumeName`, source.volumeName);
  if (!check.strict) return;
  if (source.volumeName) check.text(`${at}.volumeName`, source.volumeName, dnsLabel);
  if (source.volumeNamespace) check.text(`${at}.volumeNamespace`, source.volumeNamespace, dnsLabel);
};

/** A volume of vendor F; a PersistentVolume names its Secret by an ObjectReference (PVS-56, PVS-57, VOL-36). */
export const vendorF = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("vendorFVolume"),
  pv: form(
    t.struct("A volume of vendor F; deprecated.", { ...vendorFMembers, secretRef: t.pointer(ObjectReference) }),
    (source, at, check) => {
      checkVendorF(source, at, check);
      needNameAndNamespace(source.secretRef, `${at}.secretRef`, check);
    },
  ),
  inline: form(
    t.struct("A volume of vendor F; deprecated.", { ...vendorFMembers, secretRef: t.pointer(LocalObjectReference) }),
    (source, at, check) => {
      checkVendorF(source, at, check);
      needName(source.secretRef, `${at}.secretRef`, check);
    },
  ),
  deprecated: { text: "deprecated in v1.22, non-functional in v1.25+", pv: true, inline: true },
});

const vendorGForm = form(
  t.struct("A virtual disk of vendor G.", {
    volumePath: t.required(t.text("Path of the disk.")),
    fsType,
    storagePolicyName: t.optional(t.text("Name of the storage policy.")),
    storagePolicyID: t.optional(t.text("Identifier of the storage policy.")),
  }),
  (source, at, check) => check.need(`${at}.volumePath`, source.volumePath),
);

/** A virtual disk of vendor G (PVS-58, PVS-59). */
export const vendorG = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("vendorGVolume"),
  pv: vendorGForm,
  inline: vendorGForm,
});
