import type { DefinitionFactory } from "../../../schema/definition.ts";
import { csiDriver } from "./csidriver.ts";
import { csiNode } from "./csinode.ts";
import { csiStorageCapacity } from "./csistoragecapacity.ts";
import { storageClass } from "./storageclass.ts";
import { volumeAttachment } from "./volumeattachment.ts";
import { volumeAttributesClass } from "./volumeattributesclass.ts";

/** The storage group: six kinds in one version. */
export const storageGroup: DefinitionFactory = (ctx) => [
  csiDriver(ctx),
  csiNode(ctx),
  csiStorageCapacity(ctx),
  storageClass(ctx),
  volumeAttachment(ctx),
  volumeAttributesClass(ctx),
];
