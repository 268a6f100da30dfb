/**
 * Disks and shares of cloud providers (PVS-16..25, PVS-45, PVS-46, VOL-18..21, DEC-46).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { type SourceCheck, type SourceFamily, form } from "./form.ts";

const partition = t.optional(t.int32("The partition to mount; unset or 0 for the whole disk."));
const readOnly = t.optional(t.bool("Whether the volume is read-only."));
const fsType = t.optional(t.text("File system of the volume; ext4 when unset."));

const checkPartition = (at: string, value: number | undefined, check: SourceCheck): void =>
  check.range(`${at}.partition`, value, 0, 255);

const blockStoreForm = form(
  t.struct("A block disk of cloud A; deprecated.", {
    volumeID: t.required(t.text("The identifier of the disk.")),
    fsType,
    partition,
    readOnly,
  }),
  (source, at, check) => {
    check.needUndocumented(`${at}.volumeID`, source.volumeID);
    checkPartition(at, source.partition, check);
  },
);

/** A block disk of cloud A. */
export const blockStoreA = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("cloudAElasticBlockStore"),
  pv: blockStoreForm,
  inline: blockStoreForm,
});

const persistentDiskForm = form(
  t.struct("A persistent disk of a cloud; deprecated.", {
    pdName: t.required(t.text("The name of the disk.")),
    fsType,
    partition,
    readOnly,
  }),
  (source, at, check) => {
    check.need(`${at}.pdName`, source.pdName);
    checkPartition(at, source.partition, check);
  },
);

/** A disk that only Kubernetes names (DEC-47); errors call it `persistentDisk`. */
export const gcePersistentDisk: SourceFamily = {
  member: "gcePersistentDisk",
  errorName: "persistentDisk",
  pv: persistentDiskForm,
  inline: persistentDiskForm,
};

const MANAGED_URI = "/subscriptions/";
const BLOB_URI = "https://";

const diskForm = form(
  t.struct("A data disk of cloud B.", {
    diskName: t.required(t.text("The name of the disk.")),
    diskURI: t.required(t.text("The URI of the disk.")),
    cachingMode: t.pointer(t.text("How the host caches: `None`, `ReadOnly` or `ReadWrite`.", { default: "ReadWrite" })),
    fsType: t.pointer(t.text("File system of the volume.", { default: "ext4" })),
    readOnly: t.pointer(t.bool("Whether the volume is read-only.", { default: false })),
    kind: t.pointer(
      t.text("`Shared` for several disks in one account, `Dedicated` for one, `Managed` for a managed disk.", {
        default: "Shared",
      }),
    ),
  }),
  (source, at, check) => {
    check.need(`${at}.diskName`, source.diskName);
    check.need(`${at}.diskURI`, source.diskURI);
    check.oneOf(`${at}.cachingMode`, source.cachingMode, ["None", "ReadOnly", "ReadWrite"]);
    check.oneOf(`${at}.kind`, source.kind, ["Dedicated", "Managed", "Shared"]);
    if (!check.strict || source.kind === undefined) return;
    const start = source.kind === "Managed" ? MANAGED_URI : BLOB_URI;
    const uri = source.diskURI ?? "";
    if (!uri.startsWith(start)) check.errors.notSupported(`${at}.diskURI`, uri, [`${start}...`]);
  },
);

/** A data disk of cloud B (PVS-17..22, VOL-20). */
export const diskB = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("cloudBDisk"),
  pv: diskForm,
  inline: diskForm,
});

const shareMembers = {
  secretName: t.required(t.text("Name of the Secret with account and key.")),
  shareName: t.required(t.text("Name of the share.")),
  readOnly,
};

const needShare = (
  source: { readonly secretName?: string | undefined; readonly shareName?: string | undefined },
  at: string,
  check: SourceCheck,
): void => {
  check.need(`${at}.secretName`, source.secretName);
  check.need(`${at}.shareName`, source.shareName);
};

/** A file share of cloud B (PVS-23..25, VOL-21). */
export const fileB = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("cloudBFile"),
  pv: form(
    t.struct("A file share of cloud B.", {
      ...shareMembers,
      secretNamespace: t.nullable(t.text("Namespace of the Secret; that of the Pod when unset.")),
    }),
    (source, at, check) => {
      needShare(source, at, check);
      if (source.secretNamespace === "") check.needUndocumented(`${at}.secretNamespace`, "");
    },
  ),
  inline: form(t.struct("A file share of cloud B.", shareMembers), needShare),
});

const photonForm = form(
  t.struct("A persistent disk of cloud C; deprecated.", {
    pdID: t.required(t.text("The identifier of the disk.")),
    fsType,
  }),
  (source, at, check) => check.need(`${at}.pdID`, source.pdID),
);

/** A persistent disk of cloud C (PVS-45, PVS-46). */
export const diskC = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("cloudCPersistentDisk"),
  pv: photonForm,
  inline: photonForm,
  deprecated: { text: "deprecated in v1.11, non-functional in v1.16+", pv: true, inline: true },
});
