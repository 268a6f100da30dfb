/**
 * Block devices over a network: blockVolA, fc, iscsi (PVS-28..31, PVS-39..44, VOL-22).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { type SourceCheck, type SourceFamily, form } from "./form.ts";
import { needName, needNameAndNamespace } from "./secret-references.ts";
import { LocalObjectReference, SecretReference } from "../../../rules/references.ts";

const readOnly = t.optional(t.bool("Whether the volume is read-only."));
const fsType = t.optional(t.text("File system of the volume; ext4 when unset."));

const blockVolAMembers = {
  volumeID: t.required(t.text("The identifier of the volume.")),
  fsType,
  readOnly,
};

/** A volume of a block storage service (PVS-28, VOL-22, DEC-47). */
export const blockVolA = (ctx: ApiContext): SourceFamily => ({
  member: ctx.dialect.vendor("blockVolA"),
  pv: form(
    t.struct("A volume of a block storage service; deprecated.", {
      ...blockVolAMembers,
      secretRef: t.pointer(SecretReference),
    }),
    (source, at, check) => {
      check.needUndocumented(`${at}.volumeID`, source.volumeID);
      needNameAndNamespace(source.secretRef, `${at}.secretRef`, check);
    },
  ),
  inline: form(
    t.struct("A volume of a block storage service; deprecated.", {
      ...blockVolAMembers,
      secretRef: t.pointer(LocalObjectReference),
    }),
    (source, at, check) => {
      check.needUndocumented(`${at}.volumeID`, source.volumeID);
      needName(source.secretRef, `${at}.secretRef`, check);
    },
  ),
});

const fcForm = form(
  t.struct("A Fibre Channel device.", {
    targetWWNs: t.optional(t.atomicList(t.text(), "World wide names of the targets; with `lun`.")),
    lun: t.pointer(t.int32("Number of the unit at the targets.")),
    fsType,
    readOnly,
    wwids: t.optional(t.atomicList(t.text(), "World wide identifiers of the volume; instead of targetWWNs and lun.")),
  }),
  (source, at, check) => {
    const byTarget = (source.targetWWNs ?? []).length > 0;
    const byIdentifier = (source.wwids ?? []).length > 0;
    if (!byTarget && !byIdentifier) {
      check.errors.required(`${at}.targetWWNs`, "expected either wwids, or targetWWNs with lun, got none");
    } else if (byTarget && byIdentifier) {
      check.errors.invalid(`${at}.targetWWNs`, source.targetWWNs, "expected either wwids or targetWWNs, got both");
    }
    if (!byTarget) return;
    if (source.lun === undefined) check.errors.required(`${at}.lun`, "expected a lun together with targetWWNs");
    else if (check.strict) check.range(`${at}.lun`, source.lun, 0, 255);
  },
);

/** A Fibre Channel device (PVS-29..31). */
export const fc: SourceFamily = { member: "fc", pv: fcForm, inline: fcForm };

const QUALIFIED_NAMES = [
  /^iqn\.\d{4}-\d{2}\.(?:[A-Za-z0-9-_.]+)(?::[^,;*&$|\s]+)$/,
  /^eui\.[A-Fa-f0-9]{16}$/,
  /^naa\.[A-Fa-f0-9]{32}$/,
];

/** An iSCSI qualified name in one of its three notations: Kubernetes only. */
function checkQualifiedName(field: string, name: string, check: SourceCheck): void {
  if (!QUALIFIED_NAMES.some((notation) => notation.test(name))) {
    check.errors.invalid(
      field,
      name,
      "expected a name such as 'iqn.2024-01.com.example:disk', 'eui.' or 'naa.' with digits",
    );
  }
}

/**
 * `lun` is a required member, even when it is 0 (AMB-28); Kubernetes takes an absent one for 0 and prints it.
 * Kept apart from {@link required}, so that the neutral dialect sees that it is absent.
 */
const requiredLun = (ctx: ApiContext) =>
  Object.assign(
    t.required(t.int32("Number of the unit at the target.")),
    ctx.dialect.rules.requireUndocumented ? {} : { "x-keelson-presence": "keepZero" },
  );

const iscsiMembers = (ctx: ApiContext, secret: t.TSchema) =>
  t.struct("An iSCSI device.", {
    targetPortal: t.required(t.text("Address of the target, host or host:port.")),
    iqn: t.required(t.text("Qualified name of the target.")),
    lun: requiredLun(ctx),
    iscsiInterface: t.optional(t.text("Name of the interface; `default` means tcp.", { default: "default" })),
    fsType,
    readOnly,
    portals: t.optional(t.atomicList(t.text(), "More addresses of the target.")),
    chapAuthDiscovery: t.optional(t.bool("Whether discovery uses CHAP.")),
    chapAuthSession: t.optional(t.bool("Whether sessions use CHAP.")),
    secretRef: t.pointer(secret),
    initiatorName: t.pointer(t.text("Qualified name of the initiator.")),
  });

/** Longest `name:targetPortal` that fits in the name of an interface made for an initiator. */
const MAX_INTERFACE = 64;

/** An iSCSI device (PVS-39..44). */
export function iscsi(ctx: ApiContext): SourceFamily {
  const make = (secret: t.TSchema, inline: boolean) =>
    form(iscsiMembers(ctx, secret), (source, at, check) => {
      check.need(`${at}.targetPortal`, source.targetPortal);
      check.need(`${at}.iqn`, source.iqn);
      if (source.lun === undefined && !check.ctx.dialect.rules.requireUndocumented) check.errors.required(`${at}.lun`);
      check.range(`${at}.lun`, source.lun, 0, 255);
      const secretRef = source.secretRef as { readonly name?: string } | undefined;
      if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined) {
        check.errors.required(`${at}.secretRef`, "expected a Secret for CHAP");
      }
      if (!inline) needName(secretRef, `${at}.secretRef`, check);
      if (!check.strict) return;
      if (source.iqn) checkQualifiedName(`${at}.iqn`, source.iqn, check);
      if (source.initiatorName === undefined) return;
      checkQualifiedName(`${at}.initiatorname`, source.initiatorName, check);
      if (`${check.owner}:${source.targetPortal ?? ""}`.length <= MAX_INTERFACE) return;
      const why = `expected at most ${MAX_INTERFACE} characters in '<volume name>:<targetPortal>' with an initiatorName`;
      if (inline) check.errors.invalid(`${at.slice(0, at.lastIndexOf("."))}.name`, check.owner, why);
      else check.errors.invalid(`${at}.targetportal`, source.targetPortal, why);
    });
  return { member: "iscsi", pv: make(SecretReference, false), inline: make(LocalObjectReference, true) };
}
