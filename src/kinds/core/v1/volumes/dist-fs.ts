/**
 * Network and distributed file systems: nfs, distFsA, distFsB, distFsC, rbd (PVS-26, PVS-27, PVS-36..38, PVS-49..51,
 * DEC-47, DEC-49, DEC-50).
 *
 * @module
 */
import { dnsLabel } from "../../../../meta/names.ts";
import * as t from "../../../../meta/types.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { type SourceCheck, type SourceFamily, type SourceForm, form } from "./form.ts";
import { checkAbsolute } from "./paths.ts";
import { LocalObjectReference, SecretReference } from "../../../rules/references.ts";

const readOnly = t.optional(t.bool("Whether the volume is read-only."));

const nfsForm = form(
  t.struct("A directory of an NFS server.", {
    server: t.required(t.text("Host name or address of the server.")),
    path: t.required(t.text("The directory that the server exports, absolute.")),
    readOnly,
  }),
  (source, at, check) => {
    check.needUndocumented(`${at}.server`, source.server);
    check.needUndocumented(`${at}.path`, source.path);
    if (source.path || check.strict) checkAbsolute(`${at}.path`, source.path ?? "", check);
  },
);

/** A directory of an NFS server (DEC-47, DEC-49). */
export const nfs: SourceFamily = { member: "nfs", pv: nfsForm, inline: nfsForm };

/** PersistentVolumes name a Secret anywhere, Pods one of their namespace (VOL-36). */
const twoForms = (make: (secret: t.TSchema) => SourceForm): Pick<SourceFamily, "pv" | "inline"> => ({
  pv: make(SecretReference),
  inline: make(LocalObjectReference),
});

/** A file system of monitors (PVS-26, PVS-27). */
export const distFsA = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("distFsA"),
  // The path of Kubernetes for the second source of a volume.
  clashName: ctx.dialect.rules.recordedCauseNames ? "cephFS" : ctx.dialect.vendor("distFsA"),
  ...twoForms((secret) =>
    form(
      t.struct("A file system that monitors serve; deprecated.", {
        monitors: t.required(t.atomicList(t.text(), "Addresses of the monitors.")),
        path: t.optional(t.text("The directory to mount; `/` when unset.")),
        user: t.optional(t.text("The user; `admin` when unset.")),
        secretFile: t.optional(t.text("File with the key of the user on the node.")),
        secretRef: t.pointer(secret),
        readOnly,
      }),
      (source, at, check) => check.needUndocumented(`${at}.monitors`, source.monitors),
    ),
  ),
  deprecated: { text: "deprecated in v1.28, non-functional in v1.31+", pv: true, inline: true },
});

/** A block device that only Kubernetes names (DEC-47). */
export const rbd: SourceFamily = {
  member: "rbd",
  ...twoForms((secret) =>
    form(
      t.struct("A block device that monitors serve; deprecated.", {
        monitors: t.required(t.atomicList(t.text(), "Addresses of the monitors.")),
        image: t.required(t.text("Name of the image.")),
        fsType: t.optional(t.text("File system of the volume; ext4 when unset.")),
        pool: t.optional(t.text("The pool of the image.", { default: "rbd" })),
        user: t.optional(t.text("The user.", { default: "admin" })),
        keyring: t.optional(t.text("File with the keys of the user.", { default: "/etc/ceph/keyring" })),
        secretRef: t.pointer(secret),
        readOnly,
      }),
      (source, at, check) => {
        check.need(`${at}.monitors`, source.monitors);
        check.need(`${at}.image`, source.image);
      },
    ),
  ),
  deprecated: { text: "deprecated in v1.28, non-functional in v1.31+", pv: true, inline: true },
};

const endpointMembers = {
  endpoints: t.required(t.text("Name of the Endpoints object that lists the servers.")),
  path: t.required(t.text("Name of the volume on the servers.")),
  readOnly,
};

const needEndpoints = (
  source: { readonly endpoints?: string | undefined; readonly path?: string | undefined },
  at: string,
  check: SourceCheck,
): void => {
  check.need(`${at}.endpoints`, source.endpoints);
  check.need(`${at}.path`, source.path);
};

/** A file system behind an Endpoints object (PVS-36..38, DEC-50). */
export const distFsB = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("distFsB"),
  pv: form(
    t.struct("A file system behind an Endpoints object; deprecated.", {
      ...endpointMembers,
      endpointsNamespace: t.pointer(t.text("Namespace of the Endpoints; that of the bound claim when unset.")),
    }),
    (source, at, check) => {
      needEndpoints(source, at, check);
      if (check.strict && source.endpointsNamespace !== undefined) {
        check.text(`${at}.endpointsNamespace`, source.endpointsNamespace, dnsLabel);
      }
    },
  ),
  inline: form(t.struct("A file system behind an Endpoints object; deprecated.", endpointMembers), needEndpoints),
  deprecated: { text: "deprecated in v1.25, non-functional in v1.26+", pv: true, inline: true },
});

/** Whether a text is `host:port`; the host may be an address in brackets, the port is not validated (PVS-49). */
function isHostAndPort(pair: string): boolean {
  if (pair.startsWith("[")) return /^\[[^[\]]*\]:[^:[\]]*$/.test(pair);
  return /^[^:[\]]*:[^:[\]]*$/.test(pair);
}

const distFsCForm = form(
  t.struct("A volume of a registry of servers; deprecated.", {
    registry: t.required(t.text("The servers: host:port pairs, separated by commas.")),
    volume: t.required(t.text("Name of the volume.")),
    readOnly,
    user: t.optional(t.text("The user to which access is mapped.")),
    group: t.optional(t.text("The group to which access is mapped.")),
    tenant: t.optional(t.text("The tenant that owns the volume.")),
  }),
  (source, at, check) => {
    const registry = source.registry ?? "";
    if (registry === "") check.errors.required(`${at}.registry`, "expected host:port pairs, separated by commas");
    else if (check.strict && (source.tenant ?? "").length > 64) {
      check.errors.required(`${at}.tenant`, "expected at most 64 characters");
    } else if (!registry.split(",").every(isHostAndPort)) {
      check.errors.invalid(`${at}.registry`, registry, "expected host:port pairs, separated by commas");
    }
    check.need(`${at}.volume`, source.volume);
  },
);

/** A volume of a registry of servers (PVS-49..51). */
export const distFsC = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("distFsC"),
  pv: distFsCForm,
  inline: distFsCForm,
  deprecated: { text: "deprecated in v1.22, non-functional in v1.25+", pv: false, inline: true },
});
